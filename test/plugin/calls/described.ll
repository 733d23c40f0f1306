; Described calls: the bundle has the key of the function, the call site + 1, what is missing in the register, the bits of the sum, and the
; register.  Before @stop the path has ended.  The sum before @first is a constant.
; WAYMARK_UNFINISHED=on
declare void @first(i32)
declare i32 @second(i32)
declare void @returns(i32) nounwind willreturn
declare void @stop() noreturn
define i32 @f(i32 %n) {
entry:
  call void @first(i32 %n)
  %c = icmp eq i32 %n, 0
  br i1 %c, label %left, label %right
left:
  call void @returns(i32 %n)
  br label %join
right:
  br label %join
join:
  %r = call i32 @second(i32 %n)
  %d = icmp eq i32 %r, 0
  br i1 %d, label %dead, label %end
dead:
  call void @stop()
  unreachable
end:
  ret i32 %r
}
; ---- becomes
; @__wm_cells.f = private global [5 x i64] zeroinitializer, section ".bss.wm_cells", align 8
;
; define i32 @f(i32 %n) gc "waymark" {
; entry:
;   %waymark.path = alloca i64, align 8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) @__wm_cells.f, ptr elementtype(i64) @__wm_cells.f)
;   call void @first(i32 %n) [ "deopt"(i32 870806410, i32 592498346, i32 1, i32 0, i32 0, i32 64, i32 0) ]
;   %c = icmp eq i32 %n, 0
;   br i1 %c, label %left, label %right
;
; left:
;   call void @returns(i32 %n)
;   store i64 -2, ptr %waymark.path, align 8
;   br label %join
;
; right:
;   store i64 0, ptr %waymark.path, align 8
;   br label %join
;
; join:
;   %0 = load i64, ptr %waymark.path, align 8
;   %r = call i32 @second(i32 %n) [ "deopt"(i32 870806410, i32 592498346, i32 3, i32 2, i32 0, i32 64, i64 %0) ]
;   %d = icmp eq i32 %r, 0
;   br i1 %d, label %dead, label %end
;
; dead:
;   %1 = load i64, ptr %waymark.path, align 8
;   %2 = add i64 %1, 2
;   %3 = add i64 %2, 1
;   %4 = getelementptr i64, ptr @__wm_cells.f, i64 %3
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %4, ptr elementtype(i64) %4)
;   %5 = load i64, ptr %waymark.path, align 8
;   call void @stop() [ "deopt"(i32 870806410, i32 592498346, i32 1073741828, i32 2, i32 0, i32 64, i64 %5) ]
;   unreachable
;
; end:
;   %6 = load i64, ptr %waymark.path, align 8
;   %7 = add i64 %6, 3
;   %8 = add i64 %7, 1
;   %9 = getelementptr i64, ptr @__wm_cells.f, i64 %8
;   call void asm "incq %gs:$0"(ptr elementtype(i64) %9, ptr elementtype(i64) %9)
;   ret i32 %r
; }
