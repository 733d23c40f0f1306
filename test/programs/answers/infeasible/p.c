#include <stdbool.h>
struct pair { int kind, n; };
int global;
void touch(void) { global = global * 5 + 1; }
/* The same variable, compared with constants. */
int constants(int n) { int r = 0; if (n == 3) r = 1; else r = 2; if (n > 5) r += 10; if (n >= 3) r += 20; return r; }
/* Unsigned and narrow types. */
int narrow(unsigned char c) { int r = 0; if (c > 250) r = 1; if (c < 10) r += 2; if (c == 255) r += 4; return r; }
/* A variable that is set to constants. */
int flag(int n) { bool found = false; if (n > 3) found = true; touch(); if (found) return 1; return 2; }
/* Two variables, compared with each other. */
int order(int a, int b) { int r = 0; if (a < b) r = 1; if (b <= a) r += 2; if (a == b) r += 4; return r; }
/* A switch, and what is known after it. */
int choice(char c) { int r; switch (c) { case 1: case 2: r = 1; break; case 3: r = 2; break; default: r = 3; } if (c == 3) r += 10; if (c < 2) r += 20; return r; }
/* A member of a structure, while another member is changed. */
int member(struct pair *p) { int r = 0; if (p->kind == 1) r = 1; p->n = 4; if (p->kind != 1) r += 2; return r; }
/* What changes between the tests, or may. */
int changed(int n) { int r = 0; if (n == 3) r = 1; n += 2; if (n == 3) r += 2; return r; }
int called(void) { int r = 0; if (global == 1) r = 1; touch(); if (global == 1) r += 2; return r; }
/* A floating-point number that is not one is neither less nor not less. */
int real(double x) { int r = 0; if (x < 1) r = 1; if (x >= 1) r += 2; return r; }
/* A condition in a loop. */
int scan(const int *a, int n) { int i = 0; while (i < n && a[i]) i++; if (i == 0) return 0; return i; }
int main(void)
{
	double zero = 0;
	for (int n = -2; n < 300; n++) {
		struct pair p = {n, 0};
		constants(n), narrow((unsigned char)n), flag(n), choice((char)n), member(&p), changed(n), real(n);
		for (int m = -2; m < 2; m++)
			order(n, m);
	}
	real(zero / zero);
	for (global = -1; global < 3;) {
		int before = global;
		called();
		global = before + 1;
	}
	global = 0;
	called();
	for (int n = 0; n < 4; n++)
		for (int m = 0; m < 8; m++)
			scan((int[]){m & 1, m & 2, m & 4}, n < 3 ? n : 3);
	return 0;
}
