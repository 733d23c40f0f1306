; Volatile and atomic accesses, fences and assembly stay as they are, in their order.
define i32 @f(ptr %p, i1 %c) {
entry:
  store volatile i32 1, ptr %p
  br i1 %c, label %then, label %end
then:
  %old = atomicrmw add ptr %p, i32 1 seq_cst
  fence acquire
  call void asm sideeffect "nop", "~{memory}"()
  br label %end
end:
  %v = load atomic i32, ptr %p acquire, align 4
  %w = load volatile i32, ptr %p
  %s = add i32 %v, %w
  ret i32 %s
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(ptr %p, i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   store volatile i32 1, ptr %p, align 4
;   br i1 %c, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; then:
;   %old = atomicrmw add ptr %p, i32 1 seq_cst, align 4
;   fence acquire
;   call void asm sideeffect "nop", "~{memory}"()
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %v = load atomic i32, ptr %p acquire, align 4
;   %w = load volatile i32, ptr %p, align 4
;   %s = add i32 %v, %w
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %s
; }
