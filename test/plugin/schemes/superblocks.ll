; A profile that is used: the outcome of the second branch follows from the first one, so the blocks behind the first are copied, and
; each copy has one outcome.
; profile: WAYMARK_USE
; WAYMARK_SUPERBLOCKS=400
@v = global i32 0
define i32 @f(i32 %n) {
entry:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %then, label %join
then:
  store volatile i32 1, ptr @v
  br label %join
join:
  %kind = phi i32 [ 2, %entry ], [ 1, %then ]
  %v0 = load volatile i32, ptr @v
  store volatile i32 1, ptr @v
  store volatile i32 2, ptr @v
  store volatile i32 3, ptr @v
  store volatile i32 4, ptr @v
  store volatile i32 5, ptr @v
  store volatile i32 6, ptr @v
  store volatile i32 7, ptr @v
  store volatile i32 8, ptr @v
  store volatile i32 9, ptr @v
  store volatile i32 10, ptr @v
  store volatile i32 11, ptr @v
  store volatile i32 12, ptr @v
  %one = icmp eq i32 %kind, 1
  br i1 %one, label %again, label %end
again:
  store volatile i32 2, ptr @v
  br label %end
end:
  ret i32 %v0
}
define i32 @main() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %r = call i32 @f(i32 %i)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 10000
  br i1 %more, label %head, label %end
end:
  ret i32 0
}
; ---- becomes
; define i32 @f(i32 %n) !prof is !{!"function_entry_count", i64 10000} {
; entry:
;   %odd = trunc i32 %n to i1
;   br i1 %odd, label %then, label %join.copy, !prof is !{!"branch_weights", i32 5000, i32 5000}
;
; then:
;   store volatile i32 1, ptr @v, align 4
;   br label %join.copy1
;
; again:
;   %v0.reg2mem.0 = phi i32 [ %v0.copy3, %join.copy1 ], [ %v0.copy, %join.copy ]
;   store volatile i32 2, ptr @v, align 4
;   br label %end
;
; end:
;   %v0.reg2mem.1 = phi i32 [ %v0.reg2mem.0, %again ], [ %v0.copy3, %join.copy1 ], [ %v0.copy, %join.copy ]
;   ret i32 %v0.reg2mem.1
;
; join.copy:
;   %v0.copy = load volatile i32, ptr @v, align 4
;   store volatile i32 1, ptr @v, align 4
;   store volatile i32 2, ptr @v, align 4
;   store volatile i32 3, ptr @v, align 4
;   store volatile i32 4, ptr @v, align 4
;   store volatile i32 5, ptr @v, align 4
;   store volatile i32 6, ptr @v, align 4
;   store volatile i32 7, ptr @v, align 4
;   store volatile i32 8, ptr @v, align 4
;   store volatile i32 9, ptr @v, align 4
;   store volatile i32 10, ptr @v, align 4
;   store volatile i32 11, ptr @v, align 4
;   store volatile i32 12, ptr @v, align 4
;   %one.copy = icmp eq i32 2, 1
;   br i1 %one.copy, label %again, label %end, !prof is !{!"branch_weights", i32 0, i32 5000}
;
; join.copy1:
;   %v0.copy3 = load volatile i32, ptr @v, align 4
;   store volatile i32 1, ptr @v, align 4
;   store volatile i32 2, ptr @v, align 4
;   store volatile i32 3, ptr @v, align 4
;   store volatile i32 4, ptr @v, align 4
;   store volatile i32 5, ptr @v, align 4
;   store volatile i32 6, ptr @v, align 4
;   store volatile i32 7, ptr @v, align 4
;   store volatile i32 8, ptr @v, align 4
;   store volatile i32 9, ptr @v, align 4
;   store volatile i32 10, ptr @v, align 4
;   store volatile i32 11, ptr @v, align 4
;   store volatile i32 12, ptr @v, align 4
;   %one.copy4 = icmp eq i32 1, 1
;   br i1 %one.copy4, label %again, label %end, !prof is !{!"branch_weights", i32 5000, i32 0}
; }
;
; define i32 @main() !prof is !{!"function_entry_count", i64 1} {
; entry:
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %head ]
;   %r = call i32 @f(i32 %i)
;   %next = add i32 %i, 1
;   %more = icmp slt i32 %next, 10000
;   br i1 %more, label %head, label %end, !prof is !{!"branch_weights", i32 9999, i32 1}
;
; end:
;   ret i32 0
; }
