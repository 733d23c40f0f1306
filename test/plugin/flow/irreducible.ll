; A loop with two entries. Of its two edges, right to left is the back edge: it counts a path and begins the next one.
define void @f(i1 %c, i1 %d) {
entry:
  br i1 %c, label %left, label %right
left:
  br i1 %d, label %right, label %end
right:
  br i1 %d, label %left, label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [8 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c, i1 %d) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %entry.left_crit_edge, label %entry.right_crit_edge
;
; entry.right_crit_edge:
;   store i64 -2, ptr %waymark.path, align 8
;   br label %right
;
; entry.left_crit_edge:
;   store i64 -5, ptr %waymark.path, align 8
;   br label %left
;
; left:
;   br i1 %d, label %right, label %left.end_crit_edge
;
; left.end_crit_edge:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 2
;   store i64 %1, ptr %waymark.path, align 8
;   br label %end
;
; right:
;   br i1 %d, label %right.left_crit_edge, label %end
;
; right.left_crit_edge:
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 6
;   %4 = add i64 %3, 0
;   %5 = getelementptr i64, ptr @__wm_cells.f, i64 %4
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %5, ptr elementtype(i64) %5)
;   store i64 0, ptr %waymark.path, align 8
;   br label %left
;
; end:
;   %6 = load i64, ptr %waymark.path, align 8
;   %7 = add i64 %6, 5
;   %8 = add i64 %7, 0
;   %9 = getelementptr i64, ptr @__wm_cells.f, i64 %8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %9, ptr elementtype(i64) %9)
;   ret void
; }
