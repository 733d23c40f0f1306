/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diffs, the lines that they change, and which file of the debug information a file of a diff is. */
#include "analysis/change/change.h"
#include "policy/file_names.h"
#include "support/attempt.h"
#include "support/xalloc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* What a diff changes: "NAME: 3-5 8 | 10" for changed lines, and | N for lines removed after line N. */
static char *describe(const struct wm_diff *diff)
{
	char *text = wm_xstrdup("");
	for (size_t f = 0; f < diff->count; f++) {
		char *longer = wm_xprintf("%s%s%s:", text, f ? "; " : "", diff->file[f].name);
		free(text);
		text = longer;
		for (size_t i = 0; i < diff->file[f].count; i++) {
			const struct wm_diff_range *range = &diff->file[f].range[i];
			if (range->removal)
				longer = wm_xprintf("%s |%u", text, range->first);
			else if (range->end == range->first + 1)
				longer = wm_xprintf("%s %u", text, range->first);
			else
				longer = wm_xprintf("%s %u-%u", text, range->first, range->end - 1);
			free(text);
			text = longer;
		}
	}
	return text;
}

static void parses(void **state)
{
	static const struct {
		const char *diff, *want; /* want: as describe(), or "!" and a part of the reason */
	} rows[] = {
		{"", ""},
		{"no diff at all\n", ""},
		/* git */
		{"diff --git a/src/a.c b/src/a.c\nindex 1..2 100644\n--- a/src/a.c\n+++ b/src/a.c\n"
		 "@@ -1,3 +1,4 @@ int f(void)\n one\n-two\n+TWO\n+three\n four\n@@ -9 +10,0 @@\n-nine\n",
			"src/a.c: 2-3 |10"},
		{"diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -5,0 +6,2 @@\n+a\n+b\n@@ -8 +10 @@\n-c\n+d\n",
			"x.c: 6-7 10"},
		{"diff --git a/new.c b/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1,2 "
		 "@@\n+a\n+b\n",
			"new.c: 1-2"},
		{"diff --git a/old.c b/old.c\ndeleted file mode 100644\n--- a/old.c\n+++ /dev/null\n@@ -1,2 +0,0 "
		 "@@\n-a\n-b\n",
			""},
		{"diff --git a/old.c b/dir/new.c\nsimilarity index 90%\nrename from old.c\nrename to dir/new.c\n"
		 "--- a/old.c\n+++ b/dir/new.c\n@@ -3 +3 @@\n-a\n+b\n",
			"dir/new.c: 3"},
		{"diff --git a/one.c b/two.c\nrename from one.c\nrename to two.c\n", ""},
		{"diff --git a/p.png b/p.png\nindex 1..2\nBinary files a/p.png and b/p.png differ\n"
		 "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n",
			"a.c: 1"},
		{"diff --git a/p b/p\nindex 1..2\nGIT binary patch\nliteral 5\nMcmZQz\n\nliteral 0\nHcmV?d00001\n\n"
		 "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n",
			"a.c: 1"},
		/* prefixes: none, those of diff.mnemonicPrefix, a directory that is called like one */
		{"diff --git a/b.c a/b.c\n--- a/b.c\n+++ a/b.c\n@@ -1 +1 @@\n-a\n+b\n", "a/b.c: 1"},
		{"diff --git i/b.c w/b.c\n--- i/b.c\n+++ w/b.c\n@@ -1 +1 @@\n-a\n+b\n", "b.c: 1"},
		{"diff --git a/a.c b/b.c\n--- a/a.c\n+++ b/b.c\n@@ -1 +1 @@\n-a\n+b\n", "b.c: 1"},
		{"diff --git n.c n.c\nnew file mode 100644\n--- /dev/null\n+++ n.c\n@@ -0,0 +1 @@\n+a\n", "n.c: 1"},
		/* names */
		{"diff --git \"a/\\303\\244 \\\"\\t.c\" \"b/\\303\\244 \\\"\\t.c\"\n--- \"a/\\303\\244 \\\"\\t.c\"\n"
		 "+++ \"b/\\303\\244 \\\"\\t.c\"\n@@ -1 +1 @@\n-a\n+b\n",
			"\303\244 \"\t.c: 1"},
		{"diff --git \"a/\\\\.c\" \"b/\\\\.c\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/\\\\.c\"\n@@ -0,0 "
		 "+1 @@\n+a\n",
			"\\.c: 1"},
		{"diff --git a/a b.c b/a b.c\n--- a/a b.c\t\n+++ b/a b.c\t\n@@ -1 +1 @@\n-a\n+b\n", "a b.c: 1"},
		{"--- a/x\n+++ \"b/\\000\"\n@@ -1 +1 @@\n-a\n+b\n", "!name"},
		{"--- a/x\n+++ \"b/\\400\"\n", "!name"},
		{"--- a/x\n+++ \"b/x\n", "!name"},
		{"--- a/x\n+++ \n", "!name"},
		{"--- \"\"\n+++ \"\"\n", "!name"},
		/* diff -u */
		{"--- old-1.0/src/a.c\t2026-01-01 00:00:00.000000000 +0000\n+++ new-1.1/src/a.c\t2026-02-01 00:00:00 "
		 "+0000\n"
		 "@@ -1,2 +1,3 @@\n a\n+b\n c\n",
			"src/a.c: 2"},
		{"diff -u a.c.orig a.c\n--- a.c.orig\t2026\n+++ a.c\t2026\n@@ -1 +1 @@\n-a\n+b\n", "a.c: 1"},
		{"--- ./src//a.c\n+++ ./src//a.c\n@@ -1 +1 @@\n-a\n+b\n", "src/a.c: 1"},
		{"Only in old: gone.c\n--- old/a.c\n+++ new/a.c\n@@ -1 +1 @@\n-a\n+b\n", "a.c: 1"},
		/* the end of the file has no newline; removed lines at the beginning and the end */
		{"--- a.c\n+++ a.c\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of "
		 "file\n",
			"a.c: 2"},
		{"--- a.c\n+++ a.c\n@@ -1,2 +1 @@\n-a\n b\n", "a.c: |0"},
		{"--- a.c\n+++ a.c\n@@ -4,3 +4,2 @@\n a\n b\n-c\n", "a.c: |5"},
		{"--- a.c\n+++ a.c\n@@ -2 +1,0 @@\n-a", "a.c: |1"},
		/* added before removed is one change; an empty line that lost its blank; CR LF everywhere */
		{"--- a.c\n+++ a.c\n@@ -1,3 +1,3 @@\n a\n+b\n-c\n d\n", "a.c: 2"},
		{"--- a.c\n+++ a.c\n@@ -1,3 +1,4 @@\n a\n\n+b\n c\n", "a.c: 3"},
		{"--- a.c\r\n+++ a.c\r\n@@ -1,3 +1,4 @@\r\n a\r\n\r\n+b\r\n c\r\n", "a.c: 3"},
		/* lines that look like headers inside of hunks; a mail */
		{"--- a.c\n+++ a.c\n@@ -1,2 +1,3 @@\n--- x\n+++ y\n+++ z\n z\n", "a.c: 1-2"},
		{"Subject: [PATCH] x\n---\n a.c | 2 +-\n\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n",
			"a.c: 1"},
		/* several files: in the order of their names */
		{"--- z.c\n+++ z.c\n@@ -1 +1 @@\n-a\n+b\n--- b.c\n+++ b.c\n@@ -1 +1 @@\n-a\n+b\n", "b.c: 1; z.c: 1"},
		/* what cannot be used */
		{"--- a.c\n+++ a.c\n@@ -1 +1 @@\n-a\n+b\n--- a.c\n+++ a.c\n@@ -9 +9 @@\n-a\n+b\n", "!a second time"},
		{"diff --cc a.c\n--- a/a.c\n+++ b/a.c\n@@@ -1 -1 +1 @@@\n- a\n", "!combined"},
		{"@@ -1 +1 @@\n-a\n+b\n", "!before the name"},
		{"--- a.c\n+++ a.c\n@@ -1,3 +1,2 @@\n a\n", "!ends inside"},
		{"--- a.c\n+++ a.c\n@@ -1 +1 @@\n-a\nx\n", "!other lines"},
		{"--- a.c\n+++ a.c\n@@ -1 +1 @@\n-a\n-b\n", "!other lines"},
		{"--- a.c\n+++ a.c\n@@ 1 +1 @@\n-a\n+b\n", "!begin as"},
		{"--- a.c\n+++ a.c\n@@ -1 +4294967296 @@\n-a\n+b\n", "!begin as"},
		{"--- a.c\n+++ a.c\n@@ -1 +99999999999999999999999 @@\n-a\n+b\n", "!begin as"},
		{"--- a.c\n+++ a.c\n@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", "!order"},
		{"--- a.c\n+++ a.c\n@@ -1 +0 @@\n-a\n+b\n", "!order"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wm_diff diff;
		struct wm_diff_error error = {0};
		bool well = wm_diff_parse(&diff, rows[i].diff, strlen(rows[i].diff), false, &error);
		char *found = well ? describe(&diff) : wm_xprintf("!%zu: %s", error.line, error.what);
		if (rows[i].want[0] == '!' ? well || !strstr(found, rows[i].want + 1)
					   : strcmp(found, rows[i].want) != 0)
			fail_msg("row %zu:\n%s\ngives %s, not %s", i, rows[i].diff, found, rows[i].want);
		free(found);
		wm_diff_release(&diff);
	}
}

/* The same diffs from the other side. */
static void parses_backwards(void **state)
{
	static const struct {
		const char *diff, *want;
	} rows[] = {
		{"diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1,3 +1,4 @@\n "
		 "one\n-two\n+TWO\n+three\n four\n"
		 "@@ -9 +10,0 @@\n-nine\n@@ -12,0 +13 @@\n+x\n",
			"src/a.c: 2 9 |12"},
		{"diff --git a/new.c b/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1,2 "
		 "@@\n+a\n+b\n",
			""},
		{"diff --git a/old.c b/old.c\ndeleted file mode 100644\n--- a/old.c\n+++ /dev/null\n@@ -1,2 +0,0 "
		 "@@\n-a\n-b\n",
			"old.c: 1-2"},
		{"diff --git a/old.c b/dir/new.c\nrename from old.c\nrename to dir/new.c\n--- a/old.c\n+++ "
		 "b/dir/new.c\n"
		 "@@ -3 +4 @@\n-a\n+b\n",
			"old.c: 3"},
		{"diff --git a/a.c b/b.c\n--- a/a.c\n+++ b/b.c\n@@ -1 +1 @@\n-a\n+b\n", "a.c: 1"},
		{"--- old-1.0/src/a.c\n+++ new-1.1/src/a.c\n@@ -5,2 +5,3 @@\n a\n+b\n c\n", "src/a.c: |5"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wm_diff diff;
		struct wm_diff_error error = {0};
		assert_true(wm_diff_parse(&diff, rows[i].diff, strlen(rows[i].diff), true, &error));
		char *found = describe(&diff);
		assert_string_equal(found, rows[i].want);
		free(found);
		wm_diff_release(&diff);
	}
}

/* Random changes, printed as a diff with a random number of lines of context, by a model of the two files: per line of the new
 * file whether it is new, and before it how many lines of the old file were removed. */

enum { LINES = 60 };
struct model {
	unsigned count; /* lines of the new file */
	bool added[LINES + 2];
	unsigned removed[LINES + 2]; /* before the line; the last is at the end of the file */
};

static uint64_t seed;
static unsigned next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33);
}

