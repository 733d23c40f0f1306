; A residual build: a path is tested by what r is on its rare edges, and a tested one costs no counter. Of the first
; iterations, main() takes only the one past then, so only r = 3 is tested there.
; profile: WAYMARK_RESIDUAL
define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %odd = trunc i32 %i to i1
  br i1 %odd, label %then, label %latch
then:
  br label %latch
latch:
  %next = add i32 %i, 1
  br label %head
end:
  ret i32 %i
}
define i32 @main() {
entry:
  %r = call i32 @f(i32 9)
  ret i32 0
}
; ---- becomes
; @__wm_cells.f = private global [0 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; @__wm_cells.main = private global [0 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %latch ]
;   %more = icmp slt i32 %i, %n
;   br i1 %more, label %body, label %end
;
; body:
;   %odd = trunc i32 %i to i1
;   br i1 %odd, label %then, label %latch
;
; then:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = icmp eq i64 %0, 3
;   %2 = xor i1 %1, true
;   br i1 %2, label %3, label %4, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 3:
;   call preserve_mostcc void @__wm_cold.f(i64 %0)
;   br label %4
;
; 4:
;   br label %latch
;
; latch:
;   %next = add i32 %i, 1
;   store i64 3, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %5 = load i64, ptr %waymark.path, align 8
;   %6 = icmp eq i64 %5, 3
;   %7 = xor i1 %6, true
;   br i1 %7, label %8, label %10, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 8:
;   %9 = add i64 %5, 2
;   call preserve_mostcc void @__wm_cold.f(i64 %9)
;   br label %10
;
; 10:
;   ret i32 %i
; }
;
; define i32 @main() {
; entry:
;   %r = call i32 @f(i32 9)
;   ret i32 0
; }
;
; define private preserve_mostcc void @__wm_cold.f(i64 %0) {
;   %2 = and i64 %0, 7
;   %3 = add i64 %2, 1
;   %4 = mul i64 %3, -7046029254386353131
;   %5 = load atomic i64, ptr @__wm_head.f acquire, align 8
;   %6 = icmp eq i64 %5, 0
;   %7 = select i1 %6, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %5
;   %8 = and i64 %7, 63
;   %9 = and i64 %7, -64
;   %10 = lshr i64 %4, %8
;   %11 = mul i64 %10, 16
;   %12 = inttoptr i64 %9 to ptr
;   %13 = getelementptr i8, ptr %12, i64 %11
;   %14 = load atomic i64, ptr %13 monotonic, align 8
;   %15 = getelementptr i8, ptr %13, i64 8
;   %16 = icmp eq i64 %14, %4
;   %17 = load atomic volatile i64, ptr %15 monotonic, align 8
;   %18 = icmp ne i64 %17, 0
;   %19 = and i1 %16, %18
;   br i1 %19, label %20, label %22, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 20:
;   %21 = atomicrmw add ptr %15, i64 1 monotonic, align 8
;   br label %24
;
; 22:
;   %23 = and i64 %0, 7
;   call preserve_mostcc void @__wm_residual_add(ptr @__wm_func.f, ptr @__wm_head.f, i64 %23, i64 1)
;   br label %24
;
; 24:
;   ret void
; }
