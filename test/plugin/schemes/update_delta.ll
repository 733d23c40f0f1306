; Counters of one thread each: the distance from the counters of the object to those of the thread is read once, when the
; function is entered, and found by the runtime if the thread has none yet.
; WAYMARK_UPDATE=delta
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
;   %waymark.delta = alloca i64, align 8
;   %waymark.path = alloca i64, align 8
;   %0 = load i64, ptr @__wm_thread, align 8
;   store i64 %0, ptr %waymark.delta, align 8
;   %1 = icmp eq i64 %0, 0
;   br i1 %1, label %2, label %4, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 2:
;   %3 = call preserve_mostcc i64 @__wm_thread_attach()
;   store i64 %3, ptr %waymark.delta, align 8
;   br label %4
;
; 4:
;   br i1 %c, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %5 = load i64, ptr %waymark.path, align 8
;   %6 = add i64 %5, 0
;   %7 = getelementptr i64, ptr @__wm_cells.f, i64 %6
;   %8 = load i64, ptr %waymark.delta, align 8
;   %9 = getelementptr i8, ptr %7, i64 %8
;   call void asm "incq $0"(ptr elementtype(i64) %9, ptr elementtype(i64) %9)
;   ret void
; }