static void make_model(struct model *model)
{
	memset(model, 0, sizeof *model);
	model->count = next_random() % LINES;
	for (unsigned i = 1; i <= model->count + 1; i++) {
		model->added[i] = i <= model->count && next_random() % 6 == 0;
		model->removed[i] = next_random() % 9 == 0 ? 1 + next_random() % 3 : 0;
	}
}

static bool is_changed(const struct model *model, unsigned line)
{
	return line <= model->count + 1 && (model->added[line] || model->removed[line]);
}

/* The first line at or after `line` at which something changes; beyond the end if there is none. */
static unsigned next_change(const struct model *model, unsigned line)
{
	while (line <= model->count + 1 && !is_changed(model, line))
		line++;
	return line;
}

static void print_hunk(const struct model *model, unsigned first, unsigned end, unsigned old, FILE *out)
{
	unsigned old_count = 0, new_count = 0;
	for (unsigned i = first; i < end; i++) {
		old_count += model->removed[i] + (i <= model->count && !model->added[i]);
		new_count += i <= model->count;
	}
	fprintf(out, "@@ -%u,%u +%u,%u @@\n", old_count ? old : old - 1, old_count, new_count ? first : first - 1,
		new_count);
	for (unsigned i = first; i < end; i++) {
		for (unsigned r = 0; r < model->removed[i]; r++)
			fprintf(out, "-old\n");
		if (i <= model->count)
			fprintf(out, "%cnew\n", model->added[i] ? '+' : ' ');
	}
}

