; A cleanup that goes on unwinding: resume is an exit, and its path is counted before it.
declare void @g()
declare void @cleanup()
declare i32 @__gxx_personality_v0(...)
define void @f() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @g() to label %end unwind label %lpad
lpad:
  %e = landingpad { ptr, i32 } cleanup
  call void @cleanup()
  resume { ptr, i32 } %e
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f() personality ptr @__gxx_personality_v0 {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   invoke void @g()
;           to label %end unwind label %lpad
;
; lpad:
;   %e = landingpad { ptr, i32 }
;           cleanup
;   call void @cleanup()
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 2))
;   resume { ptr, i32 } %e
;
; end:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.f, i64 1))
;   ret void
; }
