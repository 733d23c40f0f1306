#include <stdlib.h>
inline int smaller(int a, int b) { if (b < a) return b; return a; }
__attribute__((noinline)) inline int f(int x) noexcept { int r = smaller(x, 7); if (r == 5) abort(); return r + 1; }
int c(int);