static unsigned old_line(const struct model *model, unsigned line)
{
	unsigned old = 1;
	for (unsigned i = 1; i < line; i++)
		old += model->removed[i] + !model->added[i];
	return old;
}

/* A line before which lines are removed is printed with them, so without context a removal is printed with one line. */
static void print_model(const struct model *model, unsigned context, FILE *out)
{
	unsigned done = 1;
	fprintf(out, "--- a.c\n+++ a.c\n");
	for (unsigned at = next_change(model, 1); at <= model->count + 1;) {
		unsigned first = at > done + context ? at - context : done, end = at + 1;
		for (unsigned next; (next = next_change(model, end)) <= model->count + 1 && next <= end + 2 * context;)
			end = next + 1;
		end = end + context < model->count + 2 ? end + context : model->count + 2;
		print_hunk(model, first, end, old_line(model, first), out);
		done = end;
		at = next_change(model, end);
	}
}

/* A sequence of changes without an unchanged line in between is one change: it modifies if it adds a line. */
static enum wm_line_change expect(const struct model *model, unsigned line)
{
	if (line <= model->count && model->added[line])
		return WM_LINE_CHANGED;
	bool before = model->removed[line] && !(line > 1 && model->added[line - 1]);
	bool after = line <= model->count && model->removed[line + 1] &&
		     !(line + 1 <= model->count && model->added[line + 1]);
	return before || after ? WM_LINE_BESIDE : WM_LINE_SAME;
}

