; An invoke has two edges. The value of the second one is set behind the landingpad instruction, with which a landing pad
; begins.
declare void @g()
declare i32 @__gxx_personality_v0(...)
define i32 @f() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @g() to label %ok unwind label %caught
ok:
  br label %end
caught:
  %e = landingpad { ptr, i32 } catch ptr null
  br label %end
end:
  %r = phi i32 [ 0, %ok ], [ 1, %caught ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f() personality ptr @__gxx_personality_v0 {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   invoke void @g()
;           to label %ok unwind label %caught
;
; ok:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; caught:
;   %e = landingpad { ptr, i32 }
;           catch ptr null
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 0, %ok ], [ 1, %caught ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %r
; }
