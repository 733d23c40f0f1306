; More paths than an array may have: the number, scrambled, is looked up in the first place of a hash table, and a cold
; function does the rest.
; WAYMARK_TEST=array-limit=1
define void @f(i1 %c) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [0 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c) {
; entry:
;   %waymark.path = alloca i64, align 8
;   br i1 %c, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   store i64 1, ptr %waymark.path, align 8
;   br label %end
;
; then:
;   store i64 0, ptr %waymark.path, align 8
;   br label %end
;
; end:
;   %0 = load i64, ptr %waymark.path, align 8
;   %1 = add i64 %0, 1
;   %2 = mul i64 %1, -7046029254386353131
;   %3 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.f to i64) to ptr addrspace(256)), align 8
;   %4 = icmp eq i64 %3, 0
;   %5 = select i1 %4, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %3
;   %6 = and i64 %5, 63
;   %7 = and i64 %5, -64
;   %8 = lshr i64 %2, %6
;   %9 = mul i64 %8, 16
;   %10 = inttoptr i64 %7 to ptr
;   %11 = getelementptr i8, ptr %10, i64 %9
;   %12 = load i64, ptr %11, align 8
;   %13 = getelementptr i8, ptr %11, i64 8
;   %14 = icmp eq i64 %12, %2
;   br i1 %14, label %15, label %16, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 15:
;   call void asm "incq $0"(ptr elementtype(i64) %13, ptr elementtype(i64) %13)
;   br label %17
;
; 16:
;   call preserve_mostcc void @__wm_cold.f(i64 %0)
;   br label %17
;
; 17:
;   ret void
; }
;
; define private preserve_mostcc void @__wm_cold.f(i64 %0) {
;   %2 = add i64 %0, 1
;   %3 = mul i64 %2, -7046029254386353131
;   %4 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.f to i64) to ptr addrspace(256)), align 8
;   %5 = icmp eq i64 %4, 0
;   %6 = select i1 %5, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %4
;   %7 = and i64 %6, 63
;   %8 = and i64 %6, -64
;   %9 = lshr i64 %3, %7
;   %10 = mul i64 %9, 16
;   %11 = inttoptr i64 %8 to ptr
;   %12 = getelementptr i8, ptr %11, i64 %10
;   %13 = load i64, ptr %12, align 8
;   %14 = getelementptr i8, ptr %12, i64 8
;   %15 = icmp eq i64 %13, %3
;   br i1 %15, label %16, label %17, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 16:
;   call void asm "incq $0"(ptr elementtype(i64) %14, ptr elementtype(i64) %14)
;   br label %18
;
; 17:
;   call preserve_mostcc void @__wm_hash_add(ptr @__wm_func.f, ptr @__wm_head.f, i64 %0, i64 1)
;   br label %18
;
; 18:
;   ret void
; }
