; A block that nothing reaches belongs to no path and gets no probe.
define void @f() {
entry:
  ret void
dead:
  br label %dead
}
; ---- becomes
; @__wm_cells.f = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f() {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   ret void
;
; dead:
;   br label %dead
; }
