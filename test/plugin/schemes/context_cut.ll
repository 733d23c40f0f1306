; A call that is not crossed cuts the path: it is counted before the call, and the next path begins after it.
; WAYMARK_SCHEME=context=cut
declare void @other()
define void @f(i1 %c) {
entry:
  br i1 %c, label %then, label %end
then:
  call void @other()
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
;   %waymark.token = alloca i64, align 8
;   %waymark.origin = alloca i64, align 8
;   %waymark.b = alloca i64, align 8
;   %waymark.a = alloca i64, align 8
;   %waymark.x = alloca i64, align 8
;   %0 = load i64, ptr @__wm_unit.f, align 8, !invariant.load !0
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
;   %.ph9 = phi i64 [ %6, %4 ], [ poison, %3 ]
;   %14 = zext i1 %2 to i64
;   store i64 %14, ptr %waymark.crossed, align 8
;   store i64 %.ph, ptr %waymark.saved.n, align 8
;   store i64 %.ph9, ptr %waymark.saved.x, align 8
;   store i64 %1, ptr %waymark.token, align 8
;   %15 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 8), align 8, !invariant.load !0
;   store i64 %15, ptr %waymark.origin, align 8
;   store i64 1, ptr %waymark.x, align 8
;   call void asm "incq %gs:$0"(ptr nonnull elementtype(i64) @__wm_cells.f, ptr nonnull elementtype(i64) @__wm_cells.f)
;   br label %16
;
; 16:
;   store i64 0, ptr %waymark.a, align 8
;   %17 = load i64, ptr %waymark.origin, align 8
;   store i64 %17, ptr %waymark.b, align 8
;   br i1 %c, label %then, label %entry.end_crit_edge
;
; entry.end_crit_edge:
;   %18 = load i64, ptr %waymark.a, align 8
;   %19 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 96), align 8, !invariant.load !0
;   %20 = add i64 %18, %19
;   store i64 %20, ptr %waymark.a, align 8
;   %21 = load i64, ptr %waymark.b, align 8
;   %22 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 104), align 8, !invariant.load !0
;   %23 = add i64 %21, %22
;   br label %end
;
; then:
;   %24 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 32), align 8, !invariant.load !0
;   %25 = icmp eq i64 %24, 0
;   br i1 %25, label %26, label %.thread10, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 26:
;   %27 = load i64, ptr %waymark.a, align 8
;   %28 = load i64, ptr %waymark.b, align 8
;   %29 = load i64, ptr %waymark.x, align 8
;   %30 = mul i64 %27, %29
;   %31 = add i64 %30, %28
;   %32 = mul i64 %31, -7046029254386353131
;   %33 = add i64 %32, -7046029254386353131
;   %34 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.f to i64) to ptr addrspace(256)), align 8
;   %35 = icmp eq i64 %34, 0
;   %36 = select i1 %35, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %34
;   %37 = and i64 %36, 63
;   %38 = and i64 %36, -64
;   %39 = lshr i64 %33, %37
;   %40 = shl i64 %39, 4
;   %41 = inttoptr i64 %38 to ptr
;   %42 = getelementptr i8, ptr %41, i64 %40
;   %43 = load i64, ptr %42, align 8
;   %44 = icmp eq i64 %43, %33
;   br i1 %44, label %45, label %47, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 45:
;   %46 = getelementptr i8, ptr %42, i64 8
;   call void asm "incq $0"(ptr elementtype(i64) %46, ptr elementtype(i64) %46)
;   br label %48
;
; 47:
;   call preserve_mostcc void @__wm_hash_add(ptr nonnull @__wm_func.f, ptr nonnull @__wm_head.f, i64 %31, i64 1)
;   br label %48
;
; 48:
;   %.pr = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 32), align 8
;   %.not1 = icmp eq i64 %.pr, 0
;   br i1 %.not1, label %60, label %.thread10, !prof is !{!"branch_weights", i32 -2147483648, i32 0}
;
; .thread10:
;   %49 = phi i64 [ %.pr, %48 ], [ %24, %then ]
;   %50 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 40), align 8, !invariant.load !0
;   %51 = load i64, ptr %waymark.x, align 8
;   %52 = mul i64 %50, %51
;   %53 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 48), align 8, !invariant.load !0
;   %54 = add i64 %52, %53
;   %55 = load i64, ptr %waymark.a, align 8
;   %56 = load i64, ptr %waymark.x, align 8
;   %57 = mul i64 %55, %56
;   %58 = load i64, ptr %waymark.b, align 8
;   %59 = add i64 %57, %58
;   store volatile i64 %49, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %59, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 %54, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   %.pr12 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 32), align 8
;   br label %60
;
; 60:
;   %61 = phi i64 [ %.pr, %48 ], [ %.pr12, %.thread10 ]
;   call void @other()
;   %62 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   %63 = icmp eq i64 %62, -1
;   br i1 %63, label %67, label %64, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 64:
;   %.not2 = icmp eq i64 %61, 0
;   br i1 %.not2, label %69, label %65, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 65:
;   %66 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   br label %69
;
; 67:
;   %68 = load volatile i64, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 0, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store i64 0, ptr %waymark.a, align 8
;   br label %end
;
; 69:
;   %70 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 32), align 8, !invariant.load !0
;   %.not3 = icmp eq i64 %70, 0
;   br i1 %.not3, label %72, label %71, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 71:
;   store i64 0, ptr %waymark.a, align 8
;   br label %end
;
; 72:
;   %73 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 88), align 8, !invariant.load !0
;   %74 = load i64, ptr getelementptr inbounds (i8, ptr @__wm_unit.f, i64 80), align 8, !invariant.load !0
;   store i64 %74, ptr %waymark.a, align 8
;   %75 = load i64, ptr %waymark.origin, align 8
;   %76 = add i64 %73, %75
;   br label %end
;
; end:
;   %storemerge5 = phi i64 [ %23, %entry.end_crit_edge ], [ %68, %67 ], [ %76, %72 ], [ -9223372036854775808, %71 ]
;   store i64 %storemerge5, ptr %waymark.b, align 8
;   %77 = load i64, ptr %waymark.a, align 8
;   %78 = load i64, ptr %waymark.x, align 8
;   %79 = mul i64 %77, %78
;   %80 = add i64 %79, %storemerge5
;   %81 = load i64, ptr %waymark.crossed, align 8
;   %.not6 = icmp eq i64 %81, 0
;   br i1 %.not6, label %82, label %.thread18, !prof is !{!"branch_weights", i32 1, i32 1048575}
;
; 82:
;   %83 = mul i64 %80, -7046029254386353131
;   %84 = add i64 %83, -7046029254386353131
;   %85 = load i64, ptr addrspace(256) inttoptr (i64 ptrtoint (ptr @__wm_head.f to i64) to ptr addrspace(256)), align 8
;   %86 = icmp eq i64 %85, 0
;   %87 = select i1 %86, i64 add (i64 ptrtoint (ptr @__wm_empty_table to i64), i64 63), i64 %85
;   %88 = and i64 %87, 63
;   %89 = and i64 %87, -64
;   %90 = lshr i64 %84, %88
;   %91 = shl i64 %90, 4
;   %92 = inttoptr i64 %89 to ptr
;   %93 = getelementptr i8, ptr %92, i64 %91
;   %94 = load i64, ptr %93, align 8
;   %95 = icmp eq i64 %94, %84
;   br i1 %95, label %96, label %98, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 96:
;   %97 = getelementptr i8, ptr %93, i64 8
;   call void asm "incq $0"(ptr elementtype(i64) %97, ptr elementtype(i64) %97)
;   br label %99
;
; 98:
;   call preserve_mostcc void @__wm_hash_add(ptr nonnull @__wm_func.f, ptr nonnull @__wm_head.f, i64 %80, i64 1)
;   br label %99
;
; 99:
;   %100 = load i64, ptr %waymark.token, align 8
;   %.not7 = icmp eq i64 %100, 0
;   br i1 %.not7, label %107, label %101, !prof is !{!"branch_weights", i32 1048575, i32 1}
;
; 101:
;   %102 = icmp slt i64 %100, -2
;   %103 = and i64 %100, 9223372036854775807
;   %104 = select i1 %102, i64 %103, i64 %100
;   %105 = load i64, ptr %waymark.saved.n, align 8
;   %106 = load i64, ptr %waymark.saved.x, align 8
;   store volatile i64 %104, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %105, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   store volatile i64 %106, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 24), align 8
;   br label %107
;
; 107:
;   %.pr17 = load i64, ptr %waymark.crossed, align 8
;   %.not8 = icmp eq i64 %.pr17, 0
;   br i1 %.not8, label %108, label %.thread18, !prof is !{!"branch_weights", i32 -2147483648, i32 0}
;
; .thread18:
;   store volatile i64 -1, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 8), align 8
;   store volatile i64 %80, ptr getelementptr inbounds (i8, ptr @__wm_thread, i64 16), align 8
;   br label %108
;
; 108:
;   ret void
; }
