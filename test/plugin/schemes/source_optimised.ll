; The graph of the source, and optimised afterwards: the branch is gone, and the number of the path is computed from its condition.
; passes: default<O1>
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 1, %then ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define range(i32 0, 2) i32 @f(i1 %c) local_unnamed_addr {
; entry:
;   %not.c = xor i1 %c, true
;   %. = zext i1 %not.c to i64
;   %.1 = zext i1 %c to i32
;   %0 = getelementptr i64, ptr @__wm_cells.f, i64 %.
;   tail call void asm "incq %gs:$0"(ptr elementtype(i64) %0, ptr elementtype(i64) %0)
;   ret i32 %.1
; }
