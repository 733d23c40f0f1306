; The edges of an indirectbr cannot be split: their values are set in the blocks that they enter.
define i32 @f(ptr %where) {
entry:
  indirectbr ptr %where, [label %left, label %right]
left:
  br label %end
right:
  br label %end
end:
  %r = phi i32 [ 1, %left ], [ 2, %right ]
  ret i32 %r
}
@labels = global [2 x ptr] [ptr blockaddress(@f, %left), ptr blockaddress(@f, %right)]
; ---- becomes
; @__wm_cells.f = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(ptr %where) {
; entry:
;   %waymark.path = alloca i64, align 8
;   indirectbr ptr %where, [label %left, label %right]
;
; left:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; right:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 1, %left ], [ 2, %right ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %r
; }
