; Both edges of a branch lead to one block: they are one edge and one path, as they are one predecessor.
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %end, label %end
end:
  %r = phi i32 [ 1, %entry ], [ 1, %entry ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %end, label %end
;
; end:
;   %r = phi i32 [ 1, %entry ], [ 1, %entry ]
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   ret i32 %r
; }
