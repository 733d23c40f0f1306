/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * compare [--told] --trace TRACE [--llvm COUNTS | --tested TESTED.json --plain PLAIN.json] REPORT.json
 *
 * Holds what Waymark reports against two witnesses of the same run: the block trace
 * (trace.c), path by path and in both directions, and LLVM's own edge profile
 * (llvm-counts), block by block.  Functions of one name are taken together, so that
 * local functions of several files need no matching.
 *
 * With --tested, the report is that of a residual build: it must have exactly the paths
 * of the trace that the report TESTED does not have; PLAIN, a plain build's report of the same input, says
 * which functions longjmp came back to.
 *
 * Paths that end in a call are unfinished ones.  Where the report says that some are unknown, they are left out of the comparison and
 * counted; with --told there must be none.
 *
 * Not comparable, and counted in the last line: functions Waymark skipped, or whose copies for
 * inlining alone are instrumented; functions
 * entered again by longjmp (`irregular`: the trace cannot see the jump where it happens
 * to land on an edge); block counts of functions with frames that never came back.
 * Functions that were split, or that look at fewer iterations than asked for, are
 * compared by block counts.
 *
 * Exit code 0: equal; 1: the first differences are printed; 2: unusable input.
 */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	json_int_t functions, paths, split, skipped, irregular, abandoned, blocks, unfinished, unknown, differences;
} total;

static void die(const char *what, const char *name)
{
	fprintf(stderr, "compare: %s: %s\n", name, what);
	exit(2);
}

