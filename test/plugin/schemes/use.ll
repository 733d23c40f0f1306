; A profile that is used: branch weights and entry counts are those that were counted, and nothing is instrumented.
; profile: WAYMARK_USE
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
define i32 @main() {
entry:
  %r = call i32 @f(i32 9)
  ret i32 0
}
; ---- becomes
; define i32 @f(i32 %n) !prof is !{!"function_entry_count", i64 1} {
; entry:
;   br label %head
;
; head:
;   %i = phi i32 [ 0, %entry ], [ %next, %latch ]
;   %more = icmp slt i32 %i, %n
;   br i1 %more, label %body, label %end, !prof is !{!"branch_weights", i32 9, i32 1}
;
; body:
;   %odd = trunc i32 %i to i1
;   br i1 %odd, label %then, label %latch, !prof is !{!"branch_weights", i32 4, i32 5}
;
; then:
;   br label %latch
;
; latch:
;   %next = add i32 %i, 1
;   br label %head
;
; end:
;   ret i32 %i
; }
;
; define i32 @main() !prof is !{!"function_entry_count", i64 1} {
; entry:
;   %r = call i32 @f(i32 9)
;   ret i32 0
; }
