; Paths that know how their loop was entered: r is saved at the entry of the loop, and restored at its back edge.
; WAYMARK_SCHEME=loopcontext
define void @f(i1 %c, i1 %d) {
entry:
  br i1 %c, label %then, label %head
then:
  br label %head
head:
  br i1 %d, label %body, label %end
body:
  br label %head
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [8 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c, i1 %d) {
; entry:
;   %waymark.context = alloca i64, align 8
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %then, label %entry.head_crit_edge
;
; entry.head_crit_edge:
;   store i64 4, ptr %waymark.path, align 8
;   %0 = load i64, ptr %waymark.path, align 8
;   store i64 %0, ptr %waymark.context, align 8
;   br label %head
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   %1 = load i64, ptr %waymark.path, align 8
;   store i64 %1, ptr %waymark.context, align 8
;   br label %head
;
; head:
;   br i1 %d, label %body, label %end
;
; body:
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 0
;   %4 = getelementptr i64, ptr @__wm_cells.f, i64 %3
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %4, ptr elementtype(i64) %4)
;   %5 = load i64, ptr %waymark.context, align 8
;   store i64 %5, ptr %waymark.path, align 8
;   %6 = load i64, ptr %waymark.path, align 8
;   %7 = add i64 %6, 2
;   store i64 %7, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %8 = load i64, ptr %waymark.path, align 8
;   %9 = add i64 %8, 1
;   %10 = add i64 %9, 0
;   %11 = getelementptr i64, ptr @__wm_cells.f, i64 %10
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %11, ptr elementtype(i64) %11)
;   ret void
; }
