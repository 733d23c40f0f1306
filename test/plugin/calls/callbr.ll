; The edges of a callbr (asm goto): their values are set in the blocks that they enter.
define i32 @f(i32 %n) {
entry:
  callbr void asm sideeffect "", "r,!i"(i32 %n) to label %direct [label %indirect]
direct:
  br label %end
indirect:
  br label %end
end:
  %r = phi i32 [ 0, %direct ], [ 1, %indirect ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   callbr void asm sideeffect "", "r,!i"(i32 %n)
;           to label %direct [label %indirect]
;
; direct:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; indirect:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 0, %direct ], [ 1, %indirect ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %r
; }
