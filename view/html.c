/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages are written into a new directory beside the target, which then replaces the target in one step. */
#include "view/html.h"
#include "support/printable.h"
#include "view/page.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_character(FILE *out, const char *text, struct wm_character character)
{
	char escaped[WM_ESCAPED_BYTE];
	if (character.printable || *text == '\t' || *text == '\n') {
		fwrite(text, 1, character.length, out);
		return;
	}
	for (size_t i = 0; i < character.length; i++) {
		wm_escape_byte(escaped, (unsigned char)text[i]);
		fwrite(escaped, 1, sizeof escaped, out);
	}
}

static void escape_bytes(FILE *out, const char *text, size_t length)
{
	struct wm_character character;
	for (size_t i = 0; i < length; i += character.length) {
		character = wm_character_at(text + i, length - i);
		switch (text[i]) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			put_character(out, text + i, character);
		}
	}
}

void wm_html_text(FILE *out, const char *text)
{
	escape_bytes(out, text, strlen(text));
}

void wm_html_open(struct wm_html *site, const char *name)
{
	site->path = wm_xprintf("%s/%s", site->directory, name);
	wm_output_open(&site->page, site->path);
	site->page.quick = true;
	site->out = site->page.file;
}

void wm_html_close(struct wm_html *site)
{
	if (ferror(site->out))
		wm_output_fail(&site->page);
	wm_output_close(&site->page);
	free(site->path);
	site->out = NULL;
}

