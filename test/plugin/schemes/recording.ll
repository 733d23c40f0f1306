; A recording: every path is appended to the stream of the thread, by the runtime where a page of the stream ends.
; WAYMARK_WPP=on
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
; @__wm_cells.f = private global [0 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %10 ]
;   %more = icmp slt i32 %i, %n
;   br i1 %more, label %body, label %end
;
; body:
;   %odd = trunc i32 %i to i1
;   br i1 %odd, label %then, label %body.latch_crit_edge
;
; body.latch_crit_edge:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   store i64 %1, ptr %waymark.path, align 8
;   br label %latch
;
; then:
;   br label %latch
;
; latch:
;   %next = add i32 %i, 1
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = call i64 asm "xaddq $0, $1"(ptr elementtype(i64) getelementptr (i8, ptr @__wm_thread, i64 32), i64 8, ptr elementtype(i64) getelementptr (i8, ptr @__wm_thread, i64 32))
;   %4 = and i64 %3, 1048576
;   %5 = icmp eq i64 %4, 0
;   br i1 %5, label %6, label %9, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 6:
;   %7 = load i64, ptr @__wm_index.f, align 8
;   %8 = add i64 %7, %2
;   call void asm "movq $1, ($0)", "r,r"(i64 %3, i64 %8)
;   br label %10
;
; 9:
;   call preserve_mostcc void @__wm_stream_path(ptr @__wm_func.f, i64 %2)
;   br label %10
;
; 10:
;   store i64 3, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %11 = load i64, ptr %waymark.path, align 8
;   %12 = add i64 %11, 2
;   %13 = call i64 asm "xaddq $0, $1"(ptr elementtype(i64) getelementptr (i8, ptr @__wm_thread, i64 32), i64 8, ptr elementtype(i64) getelementptr (i8, ptr @__wm_thread, i64 32))
;   %14 = and i64 %13, 1048576
;   %15 = icmp eq i64 %14, 0
;   br i1 %15, label %16, label %19, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 16:
;   %17 = load i64, ptr @__wm_index.f, align 8
;   %18 = add i64 %17, %12
;   call void asm "movq $1, ($0)", "r,r"(i64 %13, i64 %18)
;   br label %20
;
; 19:
;   call preserve_mostcc void @__wm_stream_path(ptr @__wm_func.f, i64 %12)
;   br label %20
;
; 20:
;   ret i32 %i
; }
