; A call that may return twice: r is saved before it in memory that no longjmp leaves stale, and restored after it. Counter 1
; counts second returns, since a path begins there that no entry explains.
declare i32 @setjmp(ptr) returns_twice
define i32 @f(ptr %env, i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %first = call i32 @setjmp(ptr %env) returns_twice
  %zero = icmp eq i32 %first, 0
  br i1 %zero, label %begin, label %again
begin:
  br label %end
again:
  br label %end
end:
  ret i32 %first
}
; ---- becomes
; @__wm_cells.f = private global [6 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(ptr %env, i1 %c) {
; entry:
;   %waymark.returned = alloca i8, align 1
;   %waymark.saved = alloca i64, align 8
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   br i1 %c, label %then, label %entry.join_crit_edge
;
; entry.join_crit_edge:
;   store i64 2, ptr %waymark.path, align 8
;   br label %join
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   br label %join
;
; join:
;   %0 = load i64, ptr %waymark.path, align 8
;   store volatile i64 %0, ptr %waymark.saved, align 8
;   store volatile i8 0, ptr %waymark.returned, align 1
;   %first = call i32 @setjmp(ptr %env)
;   %1 = load volatile i64, ptr %waymark.saved, align 8
;   store i64 %1, ptr %waymark.path, align 8
;   %2 = load volatile i8, ptr %waymark.returned, align 1
;   store volatile i8 1, ptr %waymark.returned, align 1
;   %3 = icmp ne i8 %2, 0
;   br i1 %3, label %4, label %5, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 4:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1))
;   br label %5
;
; 5:
;   %zero = icmp eq i32 %first, 0
;   br i1 %zero, label %begin, label %again
;
; begin:
;   %6 = load i64, ptr %waymark.path, align 8
;   %7 = add i64 %6, -1
;   store i64 %7, ptr %waymark.path, align 8
;   br label %end
;
; again:
;   br label %end
;
; end:
;   %8 = load i64, ptr %waymark.path, align 8
;   %9 = add i64 %8, 1
;   %10 = add i64 %9, 2
;   %11 = getelementptr i64, ptr @__wm_cells.f, i64 %10
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %11, ptr elementtype(i64) %11)
;   ret i32 %first
; }
