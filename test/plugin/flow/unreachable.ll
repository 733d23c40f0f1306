; A block that ends in unreachable is an exit: its path is counted before the call that does not return. Counter 0 counts the
; entries, because a function that may be left without a return must not lose them.
declare void @abort() noreturn
define void @f(i1 %c) {
entry:
  br i1 %c, label %bad, label %good
bad:
  call void @abort() noreturn
  unreachable
good:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   br i1 %c, label %bad, label %good
;
; bad:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1))
;   call void @abort()
;   unreachable
;
; good:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2))
;   ret void
; }
