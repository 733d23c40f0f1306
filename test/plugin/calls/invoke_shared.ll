; Two invokes with one landing pad, whose edges cannot be split: each invoke gets a landing pad of its own.
declare void @g()
declare i32 @__gxx_personality_v0(...)
define i32 @f(i1 %c) personality ptr @__gxx_personality_v0 {
entry:
  br i1 %c, label %first, label %second
first:
  invoke void @g() to label %end unwind label %caught
second:
  invoke void @g() to label %end unwind label %caught
caught:
  %e = landingpad { ptr, i32 } catch ptr null
  br label %end
end:
  ret i32 0
}
; ---- becomes
; @__wm_cells.f = private global [5 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i1 %c) personality ptr @__gxx_personality_v0 {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   br i1 %c, label %first, label %second
;
; first:
;   invoke void @g()
;           to label %first.end_crit_edge unwind label %caught.waymark
;
; first.end_crit_edge:
;   store i64 -2, ptr %waymark.path, align 8
;   br label %end
;
; second:
;   invoke void @g()
;           to label %second.end_crit_edge unwind label %caught.others
;
; second.end_crit_edge:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; caught.waymark:
;   %lpad.waymark = landingpad { ptr, i32 }
;           catch ptr null
;   store i64 -1, ptr %waymark.path, align 8
;   br label %caught
;
; caught.others:
;   %lpad.others = landingpad { ptr, i32 }
;           catch ptr null
;   store i64 1, ptr %waymark.path, align 8
;   br label %caught
;
; caught:
;   br label %end
;
; end:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 2
;   %2 = add i64 %1, 1
;   %3 = getelementptr i64, ptr @__wm_cells.f, i64 %2
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %3, ptr elementtype(i64) %3)
;   ret i32 0
; }
