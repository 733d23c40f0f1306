; Counters of all threads: an atomic addition.
; WAYMARK_UPDATE=atomic
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
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   %3 = atomicrmw add ptr %2, i64 1 monotonic, align 8
;   ret void
; }
