struct s { int k, x, y, z; };
__attribute__((noinline)) int wide(struct s *p, long v)
{
	int r = 0;
	if (p->y == 3) r = 1; else r = 2;
	*(long *)&p->x = v;
	if (p->y == 3) r += 10; else r += 20;
	return r;
}
int main(void) { struct s s = {.y = 3}; return wide(&s, 1) != 21; }
