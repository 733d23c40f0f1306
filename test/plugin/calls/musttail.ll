; Nothing may stand between a musttail call and the return: the path is counted before the call.
declare i32 @g(i32, i1)
define i32 @f(i32 %n, i1 %c) {
entry:
  br i1 %c, label %tail, label %end
tail:
  %r = musttail call i32 @g(i32 %n, i1 %c)
  ret i32 %r
end:
  ret i32 0
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n, i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   br i1 %c, label %tail, label %end
;
; tail:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1))
;   %r = musttail call i32 @g(i32 %n, i1 %c)
;   ret i32 %r
;
; end:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2))
;   ret i32 0
; }
