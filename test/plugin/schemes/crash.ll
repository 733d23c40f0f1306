; For `waymark crash`, with the last finished paths: the number of the path is noted in the thread's ring of sixteen-byte
; records.
; WAYMARK_CRASH=2
define void @f(i1 %c) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   %waymark.pending = alloca [1 x i64], align 8
;   br i1 %c, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 1, ptr %waymark.path, align 8
;   store i64 1, ptr %waymark.pending, align 8
;   br label %end
;
; then:
;   store i64 0, ptr %waymark.pending, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %0 = load ptr, ptr getelementptr (i8, ptr @__wm_thread, i64 56), align 8
;   %1 = load i8, ptr %0, align 1
;   %2 = zext i8 %1 to i64
;   %3 = getelementptr i8, ptr %0, i64 %2
;   %4 = getelementptr i8, ptr %3, i64 16
;   %5 = getelementptr i8, ptr %4, i64 0
;   store i32 280476960, ptr %5, align 4
;   %6 = getelementptr i8, ptr %4, i64 4
;   store i32 2, ptr %6, align 4
;   %7 = load i64, ptr %waymark.pending, align 8
;   %8 = getelementptr i8, ptr %4, i64 8
;   store i64 %7, ptr %8, align 8
;   %9 = add i8 %1, 16
;   store i8 %9, ptr %0, align 1
;   %10 = load i64, ptr %waymark.path, align 8
;   %11 = add i64 %10, 0
;   %12 = getelementptr i64, ptr @__wm_cells.f, i64 %11
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %12, ptr elementtype(i64) %12)
;   ret void
; }
