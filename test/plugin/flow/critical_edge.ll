; Two of the edges to end are critical: they get blocks of their own for their values. The paths are more 0, then 1, entry to
; end 2.
define i32 @f(i1 %c, i1 %d) {
entry:
  br i1 %c, label %then, label %end
then:
  br i1 %d, label %more, label %end
more:
  br label %end
end:
  %r = phi i32 [ 1, %entry ], [ 2, %then ], [ 3, %more ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i1 %c, i1 %d) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; then:
;   br i1 %d, label %more, label %then.end_crit_edge
;
; then.end_crit_edge:
;   store i64 -1, ptr %waymark.path, align 8
;   br label %end
;
; more:
;   store i64 -2, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 1, %entry.end_crit_edge ], [ 2, %then.end_crit_edge ], [ 3, %more ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 2
;   %2 = add i64 %1, 0
;   %3 = getelementptr i64, ptr @__wm_cells.f, i64 %2
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %3, ptr elementtype(i64) %3)
;   ret i32 %r
; }
