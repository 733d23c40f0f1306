; An if: two paths, so one value on one edge, and one count where the arms have joined.
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %then, label %else
then:
  br label %end
else:
  br label %end
end:
  %r = phi i32 [ 1, %then ], [ 2, %else ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [2 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %then, label %else
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; else:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 1, %then ], [ 2, %else ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 0
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   ret i32 %r
; }
