/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A tracefile of LCOV, as geninfo(1) describes it.  Functions have their linkage names, because a comma ends a name there;
 * `genhtml --demangle-cpp` prints them as people write them.  A file whose name has a newline cannot be named: the newline is
 * printed as \x0a.
 */
#include "support/printable.h"
#include "view/export/export.h"
#include "view/export/export_mcdc.h"
#include <inttypes.h>
#include <stdlib.h>

static void print_functions(const struct wm_covered_file *file, FILE *out)
{
	struct wm_covered sum = wm_covered_functions(file);
	for (size_t i = 0; i < file->function_count; i++) {
		const struct wm_covered_function *f = &file->covered_function[i];
		char *name = wm_one_line(f->function->map->name);
		fprintf(out, "FN:%" PRIu32 ",%s\nFNDA:%" PRIu64 ",%s\n", f->line, name, f->entries, name);
		free(name);
	}
	fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", sum.all, sum.hit);
}

/* Whether the decision may have been reached on abandoned paths, so that "-" would say too much. */
static bool is_doubtful(const struct wm_covered_decision *decision)
{
	bool doubtful = false;
	for (uint32_t k = 0; k < decision->outcome_count; k++)
		doubtful |= decision->maybe[k];
	return doubtful;
}

/* The decisions of a line are numbered from 0.  "-": the decision was never reached.  Outcomes of which nothing is known are left
 * out. */
static void print_decisions(const struct wm_covered_file *file, FILE *out)
{
	struct wm_covered sum = wm_covered_outcomes(file);
	unsigned number = 0;
	for (size_t i = 0; i < file->decision_count; i++) {
		const struct wm_covered_decision *d = &file->decision[i];
		number = i && d[-1].line == d->line ? number + 1 : 0;
		for (uint32_t k = 0; k < d->outcome_count; k++)
			if (d->maybe[k])
				continue;
			else if (d->reached || is_doubtful(d))
				fprintf(out, "BRDA:%" PRIu32 ",%u,%" PRIu32 ",%" PRIu64 "\n", d->line, number, k,
					d->outcome[k]);
			else
				fprintf(out, "BRDA:%" PRIu32 ",%u,%" PRIu32 ",-\n", d->line, number, k);
	}
	fprintf(out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", sum.all, sum.hit);
}

static void print_lines(const struct wm_covered_file *file, FILE *out)
{
	struct wm_covered sum = wm_covered_lines(file);
	for (size_t i = 0; i < file->line_count; i++)
		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", file->line[i].line, file->line[i].count);
	fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", sum.all, sum.hit);
}

void wm_export_lcov(const struct wm_export *export, FILE *out)
{
	struct wm_mcdc_records mcdc;
	wm_mcdc_records_build(&mcdc, export->story, export->filter);
	for (size_t i = 0; i < export->coverage->file_count; i++) {
		const struct wm_covered_file *file = &export->coverage->file[i];
		char *name = wm_one_line(file->name);
		fprintf(out, "TN:\nSF:%s\n", name);
		free(name);
		print_functions(file, out);
		print_decisions(file, out);
		wm_mcdc_records_print(&mcdc, file->name, out);
		print_lines(file, out);
		fputs("end_of_record\n", out);
	}
	wm_mcdc_records_release(&mcdc);
}
