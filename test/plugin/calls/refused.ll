; Functions that are left alone: a coroutine that is not split yet, a naked function, and one that its author excludes. Of an
; inline function that another file defines, this file counts a copy of its own.
define void @coroutine() presplitcoroutine {
  ret void
}
define void @bare() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}
define void @excluded() noprofile {
  ret void
}
define available_externally void @elsewhere() {
  ret void
}
define void @instrumented() {
  ret void
}
; ---- becomes
; @__wm_cells.instrumented = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; @__wm_cells.elsewhere.copy = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @coroutine() {
;   ret void
; }
;
; define void @bare() {
;   call void asm sideeffect "ret", ""()
;   unreachable
; }
;
; define void @excluded() {
;   ret void
; }
;
; define void @instrumented() {
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.instrumented, ptr elementtype(i64) @__wm_cells.instrumented)
;   ret void
; }
;
; define internal void @elsewhere.copy() {
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.elsewhere.copy, ptr elementtype(i64) @__wm_cells.elsewhere.copy)
;   ret void
; }
