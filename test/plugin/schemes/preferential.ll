; A preferential build: the paths that the profile has need no addition on their edges but -1 for the rare way. The end
; guesses that the loop has run.
; profile: WAYMARK_INTERESTING
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
; @__wm_cells.f = private global [6 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; @__wm_cells.main = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   store i64 1, ptr %waymark.path, align 8
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
;   %1 = add i64 %0, -1
;   store i64 %1, ptr %waymark.path, align 8
;   br label %latch
;
; latch:
;   %next = add i32 %i, 1
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 0
;   %4 = getelementptr i64, ptr @__wm_cells.f, i64 %3
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %4, ptr elementtype(i64) %4)
;   store i64 4, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %5 = load i64, ptr %waymark.path, align 8
;   %6 = icmp eq i64 %5, 4
;   br i1 %6, label %7, label %8, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 7:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 5), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 5))
;   br label %12
;
; 8:
;   %9 = add i64 %5, 1
;   %10 = add i64 %9, 0
;   %11 = getelementptr i64, ptr @__wm_cells.f, i64 %10
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %11, ptr elementtype(i64) %11)
;   br label %12
;
; 12:
;   ret i32 %i
; }
;
; define i32 @main() {
; entry:
;   %waymark.path = alloca i64, align 8
;   %r = call i32 @f(i32 9)
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.main, ptr elementtype(i64) @__wm_cells.main)
;   ret i32 0
; }
