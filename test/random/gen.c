/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * gen SEED [left]: a random C program full of what csmith hardly writes: goto graphs,
 * reducible or not, switches with shared targets, computed goto, nested loops with
 * jumps into them, chains of decisions with far too many paths, early exits.
 *
 * It terminates: every jump that may go backwards pays from a store of fuel, and
 * functions call only later ones.  It prints a checksum over every block it ran.
 *
 * With `left`, control leaves all open activations again and again, at some block: by longjmp, by an exception (catch.cpp), and in the end by
 * exit.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static int depth, function_count, loop_labels;
static uint32_t named_labels; /* of this function: labels whose address was taken */
static bool may_repeat, repeats_labels, leaves;

static uint32_t below(uint32_t limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % limit;
}

static bool chance(uint32_t percent)
{
	return below(100) < percent;
}

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
	va_list arguments;
	for (int i = 0; i < depth; i++)
		putchar('\t');
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static void emit_prologue(void)
{
	puts("#include <stdio.h>\n#include <stdlib.h>\n"
	     "static unsigned long seed = 88172645463325252ul, sum, fuel;\n"
	     "static unsigned next(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed >> "
	     "32; }\n"
	     "static unsigned pick(unsigned n) { return next() % n; }\n"
	     "/* a choice that may lead back: the last one, which leads on, when there is no fuel */\n"
	     "static unsigned spend(unsigned n) { if (!fuel) return n - 1; fuel--; return next() % n; }\n"
	     "static void mark(unsigned long x);\n"
	     "_Noreturn static void finish(void) { printf(\"early %lx\\n\", sum); exit(3); }");
}

static void emit_mark(void)
{
	puts("static void mark(unsigned long x)\n{\n\tsum = (sum ^ x) * 1099511628211ul;");
	if (leaves)
		puts("\tif (rest && !--rest) leave();");
	puts("}");
}

static void emit_leave(void)
{
	puts("#include <setjmp.h>\n"
	     "void leave_by_throw(void);\nunsigned call_and_catch(unsigned (*f)(unsigned), unsigned x);\n"
	     "static unsigned long rest, way;\nstatic jmp_buf back;\n"
	     "static void leave(void)\n{\n"
	     "\tif (way == 0) longjmp(back, 1);\n\tif (way == 1) leave_by_throw();\n"
	     "\tprintf(\"%lx\\n\", sum);\n\texit(sum & 63);\n}");
}

/* The last round leaves by exit, unless it ends before. */
static void emit_rounds(void)
{
	puts("static unsigned begin(unsigned x) { return f0(x) + 1; }\n"
	     "int main(void)\n{\n\tstatic unsigned long round;\n\tfor (round = 0; round < 9; round++) {\n"
	     "\t\tway = round % 2;\n\t\tif (round == 8) way = 2;\n\t\trest = 1 + next() % (40 << round);\n"
	     "\t\tfor (unsigned i = 0; i < 9; i++) {");
	printf("\t\t\tfuel = %u;\n", 200 + below(2000));
	puts("\t\t\tif (way == 1) call_and_catch(begin, i);\n\t\t\telse if (!setjmp(back)) begin(i);\n\t\t}\n\t}\n"
	     "\tprintf(\"%lx\\n\", sum);\n\treturn sum & 63;\n}");
}

static void emit_work(int function)
{
	line("mark(%u);", below(1000));
	if (function + 1 < function_count && chance(12))
		line("if (fuel) { fuel--; mark(f%u(%u)); }",
			(unsigned)function + 1 + below((uint32_t)(function_count - function - 1)), below(100));
}

/* Graphs of labels. */

static unsigned forward_from(unsigned block, unsigned blocks)
{
	return block + 1 + (chance(60) ? 0 : below(blocks - block - 1));
}

static unsigned anywhere(unsigned block, unsigned blocks)
{
	return chance(35) ? below(blocks) : forward_from(block, blocks);
}

static void emit_goto_switch(unsigned block, unsigned blocks)
{
	unsigned cases = 3 + below(6);
	line("switch (spend(%u)) {", cases + 1);
	for (unsigned i = 0; i < cases; i++) {
		if (i + 1 < cases && chance(40)) {
			line("case %u:", i);
			continue;
		}
		line("case %u: goto L%u;", i, anywhere(block, blocks));
	}
	line("default: goto L%u;", forward_from(block, blocks));
	line("}");
}

/* Whether a label may go into a table: where repeats are not wanted, once a function. */
static bool name_label(unsigned label)
{
	bool again = named_labels >> label & 1;
	repeats_labels |= again && may_repeat;
	named_labels |= 1u << label;
	return !again || may_repeat;
}

/* The last target leads on, so it must be there; no label is named but by name_label. */
static void emit_computed_goto(unsigned block, unsigned blocks)
{
	unsigned last = forward_from(block, blocks), targets = 2 + below(5), count = 1;
	if (!name_label(last)) {
		line("goto L%u;", last);
		return;
	}
	line("{");
	printf("\t\tstatic void *const to[] = {");
	for (unsigned i = 0; i < targets; i++) {
		unsigned label = anywhere(block, blocks);
		if (!name_label(label))
			continue;
		printf("&&L%u, ", label);
		count++;
	}
	printf("&&L%u};\n", last);
	line("goto *to[spend(%u)];", count);
	line("}");
}

