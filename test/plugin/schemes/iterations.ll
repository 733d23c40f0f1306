; Paths over two iterations. An iteration is one of two ways (r = 0 or 5, which is a pair of two-bit numbers); the first one
; fills the window, and each one after it counts the path of two iterations that it ends. The way out adds 2, or 6 before the
; first iteration.
; WAYMARK_SCHEME=kiter=2
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
; ---- becomes
; @__wm_cells.f = private global [13 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.done = alloca i64, align 8
;   %waymark.window = alloca i64, align 8
;   %waymark.sum = alloca i64, align 8
;   %waymark.path = alloca i64, align 8
;   store i64 0, ptr %waymark.sum, align 8
;   store i64 0, ptr %waymark.window, align 8
;   store i64 0, ptr %waymark.done, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %24 ]
;   %more = icmp slt i32 %i, %n
;   br i1 %more, label %body, label %end
;
; body:
;   %odd = trunc i32 %i to i1
;   br i1 %odd, label %then, label %body.latch_crit_edge
;
; body.latch_crit_edge:
;   store i64 5, ptr %waymark.path, align 8
;   br label %latch
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   br label %latch
;
; latch:
;   %next = add i32 %i, 1
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = lshr i64 %1, 2
;   %3 = lshr i64 %1, 0
;   %4 = and i64 %3, 3
;   %5 = sub i64 %4, %2
;   %6 = add i64 %5, 0
;   %7 = add i64 %6, 0
;   %8 = load i64, ptr %waymark.done, align 8
;   %9 = icmp eq i64 %8, 1
;   br i1 %9, label %10, label %17, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 10:
;   %11 = load i64, ptr %waymark.sum, align 8
;   %12 = add i64 %11, %4
;   %13 = add i64 %12, 0
;   %14 = getelementptr i64, ptr @__wm_cells.f, i64 %13
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %14, ptr elementtype(i64) %14)
;   store i64 %2, ptr %waymark.window, align 8
;   %15 = mul i64 %2, 3
;   %16 = add i64 %15, 7
;   store i64 %16, ptr %waymark.sum, align 8
;   br label %24
;
; 17:
;   %18 = load i64, ptr %waymark.sum, align 8
;   %19 = mul i64 %2, 3
;   %20 = add i64 %19, %7
;   %21 = add i64 %18, %20
;   store i64 %21, ptr %waymark.sum, align 8
;   store i64 %2, ptr %waymark.window, align 8
;   %22 = load i64, ptr %waymark.done, align 8
;   %23 = add i64 %22, 1
;   store i64 %23, ptr %waymark.done, align 8
;   br label %24
;
; 24:
;   store i64 0, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %25 = load i64, ptr %waymark.done, align 8
;   %26 = icmp ult i64 %25, 1
;   %27 = select i1 %26, i64 6, i64 2
;   %28 = load i64, ptr %waymark.sum, align 8
;   %29 = add i64 %28, %27
;   %30 = add i64 %29, 0
;   store i64 %30, ptr %waymark.path, align 8
;   %31 = load i64, ptr %waymark.path, align 8
;   %32 = add i64 %31, 0
;   %33 = getelementptr i64, ptr @__wm_cells.f, i64 %32
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %33, ptr elementtype(i64) %33)
;   ret i32 %i
; }
