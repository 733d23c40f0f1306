/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/option_table.h"
#include "support/fail.h"
#include "support/standard_output.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* The column in which the help of an option begins. */
#define HELP_COLUMN 23
#define MOST_OPTIONS 48
#define TABLES (sizeof((struct wm_syntax *)0)->table / sizeof(struct wm_option *))

/* The second is shown where there is more to see. */
static const struct wm_option help_table[] = {{.name = "help", .letter = 'h', .help = "print this text"},
	{.name = "help-all", .help = "list rarely used options, too"}, {0}};

/* ---- Help -------------------------------------------------------------------------- */

static void print_help_lines(const char *text, int used)
{
	if (used >= HELP_COLUMN) {
		putchar('\n');
		used = 0;
	}
	for (; *text; used = 0) {
		size_t length = strcspn(text, "\n");
		printf("%*s%.*s\n", HELP_COLUMN - used, "", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void print_option(const struct wm_option *option)
{
	int used = printf("  ");
	if (option->letter)
		used += printf("-%c, ", option->letter);
	used += printf("--%s", option->name);
	if (option->value)
		used += printf(option->kind == WM_OPTION_MAYBE ? "[=%s]" : " %s", option->value);
	print_help_lines(option->help, used);
}

static bool is_shown(const struct wm_option *option, bool all)
{
	return option->help && (all || !option->rare);
}

static void print_table(const struct wm_option *option, bool all)
{
	for (; option->name; option++)
		if (is_shown(option, all))
			print_option(option);
}

static bool shows_any(const struct wm_option *option, bool all)
{
	for (; option->name; option++)
		if (is_shown(option, all))
			return true;
	return false;
}

static bool has_rare(const struct wm_syntax *syntax)
{
	for (size_t i = 0; i < TABLES && syntax->table[i]; i++)
		for (const struct wm_option *option = syntax->table[i]; option->name; option++)
			if (option->help && option->rare)
				return true;
	return false;
}

static void print_help_options(const struct wm_syntax *syntax)
{
	print_option(&help_table[0]);
	if (has_rare(syntax))
		print_option(&help_table[1]);
}

/* --help is listed before the first title. */
static _Noreturn void print_help(const struct wm_syntax *syntax, bool all)
{
	bool titled = false;
	fputs(syntax->usage, stdout);
	putchar('\n');
	for (size_t i = 0; i < TABLES && syntax->table[i]; i++) {
		if (!shows_any(syntax->table[i], all))
			continue;
		if (syntax->title[i] && !titled)
			print_help_options(syntax);
		titled |= syntax->title[i] != NULL;
		if (syntax->title[i])
			printf("\n%s\n", syntax->title[i]);
		print_table(syntax->table[i], all);
	}
	if (!titled)
		print_help_options(syntax);
	if (syntax->more)
		syntax->more();
	wm_finish_output();
	exit(0);
}

/* ---- Values ------------------------------------------------------------------------- */

static uint64_t number(const struct wm_option *option, const char *text)
{
	char *end;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9')
		wm_fail("--%s needs a number, not '%s'", option->name, text);
	return value;
}

static int choice(const struct wm_option *option, const char *text)
{
	char list[256] = "";
	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) == 0)
			return i;
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", option->choices[i]);
	}
	wm_fail("there is no %s '%s'; valid: %s", option->name, text, list);
}

static void take_value(const struct wm_option *option, const char *value)
{
	if (value && !*value)
		wm_fail("--%s needs a value", option->name);
	switch (option->kind) {
	case WM_OPTION_FLAG:
		*(bool *)option->target = true;
		break;
	case WM_OPTION_TEXT:
		*(const char **)option->target = value;
		break;
	case WM_OPTION_NUMBER:
		*(uint64_t *)option->target = number(option, value);
		break;
	case WM_OPTION_CHOICE:
		*(int *)option->target = choice(option, value);
		break;
	case WM_OPTION_CALL:
	case WM_OPTION_MAYBE:
		option->take(option->target, value);
		break;
	case WM_OPTION_MANY:
		((struct wm_option_many *)option->target)
			->take(((struct wm_option_many *)option->target)->target, value);
		break;
	}
}

