; Two ifs in a row: four paths, whose numbers are sums of one value of each if.
define void @f(i1 %c, i1 %d) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %join
b:
  br label %join
join:
  br i1 %d, label %x, label %y
x:
  br label %end
y:
  br label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [4 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c, i1 %d) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %a, label %b
;
; a:
;   store i64 0, ptr %waymark.path, align 8
;   br label %join
;
; b:
;   store i64 2, ptr %waymark.path, align 8
;   br label %join
;
; join:
;   br i1 %d, label %x, label %y
;
; x:
;   br label %end
;
; y:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   store i64 %1, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 0
;   %4 = getelementptr i64, ptr @__wm_cells.f, i64 %3
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %4, ptr elementtype(i64) %4)
;   ret void
; }
