; A loop without an exit: paths end only at its back edge, and begin at the entry (0 and 1) or behind it (2 and 3).
define void @f(i1 %c) {
entry:
  br label %head
head:
  br i1 %c, label %left, label %right
left:
  br label %latch
right:
  br label %latch
latch:
  br label %head
}
; ---- becomes
; @__wm_cells.f = private global [4 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %head
;
; head:
;   br i1 %c, label %left, label %right
;
; left:
;   br label %latch
;
; right:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   store i64 %1, ptr %waymark.path, align 8
;   br label %latch
;
; latch:
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 0
;   %4 = getelementptr i64, ptr @__wm_cells.f, i64 %3
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %4, ptr elementtype(i64) %4)
;   store i64 2, ptr %waymark.path, align 8
;   br label %head
; }