/* Takes the further values of an option; getopt_long goes on after them. */
static void take_more(const struct wm_option *option, int argc, char **argv)
{
	const struct wm_option_many *many = option->target;
	for (; optind < argc && argv[optind][0] != '-' && many->also(argv[optind]); optind++)
		take_value(option, argv[optind]);
}

/* ---- The command line --------------------------------------------------------------- */

/* The tables for getopt_long.  The value of a long option is FIRST plus its index, which is above all letters. */
enum { FIRST = 256 };
struct grammar {
	const struct wm_option *all[MOST_OPTIONS + 1]; /* NULL-terminated */
	struct option known[MOST_OPTIONS + 1];
	char letters[2 * MOST_OPTIONS + 3];
};

static void add_option(struct grammar *grammar, const struct wm_option *option, size_t index)
{
	static const int arguments[] = {[WM_OPTION_FLAG] = no_argument,
		[WM_OPTION_TEXT] = required_argument,
		[WM_OPTION_NUMBER] = required_argument,
		[WM_OPTION_CHOICE] = required_argument,
		[WM_OPTION_CALL] = required_argument,
		[WM_OPTION_MAYBE] = optional_argument,
		[WM_OPTION_MANY] = required_argument};
	int argument = arguments[option->kind];
	if (index >= MOST_OPTIONS)
		wm_bug("too many options");
	grammar->all[index] = option;
	grammar->known[index] = (struct option){option->name, argument, NULL, FIRST + (int)index};
	if (option->letter) {
		size_t used = strlen(grammar->letters);
		grammar->letters[used] = option->letter;
		grammar->letters[used + 1] = argument == required_argument ? ':' : 0;
	}
}

static void make_grammar(struct grammar *grammar, const struct wm_syntax *syntax)
{
	size_t count = 0;
	*grammar = (struct grammar){0};
	snprintf(grammar->letters, sizeof grammar->letters, syntax->until_operand ? "+:" : ":");
	for (size_t i = 0; i < TABLES && syntax->table[i]; i++)
		for (const struct wm_option *option = syntax->table[i]; option->name; option++)
			add_option(grammar, option, count++);
	add_option(grammar, &help_table[0], count);
	add_option(grammar, &help_table[1], count + 1);
	/* With the same value, getopt_long takes "--he" for the first of them. */
	grammar->known[count + 1].val = grammar->known[count].val;
}

static const struct wm_option *find_option(const struct grammar *grammar, int code)
{
	for (size_t i = 0; grammar->all[i]; i++)
		if (code == FIRST + (int)i || (code && code == grammar->all[i]->letter))
			return grammar->all[i];
	return NULL;
}

/* optopt is the value of a known option that takes no value, the letter of an unknown option, or 0. */
static _Noreturn void refuse(const struct grammar *grammar, char **argv)
{
	const struct wm_option *known = find_option(grammar, optopt);
	if (known)
		wm_fail("--%s takes no value", known->name);
	char letter[] = {'-', (char)optopt, 0};
	wm_fail("unknown option '%s'; `waymark %s --help` lists the options", optopt ? letter : argv[optind - 1],
		wm_command_name);
}

int wm_parse_options(const struct wm_syntax *syntax, int argc, char **argv)
{
	struct grammar grammar;
	make_grammar(&grammar, syntax);
	optind = 0; /* makes getopt_long start again */
	opterr = 0;
	for (int code, index = 0; (code = getopt_long(argc, argv, grammar.letters, grammar.known, &index)) != -1;
		index = 0) {
		if (code == '?')
			refuse(&grammar, argv);
		if (code == ':')
			wm_fail("--%s needs a value", find_option(&grammar, optopt)->name);
		const struct wm_option *option = find_option(&grammar, code);
		if (option == help_table)
			print_help(syntax, grammar.all[index] == &help_table[1]);
		take_value(option, optarg);
		if (option->kind == WM_OPTION_MANY)
			take_more(option, argc, argv);
	}
	return optind;
}
