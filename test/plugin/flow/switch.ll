; A switch with three ways out: the cases that share a block are one edge. The paths are other 0, zero 1, few 2.
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %other [
    i32 0, label %zero
    i32 1, label %few
    i32 2, label %few
  ]
zero:
  br label %end
few:
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ 0, %zero ], [ 1, %few ], [ 2, %other ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   switch i32 %n, label %other [
;     i32 0, label %zero
;     i32 1, label %few
;     i32 2, label %few
;   ]
;
; zero:
;   store i64 -1, ptr %waymark.path, align 8
;   br label %end
;
; few:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; other:
;   store i64 -2, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 0, %zero ], [ 1, %few ], [ 2, %other ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 2
;   %2 = add i64 %1, 0
;   %3 = getelementptr i64, ptr @__wm_cells.f, i64 %2
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %3, ptr elementtype(i64) %3)
;   ret i32 %r
; }
