; Where a function that goes on to unwind is inlined, its caller is left in a call of _Unwind_Resume, which has the bundles of both.
; WAYMARK_UNFINISHED=on
declare void @callee()
declare i32 @__gxx_personality_v0(...)
define internal void @inner() alwaysinline personality ptr @__gxx_personality_v0 {
entry:
  invoke void @callee() to label %end unwind label %pad
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
end:
  ret void
}
define void @outer(i32 %n) {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %call, label %end
call:
  call void @inner()
  br label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.inner = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; @__wm_cells.outer = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @outer(i32 %n) gc "waymark" personality ptr @__gxx_personality_v0 {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.outer, ptr elementtype(i64) @__wm_cells.outer)
;   %c = icmp eq i32 %n, 0
;   br i1 %c, label %call, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; call:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.inner, ptr elementtype(i64) @__wm_cells.inner)
;   invoke void @callee() [ "deopt"(i32 -1354212617, i32 -1944967509, i32 1, i32 0, i32 0, i32 64, i32 0, i32 -206823867, i32 1083946930, i32 536870913, i32 0, i32 0, i32 64, i32 0) ]
;           to label %inner.exit unwind label %pad.i
;
; pad.i:
;   %e.i = landingpad { ptr, i32 }
;           cleanup
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.inner, i64 2), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.inner, i64 2))
;   %0 = extractvalue { ptr, i32 } %e.i, 0
;   call void @_Unwind_Resume(ptr %0) [ "deopt"(i32 -1354212617, i32 -1944967509, i32 1, i32 0, i32 0, i32 64, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0) ]
;   unreachable
;
; inner.exit:
;   call void asm "incq %gs:$0"(ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.inner, i64 1), ptr elementtype(i64) getelementptr (i64, ptr @__wm_cells.inner, i64 1))
;   store i64 -1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %1 = load i64, ptr %waymark.path, align 8
;   %2 = add i64 %1, 1
;   %3 = add i64 %2, 1
;   %4 = getelementptr i64, ptr @__wm_cells.outer, i64 %3
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %4, ptr elementtype(i64) %4)
;   ret void
; }
