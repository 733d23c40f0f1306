struct item { struct item *next; int kind, value; };
static int look(const struct item *item, int kind)
{
	if (kind == 0)
		return item->value;
	if (kind == 1)
		return item->next->value;
	if (kind == 2)
		return item->next->next->value;
	if (kind == 3)
		return item->value / item->kind;
	if (kind == 4)
		return item->value / item->next->kind;
	return item->next->kind == kind ? item->value / item->kind : -1;
}
int first(const struct item *item, int kind) { return look(item, kind) + 1; }
int second(const struct item *item, int kind) { return look(item, kind) * 3; }
int third(const struct item *item, int kind) { return look(item, kind) - 5; }
int main(int argc, char **argv)
{
	struct item item = {&item, argc, argc};
	(void)argv;
	return first(&item, argc) + second(&item, argc + 1) + third(&item, argc + 2) == 77;
}