__attribute__((format(printf, 1, 2))) static void differ(const char *format, ...)
{
	va_list arguments;
	if (total.differences++ >= 20)
		return;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

/* object[key] as an object, made when absent. */
static json_t *sub(json_t *object, const char *key)
{
	json_t *found = json_object_get(object, key);
	if (!found)
		json_object_set_new(object, key, found = json_object());
	return found;
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void add(json_t *object, const char *key, json_int_t count)
{
	json_object_set_new(object, key, json_integer(number(object, key) + count));
}

static void add_block(json_t *function, json_int_t block, json_int_t count)
{
	char key[32];
	snprintf(key, sizeof(key), "%lld", (long long)block);
	add(sub(function, "blocks"), key, count);
}

/* The trace.  One function per name: {paths, blocks, entries, leaves, irregular, definitions}. */

static void read_function_line(json_t *side, char *line, json_t **function)
{
	char name[4096], source[4096];
	unsigned long long entries, leaves, irregular;
	if (sscanf(line, "function %4095s %4095s entries=%llu leaves=%llu irregular=%llu", name, source, &entries,
		    &leaves, &irregular) != 5)
		die("not a trace", line);
	*function = sub(side, name);
	add(*function, "entries", (json_int_t)entries);
	add(*function, "leaves", (json_int_t)leaves);
	add(*function, "irregular", (json_int_t)irregular);
	add(*function, "definitions", strncmp(source, "copy:", 5) != 0);
}

static void read_path_line(json_t *function, char *line)
{
	char start[16], end[16];
	unsigned long long count;
	int used = 0;
	if (sscanf(line, "path %15s %15s %llu %n", start, end, &count, &used) != 3)
		die("not a trace", line);
	char *blocks = line + used;
	size_t size = strlen(blocks) + 40;
	char *key = malloc(size);
	snprintf(key, size, "%s %s %s", start, end, blocks);
	add(sub(function, "paths"), key, (json_int_t)count);
	free(key);
}

static json_t *read_trace(const char *name)
{
	json_t *side = json_object(), *function = NULL;
	FILE *file = fopen(name, "r");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	if (!file)
		die(strerror(errno), name);
	while ((length = getline(&line, &capacity, file)) > 0) {
		line[length - 1] = 0;
		unsigned long long block, count;
		if (!strncmp(line, "function ", 9))
			read_function_line(side, line, &function);
		else if (function && !strncmp(line, "path ", 5))
			read_path_line(function, line);
		else if (function && sscanf(line, "block %llu %llu", &block, &count) == 2)
			add_block(function, (json_int_t)block, (json_int_t)count);
		else
			die("not a trace", name);
	}
	free(line);
	fclose(file);
	return side;
}

/* LLVM's counts: lines `FUNCTION BLOCK COUNT`. */
static json_t *read_llvm(const char *name)
{
	json_t *side = json_object();
	FILE *file = fopen(name, "r");
	char function[4096];
	unsigned long long block, count;
	if (!file)
		die(strerror(errno), name);
	while (fscanf(file, "%4095s %llu %llu", function, &block, &count) == 3)
		add_block(sub(side, function), (json_int_t)block, (json_int_t)count);
	if (!feof(file))
		die("not a list of block counts", name);
	fclose(file);
	return side;
}

/* The report. */

static char *path_key(const json_t *path)
{
	const json_t *blocks = json_object_get(path, "blocks"), *again = json_object_get(path, "again");
	size_t count = json_array_size(blocks), size = 64 + count * 12, used, marks = 0;
	char *key = malloc(size);
	used = (size_t)snprintf(key, size, "%s %s", json_string_value(json_object_get(path, "start")),
		json_string_value(json_object_get(path, "end")));
	for (size_t i = 0; i < count; i++) {
		bool marked = again && marks < json_array_size(again) &&
			      (size_t)json_integer_value(json_array_get(again, marks)) == i;
		marks += marked;
		used += (size_t)snprintf(key + used, size - used, " %lld%s",
			(long long)json_integer_value(json_array_get(blocks, i)), marked ? "+" : "");
	}
	return key;
}

static void read_report_path(json_t *function, const json_t *path)
{
	json_int_t count = number(path, "count");
	const json_t *blocks = json_object_get(path, "blocks");
	char *key = path_key(path);
	add(sub(function, "paths"), key, count);
	free(key);
	/* What stands before, an earlier path had. */
	for (size_t i = (size_t)number(path, "fresh"); i < json_array_size(blocks); i++)
		add_block(function, json_integer_value(json_array_get(blocks, i)), count);
}

/* A function whose loops have fewer iterations than asked for. */
static bool is_reduced(const json_t *from)
{
	const json_t *loops = json_object_get(from, "loops"), *loop;
	size_t i;
	json_array_foreach(loops, i, loop)
	{
		const char *reason = json_string_value(json_object_get(loop, "reason"));
		if (reason && strstr(reason, "too many"))
			return true;
	}
	return false;
}

static void read_report_function(json_t *side, const json_t *from)
{
	const char *name = json_string_value(json_object_get(from, "name"));
	const char *status = json_string_value(json_object_get(from, "status"));
	const json_t *paths = json_object_get(from, "paths"), *path;
	size_t i;
	if (!name || !status)
		die("not a report: a function without name or status", "report");
	json_t *function = sub(side, name);
	add(function, is_reduced(from) ? "split" : status, 1);
	if (json_is_integer(json_object_get(from, "entries")))
		add(function, "entries", number(from, "entries"));
	else if (strcmp(status, "skipped"))
		add(function, "no_entries", 1);
	add(function, "resumed", number(json_object_get(from, "balance"), "resumed"));
	json_array_foreach(paths, i, path) read_report_path(function, path);
	paths = json_object_get(from, "unfinished");
	json_array_foreach(paths, i, path) read_report_path(function, path);
	const json_t *balance = json_object_get(from, "balance");
	add(function, "unknown", number(balance, "abandoned") - number(balance, "unfinished"));
}

static json_t *read_report(const char *name)
{
	json_error_t error;
	json_t *document = json_load_file(name, 0, &error), *side = json_object(), *function;
	size_t i;
	if (!document)
		die(error.text, name);
	json_array_foreach(json_object_get(document, "functions"), i, function) read_report_function(side, function);
	json_decref(document);
	return side;
}

/* What a residual build does not count: tested paths, entries, and so blocks.  Of functions
 * with one name it is not known which was tested. */
static void take_tested(json_t *trace, json_t *tested, json_t *plain)
{
	const char *name, *key;
	json_t *function, *value;
	json_object_foreach(trace, name, function)
	{
		json_t *known = json_object_get(tested, name);
		json_object_set_new(function, "residual", json_integer(1));
		if (number(known, "exact") > 1 || number(json_object_get(plain, name), "resumed"))
			json_object_set_new(function, "irregular", json_integer(1));
		json_object_foreach(known ? sub(known, "paths") : NULL, key, value)
			json_object_del(sub(function, "paths"), key);
	}
}

/* Every key of either side; a missing one counts as zero. */
static void compare_counts(const char *name, const char *what, json_t *expected, json_t *reported, json_int_t *compared)
{
	const char *key;
	json_t *value;
	json_object_foreach(expected, key, value)
	{
		json_int_t want = json_integer_value(value), have = number(reported, key);
		if (want != have)
			differ("%s: %s %s: expected %lld, reported %lld", name, what, key, (long long)want,
				(long long)have);
		++*compared;
	}
	json_object_foreach(reported, key, value)
	{
		if (!json_object_get(expected, key) && json_integer_value(value))
			differ("%s: %s %s: expected 0, reported %lld", name, what, key,
				(long long)json_integer_value(value));
	}
}

static bool is_unfinished(const char *key)
{
	return strstr(key, " call ");
}

static void forget_unfinished(json_t *side)
{
	json_t *paths = sub(side, "paths"), *value;
	const char *key;
	void *next;
	json_object_foreach_safe(paths, next, key, value) if (is_unfinished(key)) json_object_del(paths, key);
}

static json_int_t count_unfinished(json_t *side)
{
	json_int_t count = 0;
	json_t *value;
	const char *key;
	json_object_foreach(sub(side, "paths"), key, value) count += is_unfinished(key) ? json_integer_value(value) : 0;
	return count;
}

/* Of what a residual build does not count, nothing is known. */
static void leave_unknown_out(json_t *traced, json_t *reported)
{
	json_int_t unknown = number(reported, "unknown");
	if (unknown || number(traced, "residual")) {
		forget_unfinished(traced);
		forget_unfinished(reported);
	}
	total.unknown += unknown;
	total.unfinished += count_unfinished(reported);
}

static void compare_function(const char *name, json_t *traced, json_t *reported)
{
	leave_unknown_out(traced, reported);
	if (number(reported, "skipped")) {
		total.skipped++;
	} else if (number(traced, "irregular") || number(reported, "resumed")) {
		total.irregular++;
	} else if (number(reported, "split")) {
		total.split++;
		if (number(traced, "residual"))
			return;
		if (number(traced, "entries") == number(traced, "leaves") || !number(reported, "unknown"))
			compare_counts(name, "block", sub(traced, "blocks"), sub(reported, "blocks"), &total.blocks);
		else
			total.abandoned++;
	} else {
		total.functions++;
		compare_counts(name, "path", sub(traced, "paths"), sub(reported, "paths"), &total.paths);
		if (!number(traced, "residual") && !number(reported, "no_entries") &&
			number(traced, "entries") != number(reported, "entries"))
			differ("%s: entered %lld times, reported %lld", name, (long long)number(traced, "entries"),
				(long long)number(reported, "entries"));
	}
}

static void compare_trace(json_t *trace, json_t *report)
{
	const char *name;
	json_t *function;
	json_object_foreach(trace, name, function)
	{
		json_t *reported = json_object_get(report, name);
		if (reported)
			compare_function(name, function, reported);
		else if (!number(function, "definitions"))
			total.skipped++;
		else
			differ("%s: ran, but the report does not know it", name);
	}
	json_object_foreach(report, name, function)
	{
		if (!json_object_get(trace, name) && json_object_size(sub(function, "paths")))
			differ("%s: reported, but it never ran", name);
	}
}

static void compare_llvm(json_t *llvm, json_t *trace, json_t *report)
{
	const char *name;
	json_t *function;
	json_object_foreach(llvm, name, function)
	{
		json_t *reported = json_object_get(report, name), *traced = json_object_get(trace, name);
		if (!reported || number(reported, "skipped") || number(traced, "irregular") ||
			number(reported, "resumed"))
			continue;
		if (number(traced, "entries") == number(traced, "leaves") || !number(reported, "unknown"))
			compare_counts(
				name, "LLVM's block", sub(function, "blocks"), sub(reported, "blocks"), &total.blocks);
		else
			total.abandoned++;
	}
}

int main(int argc, char **argv)
{
	bool told = false;
	json_t *trace = NULL, *llvm = NULL, *tested = NULL, *plain = NULL, *report = NULL;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--trace") && i + 1 < argc)
			trace = read_trace(argv[++i]);
		else if (!strcmp(argv[i], "--llvm") && i + 1 < argc)
			llvm = read_llvm(argv[++i]);
		else if (!strcmp(argv[i], "--tested") && i + 1 < argc)
			tested = read_report(argv[++i]);
		else if (!strcmp(argv[i], "--plain") && i + 1 < argc)
			plain = read_report(argv[++i]);
		else if (!strcmp(argv[i], "--told"))
			told = true;
		else
			report = read_report(argv[i]);
	}
	if (!trace || !report)
		die("give --trace FILE and a report", "usage");
	if (tested)
		take_tested(trace, tested, plain);
	compare_trace(trace, report);
	if (llvm)
		compare_llvm(llvm, trace, report);
	if (told && total.unknown)
		differ("%lld unfinished paths are not known", (long long)total.unknown);
	printf("%lld functions, %lld paths, %lld blocks compared; %lld split, %lld skipped, %lld irregular, %lld "
	       "abandoned; %lld unfinished paths, %lld unknown; "
	       "%lld differences\n",
		(long long)total.functions, (long long)total.paths, (long long)total.blocks, (long long)total.split,
		(long long)total.skipped, (long long)total.irregular, (long long)total.abandoned,
		(long long)total.unfinished, (long long)total.unknown, (long long)total.differences);
	json_decref(trace);
	json_decref(llvm);
	json_decref(tested);
	json_decref(plain);
	json_decref(report);
	if (!total.functions && !total.split)
		die("nothing was compared", "compare");
	return total.differences != 0;
}
