; The last operand of && that is used as a value becomes a branch, and so two paths.
; WAYMARK_CONDITIONS=values
define i32 @f(i1 %a, i1 %b) {
entry:
  br i1 %a, label %land.rhs, label %land.end
land.rhs:
  br label %land.end
land.end:
  %both = phi i1 [ false, %entry ], [ %b, %land.rhs ]
  %r = zext i1 %both to i32
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [3 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i1 %a, i1 %b) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %a, label %land.rhs, label %entry.land.end_crit_edge
;
; entry.land.end_crit_edge:
;   store i64 0, ptr %waymark.path, align 8
;   br label %land.end
;
; land.rhs:
;   %0 = freeze i1 %b
;   br i1 %0, label %waymark.true, label %waymark.false
;
; waymark.true:
;   store i64 -2, ptr %waymark.path, align 8
;   br label %land.end
;
; waymark.false:
;   store i64 -1, ptr %waymark.path, align 8
;   br label %land.end
;
; land.end:
;   %1 = phi i1 [ false, %entry.land.end_crit_edge ], [ true, %waymark.true ], [ false, %waymark.false ]
;   %r = zext i1 %1 to i32
;   %2 = load i64, ptr %waymark.path, align 8
;   %3 = add i64 %2, 2
;   %4 = add i64 %3, 0
;   %5 = getelementptr i64, ptr @__wm_cells.f, i64 %4
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %5, ptr elementtype(i64) %5)
;   ret i32 %r
; }
