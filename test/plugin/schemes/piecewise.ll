; Paths across calls, without the context: a function that is called.  It takes the number of its caller from the mailbox if the call was
; crossed, adds the pair of the edge to ⟨A, B⟩, and replies with its own number, or counts it if it was not crossed into.
; WAYMARK_SCHEME=piecewise
define void @f(i1 %c) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
; ---- becomes
; @__wm_cells.f = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define void @f(i1 %c) {
; entry:
;   %waymark.crossed = alloca i64, align 8
;   %waymark.saved.x = alloca i64, align 8
;   %waymark.saved.n = alloca i64, align 8
;   %waymark.restarted = alloca i64, align 8
;   %waymark.origin = alloca i64, align 8
;   %waymark.b = alloca i64, align 8
;   %waymark.a = alloca i64, align 8
;   %waymark.x = alloca i64, align 8
;   %0 = load i64, ptr @__wm_unit.f, align 8, !invariant.load !0
;   %1 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   %2 = icmp eq i64 %1, %0
;   br i1 %2, label %3, label %9, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 3:
;   %4 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   %5 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   %6 = zext i1 %2 to i64
;   store i64 %6, ptr %waymark.crossed, align 8
;   store i64 %4, ptr %waymark.saved.n, align 8
;   store i64 %5, ptr %waymark.saved.x, align 8
;   %7 = load i64, ptr %waymark.saved.n, align 8
;   store i64 %7, ptr %waymark.origin, align 8
;   %8 = load i64, ptr %waymark.saved.x, align 8
;   store i64 %8, ptr %waymark.x, align 8
;   br label %16
;
; 9:
;   %10 = phi i64 [ undef, %entry ]
;   %11 = zext i1 false to i64
;   store i64 %11, ptr %waymark.crossed, align 8
;   store i64 %10, ptr %waymark.saved.n, align 8
;   store i64 %10, ptr %waymark.saved.x, align 8
;   %12 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 8), align 8, !invariant.load !0
;   store i64 %12, ptr %waymark.origin, align 8
;   store i64 1, ptr %waymark.x, align 8
;   call void asm "incq %gs:$0"(ptr nonnull elementtype(i64) @__wm_cells.f, ptr nonnull elementtype(i64) @__wm_cells.f)
;   %13 = icmp slt i64 %1, -2
;   br i1 %13, label %14, label %16, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 14:
;   %15 = and i64 %1, 9223372036854775807
;   store volatile i64 %15, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   br label %16
;
; 16:
;   store i64 0, ptr %waymark.restarted, align 8
;   store i64 0, ptr %waymark.a, align 8
;   %17 = load i64, ptr %waymark.origin, align 8
;   store i64 %17, ptr %waymark.b, align 8
;   br i1 %c, label %end, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   %18 = load i64, ptr %waymark.a, align 8
;   %19 = add i64 %18, 1
;   store i64 %19, ptr %waymark.a, align 8
;   br label %end
;
; end:
;   %20 = load i64, ptr %waymark.a, align 8
;   %21 = load i64, ptr %waymark.b, align 8
;   %22 = load i64, ptr %waymark.x, align 8
;   %23 = mul i64 %20, %22
;   %24 = add i64 %23, %21
;   %25 = load i64, ptr %waymark.crossed, align 8
;   %.not = icmp eq i64 %25, 0
;   br i1 %.not, label %26, label %.thread2, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 26:
;   %27 = load i64, ptr %waymark.restarted, align 8
;   %28 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 24), align 8, !invariant.load !0
;   %29 = and i64 %27, %28
;   %30 = add i64 %24, %29
;   %31 = mul i64 %30, -7046029254386353131
;   %32 = add i64 %31, -7046029254386353131
;   %33 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.f to i64) to ptr addrspace(256)), align 8
;   %34 = icmp eq i64 %33, 0
;   %35 = select i1 %34, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %33
;   %36 = and i64 %35, 63
;   %37 = and i64 %35, -64
;   %38 = lshr i64 %32, %36
;   %39 = shl i64 %38, 4
;   %40 = inttoptr i64 %37 to ptr
;   %41 = getelementptr i8, ptr %40, i64 %39
;   %42 = load i64, ptr %41, align 8
;   %43 = icmp eq i64 %42, %32
;   br i1 %43, label %44, label %46, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 44:
;   %45 = getelementptr i8, ptr %41, i64 8
;   call void asm "incq $0"(ptr elementtype(i64) %45, ptr elementtype(i64) %45)
;   br label %47
;
; 46:
;   call preserve_mostcc void @__wm_hash_add(ptr nonnull @__wm_func.f, ptr nonnull @__wm_head.f, i64 %30, i64 1)
;   br label %47
;
; 47:
;   %.pr = load i64, ptr %waymark.crossed, align 8
;   %.not1 = icmp eq i64 %.pr, 0
;   br i1 %.not1, label %50, label %.thread2, !prof is !{!"branch_weights", i32 -2147483648, i32 0}
;
; .thread2:
;   %48 = load i64, ptr %waymark.restarted, align 8
;   %49 = add i64 %48, -1
;   store volatile i64 %49, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %24, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   br label %50
;
; 50:
;   ret void
; }
