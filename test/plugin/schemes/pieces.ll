; Paths over so many iterations that they are named by pieces: each iteration is handed to the runtime, and the end is, unless
; the path is alone without a piece.
; WAYMARK_SCHEME=kiter=64
define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %odd = trunc i32 %i to i1
  br i1 %odd, label %then, label %latch
then:
  br label %latch
latch:
  %next = add i32 %i, 1
  br label %head
end:
  ret i32 %i
}
; ---- becomes
; @__wm_cells.f = private global [0 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) {
; entry:
;   %waymark.pieces = alloca [68 x i64], align 8
;   %waymark.path = alloca i64, align 8
;   %0 = getelementptr i64, ptr %waymark.pieces, i64 0
;   store i64 0, ptr %0, align 8
;   %1 = getelementptr i64, ptr %waymark.pieces, i64 1
;   store i64 -1, ptr %1, align 8
;   %2 = getelementptr i64, ptr %waymark.pieces, i64 2
;   store i64 0, ptr %2, align 8
;   store i64 0, ptr %waymark.path, align 8
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %latch ]
;   %more = icmp slt i32 %i, %n
;   br i1 %more, label %body, label %end
;
; body:
;   %odd = trunc i32 %i to i1
;   br i1 %odd, label %then, label %body.latch_crit_edge
;
; body.latch_crit_edge:
;   %3 = load i64, ptr %waymark.path, align 8
;   %4 = add i64 %3, 1
;   store i64 %4, ptr %waymark.path, align 8
;   br label %latch
;
; then:
;   br label %latch
;
; latch:
;   %next = add i32 %i, 1
;   %5 = load i64, ptr %waymark.path, align 8
;   call preserve_mostcc void @__wm_sequence_push(ptr @__wm_func.f, ptr @__wm_head.f, ptr %waymark.pieces, i64 274877906944, i64 %5)
;   store i64 3, ptr %waymark.path, align 8
;   br label %head
;
; end:
;   %6 = load i64, ptr %waymark.path, align 8
;   %7 = load i64, ptr %waymark.pieces, align 8
;   %8 = icmp eq i64 %7, 0
;   br i1 %8, label %9, label %11, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 9:
;   %10 = add i64 %6, 4611686018427387906
;   call preserve_mostcc void @__wm_cold.f(i64 %10)
;   br label %13
;
; 11:
;   %12 = add i64 %6, 2
;   call preserve_mostcc void @__wm_sequence_end(ptr @__wm_func.f, ptr @__wm_head.f, ptr %waymark.pieces, i64 %12)
;   br label %13
;
; 13:
;   ret i32 %i
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
