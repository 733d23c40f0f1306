; A switch of thirty cases over three blocks, and a critical default edge, which is split. The PHI node keeps one operand per
; predecessor.
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %end [
    i32 1, label %case1
    i32 2, label %case2
    i32 3, label %case0
    i32 4, label %case1
    i32 5, label %case2
    i32 6, label %case0
    i32 7, label %case1
    i32 8, label %case2
    i32 9, label %case0
    i32 10, label %case1
    i32 11, label %case2
    i32 12, label %case0
    i32 13, label %case1
    i32 14, label %case2
    i32 15, label %case0
    i32 16, label %case1
    i32 17, label %case2
    i32 18, label %case0
    i32 19, label %case1
    i32 20, label %case2
    i32 21, label %case0
    i32 22, label %case1
    i32 23, label %case2
    i32 24, label %case0
    i32 25, label %case1
    i32 26, label %case2
    i32 27, label %case0
    i32 28, label %case1
    i32 29, label %case2
    i32 30, label %case0
  ]
case0:
  br label %end
case1:
  br label %end
case2:
  br label %end
end:
  %r = phi i32 [ -1, %entry ], [ 0, %case0 ], [ 1, %case1 ], [ 2, %case2 ]
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [4 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.path = alloca i64, align 8
;   switch i32 %n, label %entry.end_crit_edge [
;     i32 1, label %case1
;     i32 2, label %case2
;     i32 3, label %case0
;     i32 4, label %case1
;     i32 5, label %case2
;     i32 6, label %case0
;     i32 7, label %case1
;     i32 8, label %case2
;     i32 9, label %case0
;     i32 10, label %case1
;     i32 11, label %case2
;     i32 12, label %case0
;     i32 13, label %case1
;     i32 14, label %case2
;     i32 15, label %case0
;     i32 16, label %case1
;     i32 17, label %case2
;     i32 18, label %case0
;     i32 19, label %case1
;     i32 20, label %case2
;     i32 21, label %case0
;     i32 22, label %case1
;     i32 23, label %case2
;     i32 24, label %case0
;     i32 25, label %case1
;     i32 26, label %case2
;     i32 27, label %case0
;     i32 28, label %case1
;     i32 29, label %case2
;     i32 30, label %case0
;   ]
;
; entry.end_crit_edge:
;   store i64 -1, ptr %waymark.path, align 8
;   br label %end
;
; case0:
;   store i64 2, ptr %waymark.path, align 8
;   br label %end
;
; case1:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; case2:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ -1, %entry.end_crit_edge ], [ 0, %case0 ], [ 1, %case1 ], [ 2, %case2 ]
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   %2 = add i64 %1, 0
;   %3 = getelementptr i64, ptr @__wm_cells.f, i64 %2
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %3, ptr elementtype(i64) %3)
;   ret i32 %r
; }
