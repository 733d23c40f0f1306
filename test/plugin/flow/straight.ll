; One path: its counter is known, and the path register is never written.
define void @f() {
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f() {
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   ret void
; }