static struct wm_map_module one_module = {.file_count = 1, .file = (const char *[]){"/r/a.c"}};
static struct wm_object one_object = {.map = {.module_count = 1, .module = &one_module}};

static void random_changes(void **state)
{
	(void)state;
	seed = 7;
	for (int round = 0; round < 3000; round++) {
		struct model model;
		struct wm_change change = {0};
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		make_model(&model);
		print_model(&model, next_random() % 5, out);
		fclose(out);
		wm_change_parse(&change, text, size, "the model");
		wm_change_join(&change, &one_object, 1);
		assert_int_equal(change.count, 1);
		for (unsigned line = 1; line <= model.count; line++)
			if (wm_change_line(&change, &one_module, 0, line) != expect(&model, line))
				fail_msg("round %d: line %u is %d, not %d:\n%s", round, line,
					wm_change_line(&change, &one_module, 0, line), expect(&model, line), text);
		wm_change_release(&change);
		free(text);
	}
}

/* Names */

struct join {
	struct wm_change change;
	struct wm_object object;
};

static void do_join(void *argument)
{
	struct join *join = argument;
	wm_change_join(&join->change, &join->object, 1);
}

/* `files` are those of the debug information and `names` those of the diff, separated by blanks; `want` are pairs FILE=NAME,
 * sorted by file, or "!" and a part of the reason. */
