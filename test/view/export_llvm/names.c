__attribute__((noinline)) int größe(int x) { return x > 3 ? x : 3 - x; }
__attribute__((noinline)) int odd(int x) __asm__("odd\nmain:9:9");
int odd(int x) { return x > 3 ? x : 3 - x; }
int main(int argc, char **argv)
{
	(void)argv;
	return größe(argc) -
	       odd(argc);
}
