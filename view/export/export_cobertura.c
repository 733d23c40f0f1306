/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A report of Cobertura, as coverage-04.dtd describes it: a package per directory, a class per file.  A method has the line of
 * its definition.  Files below the current directory have names relative to it.
 */
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/export/export.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sums {
	struct wm_covered lines, outcomes;
};

static void add(struct wm_covered *sum, struct wm_covered more)
{
	sum->all += more.all;
	sum->hit += more.hit;
}

static void add_file(struct sums *sums, const struct wm_covered_file *file)
{
	add(&sums->lines, wm_covered_lines(file));
	add(&sums->outcomes, wm_covered_outcomes(file));
}

static double rate(struct wm_covered covered)
{
	return covered.all ? (double)covered.hit / (double)covered.all : 1;
}

static void print_rates(FILE *out, struct sums sums)
{
	fprintf(out, " line-rate=\"%.6f\" branch-rate=\"%.6f\" complexity=\"0\"", rate(sums.lines),
		rate(sums.outcomes));
}

static void print_method(const struct wm_covered_function *f, FILE *out)
{
	wm_html_print(out, "<method name=\"%s\" signature=\"%s\"", f->function->display, f->function->map->name);
	print_rates(out, (struct sums){.lines = {1, f->entries != 0}});
	fprintf(out, "><lines><line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\"/></lines></method>\n", f->line,
		f->entries);
}

/* A line with the decisions first … end - 1. */
static void print_line(
	const struct wm_covered_file *file, const struct wm_covered_line *line, size_t first, size_t end, FILE *out)
{
	struct wm_covered_file part = {.decision = file->decision + first, .decision_count = end - first};
	struct wm_covered sum = wm_covered_outcomes(&part);
	fprintf(out, "<line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\"", line->line, line->count);
	if (!sum.all) {
		fputs("/>\n", out);
		return;
	}
	fprintf(out, " branch=\"true\" condition-coverage=\"%" PRIu64 "%% (%" PRIu64 "/%" PRIu64 ")\"><conditions>",
		sum.hit * 100 / sum.all, sum.hit, sum.all);
	for (size_t i = first; i < end; i++) {
		part = (struct wm_covered_file){.decision = &file->decision[i], .decision_count = 1};
		sum = wm_covered_outcomes(&part);
		if (!sum.all)
			continue;
		fprintf(out, "<condition number=\"%zu\" type=\"%s\" coverage=\"%" PRIu64 "%%\"/>", i - first,
			file->decision[i].outcome_count == 2 ? "jump" : "switch", sum.hit * 100 / sum.all);
	}
	fputs("</conditions></line>\n", out);
}

static void print_lines(const struct wm_covered_file *file, FILE *out)
{
	size_t first = 0, end;
	for (size_t i = 0; i < file->line_count; i++, first = end) {
		/* Lines of which nothing is known are left out, with their decisions. */
		while (first < file->decision_count && file->decision[first].line < file->line[i].line)
			first++;
		for (end = first; end < file->decision_count && file->decision[end].line == file->line[i].line; end++)
			;
		print_line(file, &file->line[i], first, end, out);
	}
}

static void print_class(const struct wm_covered_file *file, FILE *out)
{
	struct sums sums = {0};
	const char *base = strrchr(file->name, '/');
	add_file(&sums, file);
	wm_html_print(
		out, "<class name=\"%s\" filename=\"%s\"", base ? base + 1 : file->name, wm_short_file(file->name));
	print_rates(out, sums);
	fputs("><methods>\n", out);
	for (size_t i = 0; i < file->function_count; i++)
		print_method(&file->covered_function[i], out);
	fputs("</methods><lines>\n", out);
	print_lines(file, out);
	fputs("</lines></class>\n", out);
}

/* The length of the directory in a name. */
static size_t directory(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? (size_t)(slash - name) : 0;
}

/* The end of the files that are in the directory of file `first`: the names are in order, but directories are among files. */
static bool in_package(const struct wm_covered_file *file, const char *like)
{
	size_t length = directory(like);
	return directory(file->name) == length && strncmp(file->name, like, length) == 0;
}

static void print_package(const struct wm_coverage *coverage, const char *like, FILE *out)
{
	struct sums sums = {0};
	char *name = wm_xstrdup(wm_short_file(like));
	name[directory(name)] = 0;
	for (size_t i = 0; i < coverage->file_count; i++)
		if (in_package(&coverage->file[i], like))
			add_file(&sums, &coverage->file[i]);
	wm_html_print(out, "<package name=\"%s\"", *name ? name : ".");
	print_rates(out, sums);
	fputs("><classes>\n", out);
	for (size_t i = 0; i < coverage->file_count; i++)
		if (in_package(&coverage->file[i], like))
			print_class(&coverage->file[i], out);
	fputs("</classes></package>\n", out);
	free(name);
}

static bool begins_package(const struct wm_coverage *coverage, size_t file)
{
	for (size_t i = 0; i < file; i++)
		if (in_package(&coverage->file[i], coverage->file[file].name))
			return false;
	return true;
}

/* Seconds; those of SOURCE_DATE_EPOCH for files that must not depend on when they were written. */
static long long now(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	return fixed ? strtoll(fixed, NULL, 10) : (long long)time(NULL);
}

static void print_head(const struct wm_coverage *coverage, FILE *out)
{
	struct sums sums = {0};
	char *here = getcwd(NULL, 0);
	for (size_t i = 0; i < coverage->file_count; i++)
		add_file(&sums, &coverage->file[i]);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage",
		out);
	print_rates(out, sums);
	fprintf(out,
		" lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\" branches-covered=\"%" PRIu64
		"\" branches-valid=\"%" PRIu64 "\" version=\"waymark " WM_VERSION "\" timestamp=\"%lld\">\n",
		sums.lines.hit, sums.lines.all, sums.outcomes.hit, sums.outcomes.all, now());
	wm_html_print(out, "<sources><source>%s</source></sources>\n<packages>\n", here ? here : ".");
	free(here);
}

void wm_export_cobertura(const struct wm_export *export, FILE *out)
{
	const struct wm_coverage *coverage = export->coverage;
	print_head(coverage, out);
	for (size_t i = 0; i < coverage->file_count; i++)
		if (begins_package(coverage, i))
			print_package(coverage, coverage->file[i].name, out);
	fputs("</packages></coverage>\n", out);
}