static void matches(
	const char *top, bool fixed, const char *names, const char *directory, const char *files, const char *want)
{
	char *name_list = wm_xstrdup(names), *file_list = wm_xstrdup(files), *found = wm_xstrdup(""),
	     *diff = wm_xstrdup("");
	const char *file[16];
	char *rest;
	struct wm_map_module module = {.file = file, .directory = directory};
	struct join join = {.change = {.top = top ? wm_xstrdup(top) : NULL, .fixed = fixed},
		.object = {.map = {.module_count = 1, .module = &module}}};
	for (char *word = strtok_r(name_list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *more = wm_xprintf("%s--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n", diff, word, word);
		free(diff);
		diff = more;
	}
	for (char *word = strtok_r(file_list, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		file[module.file_count++] = word;
	wm_change_parse(&join.change, diff, strlen(diff), "the diff");
	struct wm_heap heap = {0};
	struct wm_attempt attempt = {.heap = &heap};
	if (!wm_attempt_run(&attempt, do_join, &join)) {
		if (want[0] != '!' || !strstr(attempt.sentence, want + 1))
			fail_msg("%s against %s: %s", names, files, attempt.sentence);
		free(attempt.sentence);
		/* What was joined so far is in the heap. */
		join.change.count = 0;
		join.change.file = NULL;
		join.change.name = NULL;
	} else {
		for (size_t i = 0; i < join.change.count; i++) {
			const struct wm_change_file *is = &join.change.file[i];
			char *more = wm_xprintf("%s%s%s=%s", found, i ? " " : "", is->name, is->diff->name);
			free(found);
			found = more;
		}
		assert_string_equal(found, want);
		for (uint32_t f = 0; f < module.file_count; f++) {
			char *full = wm_file_name_join(directory ? directory : "", module.file[f]);
			char *pair = wm_xprintf("%s=", full);
			bool is = strstr(want, pair) != NULL;
			assert_int_equal(
				wm_change_line(&join.change, &module, f, 1), is ? WM_LINE_CHANGED : WM_LINE_SAME);
			free(full);
			free(pair);
		}
		assert_int_equal(join.change.absent, join.change.diff.count - join.change.count);
	}
	wm_heap_use(&heap);
	wm_change_release(&join.change);
	wm_heap_use(NULL);
	wm_heap_release(&heap);
	free(name_list);
	free(file_list);
	free(found);
	free(diff);
}

static void names(void **state)
{
	(void)state;
	/* below the root: exactly */
	matches("/r", true, "src/a.c b.c", NULL, "/r/src/a.c /r/b.c", "/r/b.c=b.c /r/src/a.c=src/a.c");
	matches("/r", true, "a.c", NULL, "/r/src/a.c", "");
	matches("/r", true, "a.c", NULL, "/r/src/a.c /r/a.c", "/r/a.c=a.c");
	matches("/r", true, "r/a.c", NULL, "/r/a.c", "");
	/* relative to the compilation directory */
	matches("/r", true, "src/a.c", "/r/build", "../src/a.c", "/r/src/a.c=src/a.c");
	matches("/r", true, "src/a.c", "/r/src", "a.c", "/r/src/a.c=src/a.c");
	matches("/r", true, "build/a.c", "/r/src", "a.c", "");
	matches(NULL, false, "a.c", NULL, "a.c", "a.c=a.c");
	/* elsewhere: by whole components, the longest first */
	matches("/r", true, "src/a.c", NULL, "/build/x/src/a.c /build/x/mysrc/a.c", "/build/x/src/a.c=src/a.c");
	matches("/r", true, "a.c lib/a.c", NULL, "/b/lib/a.c /b/a.c", "/b/a.c=a.c /b/lib/a.c=lib/a.c");
	matches("/r", true, "lib/a.c", NULL, "/b/a.c", "");
	matches("/r", true, "src/a.c", NULL, "/rr/src/a.c", "/rr/src/a.c=src/a.c");
	/* one below the root is preferred to one elsewhere, in any order */
	matches("/r", true, "a.c", NULL, "/b/a.c /r/a.c /c/a.c", "/r/a.c=a.c");
	matches("/r", false, "a.c", NULL, "/r/src/a.c", "/r/src/a.c=a.c");
	matches("/r", false, "a.c", NULL, "/r/src/a.c /r/a.c", "/r/a.c=a.c");
	/* an ambiguity is said */
	matches("/r", true, "a.c", NULL, "/b/x/a.c /b/y/a.c", "!its file a.c may be /b/x/a.c or /b/y/a.c");
	matches("/b/x", true, "a.c", NULL, "/b/x/a.c /b/y/a.c", "/b/x/a.c=a.c");
	matches(NULL, false, "src/a.c", NULL, "/old/src/a.c /new/src/a.c", "!--changed-root");
}

static void blocks_and_functions(void **state)
{
	(void)state;
	static const char diff[] = "--- a.c\n+++ a.c\n@@ -10 +10 @@\n-a\n+b\n@@ -20 +19,0 @@\n-x\n";
	struct wm_map_line first[] = {{0, 8, 0}, {0, 9, 0}}, second[] = {{0, 9, 0}, {0, 10, 0}}, third[] = {{0, 20, 0}};
	struct wm_map_block block[] = {{.line_count = 2, .line = first}, {.line_count = 2, .line = second},
		{.line_count = 1, .line = third}, {.decision = {0, 10, 3}}, {.line_count = 0}};
	struct wm_map_function map = {.graph = {.block_count = COUNT(block)}, .block = block};
	struct wm_map_function bare = {.graph = {.block_count = 2}};
	struct wm_story_function function = {.map = &map, .module = &one_module},
				 other = {.map = &bare, .module = &one_module};
	static const enum wm_line_change want[] = {
		WM_LINE_SAME, WM_LINE_CHANGED, WM_LINE_BESIDE, WM_LINE_CHANGED, WM_LINE_SAME};
	struct wm_change change = {0};
	wm_change_parse(&change, diff, strlen(diff), "the diff");
	wm_change_join(&change, &one_object, 1);
	for (uint32_t b = 0; b < COUNT(block); b++)
		assert_int_equal(wm_change_block(&change, &function, b), want[b]);
	assert_true(wm_change_function(&change, &function));
	assert_false(wm_change_function(&change, &other));
	struct wm_source_step step[] = {{.file = "/r/a.c", .line = 20, .function = &function},
		{.line = 0, .function = &function}, {.file = "/r/a.c", .line = 10, .function = &function}};
	assert_int_equal(wm_change_steps(&change, &(struct wm_steps){.count = 2, .step = step}), WM_LINE_BESIDE);
	assert_int_equal(wm_change_steps(&change, &(struct wm_steps){.count = 3, .step = step}), WM_LINE_CHANGED);
	assert_int_equal(wm_change_steps(&change, &(struct wm_steps){.count = 1, .step = step + 1}), WM_LINE_SAME);
	wm_change_release(&change);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(parses_backwards),
		cmocka_unit_test(random_changes),
		cmocka_unit_test(names),
		cmocka_unit_test(blocks_and_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
