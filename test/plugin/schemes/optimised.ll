; The graph after optimisation: the path register is no memory, and the values of edges are operands of a PHI node.
; WAYMARK_CFG=optimised
; passes: default<O1>
@flag = global i32 0
define i32 @f() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %v = load volatile i32, ptr @flag
  switch i32 %v, label %latch [
    i32 0, label %end
    i32 1, label %write
  ]
write:
  store volatile i32 %i, ptr @flag
  br label %latch
latch:
  %next = add i32 %i, 1
  br label %head
end:
  ret i32 %i
}
; ---- becomes
; @__wm_cells.f = private global [6 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f() local_unnamed_addr {
; entry:
;   br label %head
;
; head:
;   %waymark.path.0 = phi i64 [ 0, %entry ], [ 3, %latch ]
;   %i = phi i32 [ 0, %entry ], [ %next, %latch ]
;   %v = load volatile i32, ptr @flag, align 4
;   switch i32 %v, label %latch [
;     i32 0, label %end
;     i32 1, label %write
;   ]
;
; write:
;   %0 = add i64 %waymark.path.0, 2
;   store volatile i32 %i, ptr @flag, align 4
;   br label %latch
;
; latch:
;   %waymark.path.1 = phi i64 [ %waymark.path.0, %head ], [ %0, %write ]
;   %next = add i32 %i, 1
;   %1 = add i64 %waymark.path.1, 0
;   %2 = getelementptr i64, ptr @__wm_cells.f, i64 %1
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %2, ptr elementtype(i64) %2)
;   br label %head
;
; end:
;   %3 = add i64 %waymark.path.0, 1
;   %4 = add i64 %3, 0
;   %5 = getelementptr i64, ptr @__wm_cells.f, i64 %4
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %5, ptr elementtype(i64) %5)
;   ret i32 %i
; }
