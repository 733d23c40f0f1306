; A loop with one path from back edge to back edge: trips are counted, and added to the counters when the loop is left.
; Counter 0 is the first iteration, 2 any other one, 1 and 3 are the ways out without and with iterations.
define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %next = add i32 %i, 1
  br label %head
end:
  ret i32 %i
}
; ---- becomes
; @__wm_cells.f = private global [4 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.before = alloca i64, align 8
;   %waymark.trips = alloca i64, align 8
;   %waymark.path = alloca i64, align 8
;   store i64 0, ptr %waymark.path, align 8
;   store i64 0, ptr %waymark.trips, align 8
;   %0 = load i64, ptr %waymark.path, align 8
;   store i64 %0, ptr %waymark.before, align 8
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %body ]
;   %more = icmp slt i32 %i, %n
;   br i1 %more, label %body, label %end
;
; body:
;   %next = add i32 %i, 1
;   %1 = load i64, ptr %waymark.trips, align 8
;   %2 = add i64 %1, 1
;   store i64 %2, ptr %waymark.trips, align 8
;   store i64 2, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %3 = load i64, ptr %waymark.trips, align 8
;   %4 = icmp ne i64 %3, 0
;   br i1 %4, label %5, label %10, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 5:
;   %6 = load i64, ptr %waymark.before, align 8
;   %7 = add i64 %6, 0
;   %8 = getelementptr i64, ptr @__wm_cells.f, i64 %7
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %8, ptr elementtype(i64) %8)
;   %9 = sub i64 %3, 1
;   call void asm "addq $1, %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2), i64 %9, ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2))
;   br label %11
;
; 10:
;   br label %11
;
; 11:
;   %12 = load i64, ptr %waymark.path, align 8
;   %13 = add i64 %12, 1
;   %14 = add i64 %13, 0
;   %15 = getelementptr i64, ptr @__wm_cells.f, i64 %14
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %15, ptr elementtype(i64) %15)
;   ret i32 %i
; }
