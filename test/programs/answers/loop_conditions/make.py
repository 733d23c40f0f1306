import random, sys
r = random.Random(int(sys.argv[1]))
LEAF = ["v[%d]", "!v[%d]", "v[%d] > 1", "id(v[%d])", "v[%d] == 1", "(v[%d] < 2)", "!(v[%d])", "number[%d]", "!(small[%d])",
        "small[%d]", "*v", "!*v", "(char)v[%d]", "~v[%d] + 1", "!id(v[%d])", "'a' + v[%d] == 'b'", "at->second[%d]", "!at->first"]
def leaf():
    text = r.choice(LEAF)
    return text % r.randrange(4) if "%d" in text else text
def make(size):
    if size == 1:
        return leaf()
    left = r.randint(1, size - 1)
    text = f"{make(left)} {r.choice(['&&', '||'])} {make(size - left)}"
    return f"!({text})" if r.random() < 0.15 else f"({text})"
print("""static int number[4];
static unsigned char small[4];
static struct pair { int first, second[4]; } pair, *at = &pair;
static int id(int x) { return x; }""")
for i in range(60):
    text = make(r.randint(2, 6))
    text = text if text[0] == "!" else text[1:-1]
    kind = ["while", "for", "do", "if"][i % 4]
    print(f"static int f{i}(const int *v)\n{{\n\tint k = 0;")
    print({"while": f"\twhile ({text})\n\t\tif (++k > 2)\n\t\t\treturn k;",
           "for": f"\tfor (; {text}; )\n\t\tif (++k > 2)\n\t\t\treturn k;",
           "do": f"\tdo {{\n\t\tif (++k > 2)\n\t\t\treturn k;\n\t}} while ({text});",
           "if": f"\tif ({text})\n\t\tk++;"}[kind])
    print("\treturn k;\n}")
print("""int main(void)
{
	unsigned seed = 7;
	for (int i = 0; i < 50; i++) {
		int v[4];
		for (int k = 0; k < 4; k++) {
			seed = seed * 1103515245u + 12345u;
			v[k] = (int)(seed >> 16) % 3;
			number[k] = pair.second[3 - k] = v[k] > 1;
			small[3 - k] = v[k] > 0;
		}
		pair.first = v[2] & 1;""")
for i in range(60):
    print(f"\t\tf{i}(v);")
print("\t}\n\treturn 0;\n}")
