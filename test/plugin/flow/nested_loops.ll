; Two loops, one inside the other, with a branch in the inner one. Paths begin at the entry (r = -12), behind the outer back
; edge (-6) or the inner one (0), and end at the inner back edge (14), the outer one (13) or the exit (12).
define void @f(i32 %n, i1 %c) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %joined ]
  br i1 %c, label %left, label %right
left:
  br label %joined
right:
  br label %joined
joined:
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %i
  br i1 %again, label %inner, label %latch
latch:
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [18 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i32 %n, i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   store i64 -12, ptr %waymark.path, align 8
;   br label %outer
;
; outer:
;   %i = phi i32 [ 0, %entry ], [ %i1, %latch.outer_crit_edge ]
;   br label %inner
;
; inner:
;   %j = phi i32 [ 0, %outer ], [ %j1, %joined.inner_crit_edge ]
;   br i1 %c, label %left, label %right
;
; left:
;   br label %joined
;
; right:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 3
;   store i64 %1, ptr %waymark.path, align 8
;   br label %joined
;
; joined:
;   %j1 = add i32 %j, 1
;   %again = icmp slt i32 %j1, %i
;   br i1 %again, label %joined.inner_crit_edge, label %latch
;
; joined.inner_crit_edge:
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 14
;   %4 = add i64 %3, 0
;   %5 = getelementptr i64, ptr @__wm_cells.f, i64 %4
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %5, ptr elementtype(i64) %5)
;   store i64 0, ptr %waymark.path, align 8
;   br label %inner
;
; latch:
;   %i1 = add i32 %i, 1
;   %more = icmp slt i32 %i1, %n
;   br i1 %more, label %latch.outer_crit_edge, label %end
;
; latch.outer_crit_edge:
;   %6 = load i64, ptr %waymark.path, align 8
;   %7 = add i64 %6, 13
;   %8 = add i64 %7, 0
;   %9 = getelementptr i64, ptr @__wm_cells.f, i64 %8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %9, ptr elementtype(i64) %9)
;   store i64 -6, ptr %waymark.path, align 8
;   br label %outer
;
; end:
;   %10 = load i64, ptr %waymark.path, align 8
;   %11 = add i64 %10, 12
;   %12 = add i64 %11, 0
;   %13 = getelementptr i64, ptr @__wm_cells.f, i64 %12
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %13, ptr elementtype(i64) %13)
;   ret void
; }