static void emit_terminator(unsigned block, unsigned blocks, bool computed)
{
	unsigned kind = below(100);
	if (kind < 45)
		line("if (spend(2) == 0) goto L%u; else goto L%u;", anywhere(block, blocks),
			forward_from(block, blocks));
	else if (kind < 60)
		line("if ((x & %u) || pick(3)) goto L%u;", 1u << below(5), forward_from(block, blocks));
	else if (kind < 75)
		emit_goto_switch(block, blocks);
	else if (kind < 88 && computed)
		emit_computed_goto(block, blocks);
	else if (kind < 94)
		line("if (pick(40) == 0) return x;");
}

static void emit_graph(int function)
{
	unsigned blocks = 3 + below(22);
	bool computed = chance(40);
	named_labels = 0;
	for (unsigned block = 0; block + 1 < blocks; block++) {
		depth = 0;
		line("L%u:", block);
		depth = 1;
		emit_work(function);
		line("x += %u;", block);
		emit_terminator(block, blocks, computed);
	}
	depth = 0;
	line("L%u:", blocks - 1);
	depth = 1;
	line("mark(x);");
}

/* Nested statements; `room` bounds the size. */

static void emit_statement(int function, int *room, bool in_loop);

static void emit_block(int function, int *room, bool in_loop)
{
	depth++;
	int statements = 1 + (int)below(3);
	for (int i = 0; i < statements; i++)
		emit_statement(function, room, in_loop);
	depth--;
}

static void emit_loop(int function, int *room)
{
	int label = chance(25) ? loop_labels++ : -1;
	unsigned kind = label >= 0 ? 2 * below(2) : below(3); /* no jump past the counter of a for loop */
	if (label >= 0)
		line("if (pick(2)) goto M%d;", label);
	line(kind == 0	    ? "while (fuel && spend(4)) {"
		: kind == 1 ? "for (unsigned i = 0; fuel && i < pick(6); i++) {"
			    : "do {");
	if (label >= 0)
		line("M%d: fuel -= fuel > 0;", label);
	emit_block(function, room, true);
	line(kind == 2 ? "} while (spend(3) && fuel);" : "}");
}

static void emit_switch(int function, int *room, bool in_loop)
{
	unsigned cases = 2 + below(6);
	line("switch (pick(%u)) {", cases + 2);
	for (unsigned i = 0; i < cases; i++) {
		line("case %u:", i);
		if (chance(35))
			continue;
		emit_block(function, room, in_loop);
		if (chance(70))
			line("\tbreak;");
	}
	line("default: mark(x);");
	line("}");
}

static void emit_condition(void)
{
	static const char *const form[] = {
		"if (pick(3) && (x & 4)) {",
		"if (pick(2) || pick(3) == 1) {",
		"if (pick(2) ? x & 1 : pick(2)) {",
		"if (!(x & 1) && (pick(2) || pick(5) > 2)) {",
	};
	line("%s", form[below(4)]);
}

static void emit_statement(int function, int *room, bool in_loop)
{
	unsigned kind = --*room > 0 ? below(100) : 99;
	if (kind < 25) {
		emit_condition();
		emit_block(function, room, in_loop);
		if (chance(50)) {
			line("} else {");
			emit_block(function, room, in_loop);
		}
		line("}");
	} else if (kind < 45) {
		emit_loop(function, room);
	} else if (kind < 58) {
		emit_switch(function, room, in_loop);
	} else if (kind < 66 && in_loop) {
		line("if (pick(%u) == 0) %s;", 3 + below(5), chance(50) ? "break" : "continue");
	} else if (kind < 69) {
		line("if (pick(30) == 0) return x;");
	} else {
		line("x = x * 3 + %u;", below(50));
		emit_work(function);
	}
}

/* 2^decisions paths: an array, a hash, or more than an id can hold. */
static void emit_chain(int function)
{
	unsigned decisions = chance(40) ? 5 + below(8) : chance(50) ? 14 + below(20) : 64 + below(30);
	line("while (spend(3) && fuel > 100) {");
	depth++;
	for (unsigned i = 0; i < decisions; i++)
		line("if (%s) mark(%u);%s", i % 5 ? "next() & 1" : "pick(9) == 0", i, i % 7 == 3 ? " else x++;" : "");
	emit_work(function);
	depth--;
	line("}");
}

static void emit_function(int function)
{
	printf("unsigned f%d(unsigned x)\n{\n", function);
	depth = 1;
	int room = 12 + (int)below(40);
	unsigned kind = below(100);
	if (kind < 50)
		emit_graph(function);
	else if (kind < 60)
		emit_chain(function);
	else
		while (room > 0)
			emit_statement(function, &room, false);
	if (chance(6))
		line("if (fuel < 10 && pick(2)) finish();");
	puts("\treturn x;\n}\n");
}

int main(int argc, char **argv)
{
	leaves = argc == 3 && !strcmp(argv[2], "left");
	if (argc != 2 && !leaves) {
		fputs("usage: gen SEED [left]\n", stderr);
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
	below(2);
	may_repeat = chance(50);
	function_count = 2 + (int)below(6);
	emit_prologue();
	if (leaves)
		emit_leave();
	emit_mark();
	for (int i = 0; i < function_count; i++)
		printf("%sunsigned f%d(unsigned x);\n", chance(60) ? "static " : "", i);
	for (int i = 0; i < function_count; i++)
		emit_function(i);
	if (leaves) {
		emit_rounds();
		return 0;
	}
	printf("int main(void)\n{\n\tfor (unsigned i = 0; i < 40; i++) {\n\t\tfuel = %u;\n\t\tmark(f0(i));\n\t}\n"
	       "\tprintf(\"%%lx\\n\", sum);\n\treturn sum & 63;\n}\n",
		200 + below(2000));
	if (repeats_labels) /* LLVM's own profile is wrong then: it cannot split such edges */
		puts("/* repeats labels */");
	return 0;
}
