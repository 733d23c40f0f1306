; An indirectbr to a block that others enter too: the others enter a copy of its PHI nodes, so that the block itself, whose
; address is taken, is entered by the indirectbr alone.
define i32 @f(i1 %c, ptr %where) {
entry:
  br i1 %c, label %end, label %jump
jump:
  indirectbr ptr %where, [label %left, label %end]
left:
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 1, %jump ], [ 2, %left ]
  ret i32 %r
}
@labels = global [2 x ptr] [ptr blockaddress(@f, %left), ptr blockaddress(@f, %end)]
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i1 %c, ptr %where) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %entry.end.clone_crit_edge, label %jump
;
; entry.end.clone_crit_edge:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end.clone
;
; jump:
;   indirectbr ptr %where, [label %left, label %end]
;
; left:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end.clone
;
; end:
;   %ind = phi i32 [ 1, %jump ]
;   store i64 2, ptr %waymark.path, align 8
;   br label %.split
;
; .split:
;   %merge = phi i32 [ %ind, %end ], [ %r.clone, %end.clone ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %merge
;
; end.clone:
;   %r.clone = phi i32 [ 0, %entry.end.clone_crit_edge ], [ 2, %left ]
;   br label %.split
; }
