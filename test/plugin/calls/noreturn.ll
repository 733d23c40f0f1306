; The callee may exit or throw, so that the path may not end: entries are counted in counter 0, and paths from counter 1 on.
declare void @may_exit()
define void @f(i1 %c) {
entry:
  call void @may_exit()
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   call void @may_exit()
;   br i1 %c, label %then, label %entry.end_crit_edge
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
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret void
; }
