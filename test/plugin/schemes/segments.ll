; The call is inlined before paths are numbered, so the caller has the two paths of its callee.
; WAYMARK_SEGMENTS=1
define internal i32 @callee(i32 %n) {
entry:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %then, label %end
then:
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 1, %then ]
  ret i32 %r
}
define i32 @caller(i32 %n) {
entry:
  %r = call i32 @callee(i32 %n)
  ret i32 %r
}
; ---- becomes
; @__wm_cells.callee = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; @__wm_cells.caller = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define internal i32 @callee(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   %odd = trunc i32 %n to i1
;   br i1 %odd, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 0, %entry.end_crit_edge ], [ 1, %then ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.callee, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %r
; }
;
; define i32 @caller(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   %odd.i = trunc i32 %n to i1
;   br i1 %odd.i, label %then.i, label %entry.callee.waymark.body.exit_crit_edge
;
; entry.callee.waymark.body.exit_crit_edge:
;   store i64 1, ptr %waymark.path, align 8
;   br label %callee.waymark.body.exit
;
; then.i:
;   store i64 0, ptr %waymark.path, align 8
;   br label %callee.waymark.body.exit
;
; callee.waymark.body.exit:
;   %r.i = phi i32 [ 0, %entry.callee.waymark.body.exit_crit_edge ], [ 1, %then.i ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.caller, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %r.i
; }
