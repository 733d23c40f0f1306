; Paths across calls, with the context of the caller: the caller puts its number and the token of the callee into the mailbox
; of the thread, and the callee goes on from that number and replies with its own. A call that was not crossed counts its path
; in a hash table.
; WAYMARK_SCHEME=context
define internal i32 @callee(i32 %n) {
entry:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %then, label %end
then:
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 1, %then ]
  ret i32 %r
}
define i32 @caller(i32 %n) {
entry:
  %r = call i32 @callee(i32 %n)
  ret i32 %r
}
; ---- becomes
; @__wm_cells.callee = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; @__wm_cells.caller = private global [1 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define internal i32 @callee(i32 %n) {
; entry:
;   %waymark.crossed = alloca i64, align 8
;   %waymark.saved.x = alloca i64, align 8
;   %waymark.saved.n = alloca i64, align 8
;   %waymark.origin = alloca i64, align 8
;   %waymark.b = alloca i64, align 8
;   %waymark.a = alloca i64, align 8
;   %waymark.x = alloca i64, align 8
;   %0 = load i64, ptr @__wm_unit.callee, align 8, !invariant.load !0
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
;   %12 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.callee, i64 8), align 8, !invariant.load !0
;   store i64 %12, ptr %waymark.origin, align 8
;   store i64 1, ptr %waymark.x, align 8
;   call void asm "incq %gs:$0"(ptr nonnull elementtype(i64) @__wm_cells.callee, ptr nonnull elementtype(i64) @__wm_cells.callee)
;   %13 = icmp slt i64 %1, -2
;   br i1 %13, label %14, label %16, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 14:
;   %15 = and i64 %1, 9223372036854775807
;   store volatile i64 %15, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   br label %16
;
; 16:
;   store i64 0, ptr %waymark.a, align 8
;   %17 = load i64, ptr %waymark.origin, align 8
;   store i64 %17, ptr %waymark.b, align 8
;   %odd = trunc i32 %n to i1
;   br i1 %odd, label %end, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   %18 = load i64, ptr %waymark.a, align 8
;   %19 = add i64 %18, 1
;   store i64 %19, ptr %waymark.a, align 8
;   br label %end
;
; end:
;   %r = phi i32 [ 0, %entry.end_crit_edge ], [ 1, %16 ]
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
;   %27 = mul i64 %24, -7046029254386353131
;   %28 = add i64 %27, -7046029254386353131
;   %29 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.callee to i64) to ptr addrspace(256)), align 8
;   %30 = icmp eq i64 %29, 0
;   %31 = select i1 %30, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %29
;   %32 = and i64 %31, 63
;   %33 = and i64 %31, -64
;   %34 = lshr i64 %28, %32
;   %35 = shl i64 %34, 4
;   %36 = inttoptr i64 %33 to ptr
;   %37 = getelementptr i8, ptr %36, i64 %35
;   %38 = load i64, ptr %37, align 8
;   %39 = icmp eq i64 %38, %28
;   br i1 %39, label %40, label %42, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 40:
;   %41 = getelementptr i8, ptr %37, i64 8
;   call void asm "incq $0"(ptr elementtype(i64) %41, ptr elementtype(i64) %41)
;   br label %43
;
; 42:
;   call preserve_mostcc void @__wm_hash_add(ptr nonnull @__wm_func.callee, ptr nonnull @__wm_head.callee, i64 %24, i64 1)
;   br label %43
;
; 43:
;   %.pr = load i64, ptr %waymark.crossed, align 8
;   %.not1 = icmp eq i64 %.pr, 0
;   br i1 %.not1, label %44, label %.thread2, !prof is !{!"branch_weights", i32 -2147483648, i32 0}
;
; .thread2:
;   store volatile i64 -1, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %24, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   br label %44
;
; 44:
;   ret i32 %r
; }
;
; define i32 @caller(i32 %n) {
; entry:
;   %waymark.crossed = alloca i64, align 8
;   %waymark.saved.x = alloca i64, align 8
;   %waymark.saved.n = alloca i64, align 8
;   %waymark.token = alloca i64, align 8
;   %waymark.origin = alloca i64, align 8
;   %waymark.b = alloca i64, align 8
;   %waymark.a = alloca i64, align 8
;   %waymark.x = alloca i64, align 8
;   %0 = load i64, ptr @__wm_unit.caller, align 8, !invariant.load !0
;   %1 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   %2 = icmp eq i64 %1, %0
;   br i1 %2, label %7, label %3, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 3:
;   %.not = icmp eq i64 %1, 0
;   br i1 %.not, label %13, label %4, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 4:
;   %5 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   %6 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   br label %13
;
; 7:
;   %8 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   %9 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   %10 = zext i1 true to i64
;   store i64 %10, ptr %waymark.crossed, align 8
;   store i64 %8, ptr %waymark.saved.n, align 8
;   store i64 %9, ptr %waymark.saved.x, align 8
;   store i64 %1, ptr %waymark.token, align 8
;   %11 = load i64, ptr %waymark.saved.n, align 8
;   store i64 %11, ptr %waymark.origin, align 8
;   %12 = load i64, ptr %waymark.saved.x, align 8
;   store i64 %12, ptr %waymark.x, align 8
;   br label %16
;
; 13:
;   %.ph = phi i64 [ %5, %4 ], [ poison, %3 ]
;   %.ph7 = phi i64 [ %6, %4 ], [ poison, %3 ]
;   %14 = zext i1 %2 to i64
;   store i64 %14, ptr %waymark.crossed, align 8
;   store i64 %.ph, ptr %waymark.saved.n, align 8
;   store i64 %.ph7, ptr %waymark.saved.x, align 8
;   store i64 %1, ptr %waymark.token, align 8
;   %15 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.caller, i64 8), align 8, !invariant.load !0
;   store i64 %15, ptr %waymark.origin, align 8
;   store i64 1, ptr %waymark.x, align 8
;   call void asm "incq %gs:$0"(ptr nonnull elementtype(i64) @__wm_cells.caller, ptr nonnull elementtype(i64) @__wm_cells.caller)
;   br label %16
;
; 16:
;   store i64 0, ptr %waymark.a, align 8
;   %17 = load i64, ptr %waymark.origin, align 8
;   store i64 %17, ptr %waymark.b, align 8
;   %18 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.caller, i64 32), align 8, !invariant.load !0
;   %.not1 = icmp eq i64 %18, 0
;   br i1 %.not1, label %25, label %19, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 19:
;   %20 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.caller, i64 40), align 8, !invariant.load !0
;   %21 = load i64, ptr %waymark.x, align 8
;   %22 = mul i64 %20, %21
;   %23 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.caller, i64 48), align 8, !invariant.load !0
;   %24 = add i64 %22, %23
;   store volatile i64 %18, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %17, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 %24, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   %.pr = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.caller, i64 32), align 8
;   br label %25
;
; 25:
;   %26 = phi i64 [ %18, %16 ], [ %.pr, %19 ]
;   %r = call i32 @callee(i32 %n)
;   %27 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   %28 = icmp eq i64 %27, -1
;   br i1 %28, label %32, label %29, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 29:
;   %.not2 = icmp eq i64 %26, 0
;   br i1 %.not2, label %34, label %30, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 30:
;   %31 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   br label %34
;
; 32:
;   %33 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store i64 0, ptr %waymark.a, align 8
;   store i64 %33, ptr %waymark.b, align 8
;   br label %37
;
; 34:
;   %35 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.caller, i64 32), align 8, !invariant.load !0
;   %.not3 = icmp eq i64 %35, 0
;   br i1 %.not3, label %37, label %36, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 36:
;   store i64 0, ptr %waymark.a, align 8
;   store i64 -9223372036854775808, ptr %waymark.b, align 8
;   br label %37
;
; 37:
;   %38 = load i64, ptr %waymark.a, align 8
;   %39 = load i64, ptr %waymark.b, align 8
;   %40 = load i64, ptr %waymark.x, align 8
;   %41 = mul i64 %38, %40
;   %42 = add i64 %41, %39
;   %43 = load i64, ptr %waymark.crossed, align 8
;   %.not4 = icmp eq i64 %43, 0
;   br i1 %.not4, label %44, label %.thread12, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 44:
;   %45 = mul i64 %42, -7046029254386353131
;   %46 = add i64 %45, -7046029254386353131
;   %47 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.caller to i64) to ptr addrspace(256)), align 8
;   %48 = icmp eq i64 %47, 0
;   %49 = select i1 %48, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %47
;   %50 = and i64 %49, 63
;   %51 = and i64 %49, -64
;   %52 = lshr i64 %46, %50
;   %53 = shl i64 %52, 4
;   %54 = inttoptr i64 %51 to ptr
;   %55 = getelementptr i8, ptr %54, i64 %53
;   %56 = load i64, ptr %55, align 8
;   %57 = icmp eq i64 %56, %46
;   br i1 %57, label %58, label %60, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 58:
;   %59 = getelementptr i8, ptr %55, i64 8
;   call void asm "incq $0"(ptr elementtype(i64) %59, ptr elementtype(i64) %59)
;   br label %61
;
; 60:
;   call preserve_mostcc void @__wm_hash_add(ptr nonnull @__wm_func.caller, ptr nonnull @__wm_head.caller, i64 %42, i64 1)
;   br label %61
;
; 61:
;   %62 = load i64, ptr %waymark.token, align 8
;   %.not5 = icmp eq i64 %62, 0
;   br i1 %.not5, label %69, label %63, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 63:
;   %64 = icmp slt i64 %62, -2
;   %65 = and i64 %62, 9223372036854775807
;   %66 = select i1 %64, i64 %65, i64 %62
;   %67 = load i64, ptr %waymark.saved.n, align 8
;   %68 = load i64, ptr %waymark.saved.x, align 8
;   store volatile i64 %66, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %67, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 %68, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   br label %69
;
; 69:
;   %.pr11 = load i64, ptr %waymark.crossed, align 8
;   %.not6 = icmp eq i64 %.pr11, 0
;   br i1 %.not6, label %70, label %.thread12, !prof is !{!"branch_weights", i32 -2147483648, i32 0}
;
; .thread12:
;   store volatile i64 -1, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %42, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   br label %70
;
; 70:
;   ret i32 %r
; }
