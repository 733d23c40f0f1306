#line 3 "src/grammar.y"
int parse(int n)
{
	return n + 1;
}