void wm_html_begin(struct wm_html *site, const char *title, const char *root)
{
	fprintf(site->out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
	wm_html_text(site->out, title);
	fprintf(site->out, "</title><link rel=\"stylesheet\" href=\"%sstyle.css\"></head><body><main>\n", root);
}

void wm_html_note_missing(struct wm_html *site, const char *file, uint32_t line)
{
	bool missing = file && line && !site->sources.off && wm_source_state(&site->sources, file) != WM_SOURCE_SHOWN;
	if (missing && !site->missing)
		site->missing = wm_xstrdup(file);
}

/* Which option adds the source that the page lacks. */
static void advise(struct wm_html *site)
{
	char *advice = site->missing ? wm_source_advice(&site->sources, site->missing) : NULL;
	if (advice) {
		fputs("<p class=\"note\">", site->out);
		wm_html_text(site->out, advice);
		fputs("</p>\n", site->out);
	}
	free(advice);
	free(site->missing);
	site->missing = NULL;
}

void wm_html_end(struct wm_html *site)
{
	advise(site);
	fprintf(site->out, "<footer>Counts are exact; functions without exact counts are listed as refused or "
			   "skipped.</footer></main></body></html>\n");
}

void wm_html_card(struct wm_html *site, const char *number, const char *what)
{
	fprintf(site->out, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", number, what);
}

void wm_html_share(struct wm_html *site, double percent)
{
	fprintf(site->out, "<span class=\"share\"><i style=\"width:%.2f%%\"></i><b>%.2f%%</b></span>", percent,
		percent);
}

/* The page of one function */

static const char *outcome_class(const char *outcome)
{
	if (strcmp(outcome, "true") == 0)
		return "tag true";
	if (strcmp(outcome, "false") == 0)
		return "tag false";
	if (strcmp(outcome, "threw") == 0)
		return "tag bad";
	if (strcmp(outcome, "returned") == 0)
		return "tag";
	return "tag case";
}

static void outcome_tags(struct wm_html *site, const struct wm_row *row)
{
	char decision[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	for (size_t i = row->first; i < row->end; i++) {
		const struct wm_source_step *step = &site->steps.step[i];
		if (!step->decision.outcome[0])
			continue;
		fprintf(site->out, "<span class=\"%s\"", outcome_class(step->decision.outcome));
		if (step->column)
			fprintf(site->out, " title=\"column %u\"", step->column);
		fputc('>', site->out);
		wm_html_text(site->out, wm_decision_text(&step->decision, decision));
		fputs("</span> ", site->out);
	}
}

static void step_label(struct wm_html *site, const struct wm_source_step *step)
{
	const char *home = wm_story_file(step->function);
	if (!step->line) {
		fprintf(site->out, "block %u", step->block);
		return;
	}
	if (step->file && home && strcmp(step->file, home) != 0) {
		wm_html_text(site->out, wm_short_file(step->file));
		fputc(':', site->out);
	}
	fprintf(site->out, "%u", step->line);
}

static void step_row(
	struct wm_html *site, const struct wm_story_function *function, const struct wm_row *row, uint32_t highlighted)
{
	const struct wm_source_step *step = &site->steps.step[row->first];
	size_t length;
	const char *text = wm_step_source(&site->sources, step, function, &length);
	wm_html_note_missing(site, text ? NULL : step->file, step->line);
	if (step->begins[0]) {
		fprintf(site->out, "<tr><td></td><td colspan=\"2\" class=\"soft\" style=\"padding-left:%uem\">",
			2 * step->depth);
		wm_html_text(site->out, step->begins);
		fputs("</td></tr>\n", site->out);
	}
	fprintf(site->out, "<tr%s title=\"block %u\"><td class=\"at\">",
		wm_row_decides(&site->steps, row, highlighted) ? " class=\"parts\"" : "", step->block);
	step_label(site, step);
	fputs("</td><td>", site->out);
	outcome_tags(site, row);
	fprintf(site->out, "</td><td class=\"src\" style=\"padding-left:%uem\">", 2 * step->depth);
	if (text)
		escape_bytes(site->out, text, length);
	fputs("</td></tr>\n", site->out);
}

void wm_html_steps(struct wm_html *site, const struct wm_story_function *function, uint32_t highlighted)
{
	struct wm_row *rows;
	size_t count = wm_steps_rows(&site->steps, &rows);
	count = wm_rows_tidy(&site->steps, rows, count, &site->sources, function);
	fputs("<table class=\"steps mono\"><tbody>\n", site->out);
	for (size_t i = 0; i < count; i++)
		step_row(site, function, &rows[i], highlighted);
	fputs("</tbody></table>\n", site->out);
	free(rows);
}

/* Only the decisions of a path, which are shown while its lines are collapsed. */
static void brief(struct wm_html *site)
{
	char decision[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	size_t shown = 0;
	fputs("<span class=\"brief\">", site->out);
	for (size_t i = 0; i < site->steps.count && shown <= 12; i++) {
		const struct wm_source_step *step = &site->steps.step[i];
		if (!step->decision.outcome[0] || strcmp(step->decision.outcome, "returned") == 0)
			continue;
		if (shown++ == 12) {
			fputs("<span class=\"tag\">&hellip;</span>", site->out);
			break;
		}
		fprintf(site->out, "<span class=\"%s\">", outcome_class(step->decision.outcome));
		if (step->line)
			fprintf(site->out, "%u ", step->line);
		wm_html_text(site->out, wm_decision_text(&step->decision, decision));
		fputs("</span>", site->out);
	}
	fputs("</span>", site->out);
}

const char *wm_html_start(unsigned start)
{
	return start == WM_START_ENTRY ? "entry" : start == WM_START_LOOP ? "loop head" : "cut";
}

const char *wm_html_end_words(unsigned end)
{
	switch (end) {
	case WM_END_RETURN:
		return "return";
	case WM_END_NORETURN:
		return "a call that does not return";
	case WM_END_UNWIND:
		return "unwinding";
	case WM_END_BACKEDGE:
		return "back edge";
	case WM_END_CALL:
		return "call";
	default:
		return "cut";
	}
}

static void path_end(struct wm_html *site)
{
	const struct wm_path_ends *ends = &site->ends;
	fprintf(site->out, "<div class=\"end\">ends at: %s", wm_html_end_words(ends->end));
	if (ends->edge != WM_NONE) {
		uint32_t target = ends->last->map->graph.edge_to[ends->edge], line = wm_block_line(ends->last, target);
		if (line)
			fprintf(site->out, " to line %u", line);
		else
			fprintf(site->out, " to block %u", target);
	}
	fputs("</div>", site->out);
}

void wm_html_path_begin(struct wm_html *site, const struct wm_story_function *function,
	const struct wm_story_path *path, uint64_t whole, bool open)
{
	wm_steps_tell(&site->steps, function, path->id, &site->ends);
	fprintf(site->out, "<details class=\"path\" id=\"p%" PRIu64 "\"%s><summary>", path->id, open ? " open" : "");
	wm_html_share(site, wm_share(path->count, whole));
	fprintf(site->out,
		"<span class=\"count\">%s</span><span>path %" PRIu64 "</span><span class=\"soft\">%s &rarr; %s</span>",
		wm_thousands(path->count), path->id, wm_html_start(path->start), wm_html_end_words(path->end));
	brief(site);
	fputs("</summary>\n", site->out);
	if (path->first_seen)
		fprintf(site->out, "<p class=\"soft\">first seen %s by process %" PRIu64 "</p>\n",
			wm_time_text(path->first_seen), path->pid);
}

void wm_html_path_end(struct wm_html *site, const struct wm_story_function *function, uint32_t highlighted)
{
	wm_html_steps(site, function, highlighted);
	path_end(site);
	fputs("</details>\n", site->out);
}

void wm_html_place(struct wm_html *site, const struct wm_story_function *function)
{
	char place[512];
	wm_html_text(site->out, wm_place_text(function, place, sizeof place));
}

void wm_html_notes(struct wm_html *site, char *const *note, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs("<p class=\"note\">", site->out);
		wm_html_text(site->out, note[i]);
		fputs("</p>\n", site->out);
	}
}

void wm_html_refused(struct wm_html *site, const struct wm_story_refusal *refused, size_t count)
{
	if (!count)
		return;
	fprintf(site->out,
		"<details class=\"note refused\"%s><summary>%zu refused, because the counts would not be "
		"exact</summary><ul>",
		count <= 5 ? " open" : "", count);
	for (size_t first = 0, end; first < count; first = end) {
		end = wm_refused_alike(refused, first, count);
		fputs("<li>", site->out);
		for (size_t i = first; i < end; i++) {
			char *name = wm_demangle(refused[i].name);
			fputs(i == first ? "<code>" : ", <code>", site->out);
			wm_html_text(site->out, name);
			fputs("</code>", site->out);
			free(name);
		}
		fputs(": ", site->out);
		wm_html_text(site->out, refused[first].reason);
		fputs("</li>\n", site->out);
	}
	fputs("</ul></details>\n", site->out);
}

void wm_html_table_begin(struct wm_html *site, const struct wm_html_column *columns, size_t count, const char *others)
{
	fputs("<div class=\"tools\"><input id=\"search\" type=\"search\" placeholder=\"Find functions by name, file or "
	      "status\" aria-label=\"Find functions\">",
		site->out);
	fprintf(site->out,
		"<label><input id=\"idle\" type=\"checkbox\" checked> %s</label><span id=\"shown\" "
		"class=\"soft\"></span></div>\n<div class=\"wide\"><table class=\"functions\"><thead><tr>",
		others);
	for (size_t i = 0; i < count; i++)
		fprintf(site->out, "<th aria-sort=\"%s\"%s><button>%s</button></th>", i ? "none" : "descending",
			columns[i].number ? " class=\"num\"" : "", columns[i].head);
	fputs("</tr></thead><tbody>\n", site->out);
}

void wm_html_table_end(struct wm_html *site)
{
	fputs("</tbody></table></div>\n<script src=\"script.js\"></script>\n", site->out);
}

void wm_html_number(struct wm_html *site, uint64_t number, bool told)
{
	fprintf(site->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s</td>", number,
		told ? wm_thousands(number) : "");
}

void wm_html_name(struct wm_html *site, const struct wm_story_function *function, const char *page)
{
	fputs("<td class=\"name\">", site->out);
	if (page)
		fprintf(site->out, "<a href=\"%s\">", page);
	fputs("<code>", site->out);
	wm_html_text(site->out, function->brief);
	fprintf(site->out, "</code>%s<small>", page ? "</a>" : "");
	wm_html_place(site, function);
	if (function->state == WM_STORY_SKIPPED || function->state == WM_STORY_REFUSED) {
		fputs(" &middot; ", site->out);
		wm_html_text(site->out, wm_story_reason(function));
	}
	fputs("</small></td>", site->out);
}

static void asset(struct wm_html *site, const char *name, const char *text)
{
	wm_html_open(site, name);
	fputs(text, site->out);
	wm_html_close(site);
}

/* The directory */

static const char marker[] = "waymark-report";

static bool is_ours_or_empty(const char *directory)
{
	size_t others = 0;
	bool marked = false;
	DIR *entries = opendir(directory);
	if (!entries)
		wm_fail("cannot read %s: %s", directory, strerror(errno));
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		marked |= strcmp(entry->d_name, marker) == 0;
		others++;
	}
	closedir(entries);
	return marked || !others;
}

static void remove_pages(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (entry->d_type != DT_DIR)
			unlinkat(fd, entry->d_name, 0);
	closedir(entries);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_report(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	remove_pages(fd, "f");
	close(fd);
	remove_pages(AT_FDCWD, directory);
}

/* A slash at the end of a name would hide that the name is a link. */
static char *without_slashes(const char *name)
{
	char *plain = wm_xstrdup(name);
	for (size_t length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
		plain[length - 1] = 0;
	return plain;
}

static char *target_directory(const char *name)
{
	char *plain = without_slashes(name), *target = wm_output_target(plain), *real = realpath(target, NULL);
	free(plain);
	if (!real)
		return target;
	free(target);
	struct stat info;
	if (stat(real, &info) == 0 && !S_ISDIR(info.st_mode))
		wm_fail("%s is not a directory", name);
	if (!is_ours_or_empty(real))
		wm_fail("%s contains files that are not part of a Waymark report; choose an empty or new "
			"directory",
			name);
	return real;
}

static void make_directory(struct wm_html *site)
{
	char *pages;
	site->directory = wm_xprintf("%s.XXXXXX", site->target);
	mode_t mask = umask(0);
	umask(mask);
	if (!mkdtemp(site->directory) || chmod(site->directory, 0777 & ~mask) != 0)
		wm_fail("cannot create a directory beside %s: %s", site->target, strerror(errno));
	pages = wm_xprintf("%s/f", site->directory);
	if (mkdir(pages, 0777) != 0)
		wm_fail("cannot create %s: %s", pages, strerror(errno));
	free(pages);
}

static void put_in_place(struct wm_html *site)
{
	if (rename(site->directory, site->target) == 0)
		return;
	if (renameat2(AT_FDCWD, site->directory, AT_FDCWD, site->target, RENAME_EXCHANGE) != 0)
		wm_fail("cannot move the report to %s: %s; it is in %s", site->target, strerror(errno),
			site->directory);
	remove_report(site->directory);
}

void wm_html_site_begin(struct wm_html *site, const struct wm_report_options *options)
{
	*site = (struct wm_html){.options = options, .target = target_directory(options->html)};
	site->sources =
		(struct wm_sources){.directories = &options->source_dirs, .off = options->no_source, .confined = true};
	site->steps.sources = &site->sources;
	make_directory(site);
	asset(site, "style.css", wm_html_style);
	asset(site, "script.js", wm_html_script);
	asset(site, marker, "Written by Waymark, which replaces this directory.\n");
}

void wm_html_site_end(struct wm_html *site)
{
	put_in_place(site);
	if (site->sources.refused_count)
		wm_warn("%zu source file%s outside the current directory and not in the pages (the first is %s); "
			"--source-dir DIR allows the files below DIR",
			site->sources.refused_count, site->sources.refused_count == 1 ? " is" : "s are",
			site->sources.refused);
	if (site->sources.absent_count)
		wm_warn("%zu source file%s not found (the first is %s); --source-dir DIR names a directory in which %s",
			site->sources.absent_count, site->sources.absent_count == 1 ? " is" : "s are",
			site->sources.absent, site->sources.absent_count == 1 ? "it is" : "they are");
	wm_sources_release(&site->sources);
	wm_steps_release(&site->steps);
	free(site->directory);
	free(site->target);
}
