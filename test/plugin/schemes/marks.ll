; Marks for `waymark hw`: nothing is counted; every block notes where its code is.
; WAYMARK_MARKS=on
define void @f(i1 %c) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
; ---- becomes
; define void @f(i1 %c) {
; entry:
;   call void @llvm.pseudoprobe(i64 2544761019874898826, i64 1, i32 0, i64 -1)
;   br i1 %c, label %then, label %end
;
; then:
;   call void @llvm.pseudoprobe(i64 2544761019874898826, i64 2, i32 0, i64 -1)
;   br label %end
;
; end:
;   call void @llvm.pseudoprobe(i64 2544761019874898826, i64 3, i32 0, i64 -1)
;   ret void
; }
