#include "shared.hpp"
int first(int x) { return smaller(x, 1); }
int b(int x) { int s = 0; for (int i = 0; i < x; i++) s += f(i); return s + first(x); }
int main(int argc, char **) { return argc > 1 ? 0 : c(10) + b(3); }
