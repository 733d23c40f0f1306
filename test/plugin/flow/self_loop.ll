; A block that branches to itself: its back edge is critical, and the loop has one path, so trips are counted.
define void @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [4 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i32 %n) {
; entry:
;   %waymark.before = alloca i64, align 8
;   %waymark.trips = alloca i64, align 8
;   %waymark.path = alloca i64, align 8
;   store i64 -2, ptr %waymark.path, align 8
;   store i64 0, ptr %waymark.trips, align 8
;   %0 = load i64, ptr %waymark.path, align 8
;   store i64 %0, ptr %waymark.before, align 8
;   br label %loop
;
; loop:
;   %i = phi i32 [ 0, %entry ], [ %next, %loop.loop_crit_edge ]
;   %next = add i32 %i, 1
;   %more = icmp slt i32 %next, %n
;   br i1 %more, label %loop.loop_crit_edge, label %end
;
; loop.loop_crit_edge:
;   %1 = load i64, ptr %waymark.trips, align 8
;   %2 = add i64 %1, 1
;   store i64 %2, ptr %waymark.trips, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %loop
;
; end:
;   %3 = load i64, ptr %waymark.trips, align 8
;   %4 = icmp ne i64 %3, 0
;   br i1 %4, label %5, label %11, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 5:
;   %6 = load i64, ptr %waymark.before, align 8
;   %7 = add i64 %6, 3
;   %8 = add i64 %7, 0
;   %9 = getelementptr i64, ptr @__wm_cells.f, i64 %8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %9, ptr elementtype(i64) %9)
;   %10 = sub i64 %3, 1
;   call void asm "addq $1, %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 3), i64 %10, ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 3))
;   br label %12
;
; 11:
;   br label %12
;
; 12:
;   %13 = load i64, ptr %waymark.path, align 8
;   %14 = add i64 %13, 2
;   %15 = add i64 %14, 0
;   %16 = getelementptr i64, ptr @__wm_cells.f, i64 %15
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %16, ptr elementtype(i64) %16)
;   ret void
; }
