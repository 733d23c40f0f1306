enum kind { NAME, XOR, OR, COMMA, OTHER } kind;
int seen;
static int precedence(void)
{
	switch (kind) {
	case XOR:
	case OR:
		return 20;
	case COMMA:
		return 0;
	default:
		return 0;
	}
}
__attribute__((noinline)) int print(int depth)
{
	int level = precedence();
	switch (kind) {
	case NAME:
		if (depth)
			print(depth - 1);
	case XOR:
		if (level)
			seen++;
	default:
		return seen;
	}
}
int main(void)
{
	for (int depth = 0; depth < 3; depth++)
		for (kind = NAME; kind <= OTHER; kind++)
			print(depth);
	return 0;
}
