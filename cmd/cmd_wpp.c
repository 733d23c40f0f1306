/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark wpp: queries on recordings of whole program paths. */
#include "analysis/recording/as.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "core/walk/segments.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include "view/recording/wpp_view.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark wpp [options] RECORDING BINARY...\n"
			    "\n"
			    "Asks a recording of `waymark cc -fwaymark-wpp`: the minimal hot sequences of\n"
			    "subpaths, the entries of a range, the path segments across calls, or the profile\n"
			    "of any scheme.  RECORDING is a file that `waymark wpp --compress` or\n"
			    "`waymark hw --wpp` has written (.wmwpp), or the raw profiles (.wmraw) of one or\n"
			    "several processes.\n";

/* "5", "0.5" or "5%": percent. */
static void take_share(void *target, const char *value)
{
	char *end;
	double percent = strtod(value, &end);
	if (end == value || (*end && strcmp(end, "%") != 0) || !(percent > 0 && percent <= 100))
		wm_fail("--share must be a percentage above 0 and up to 100, not '%s'", value);
	*(double *)target = percent / 100;
}

static uint64_t take_position(const char **text)
{
	char *end;
	const char *digits = *text;
	uint64_t number = strtoull(digits, &end, 10);
	if (*digits < '0' || *digits > '9')
		wm_fail("--range must be FROM..TO, two positions such as 0..100, not '%s'", digits);
	*text = end;
	return number;
}

static void take_range(void *target, const char *value)
{
	struct wm_wpp_options *options = target;
	const char *at = value;
	options->from = take_position(&at);
	if (strncmp(at, "..", 2) != 0)
		wm_fail("--range must be FROM..TO, two positions such as 0..100, not '%s'", value);
	at += 2;
	options->to = take_position(&at);
	if (*at || options->to < options->from)
		wm_fail("--range must be FROM..TO, two positions such as 0..100, not '%s'", value);
	options->dump = true;
}

static void take_segments(void *target, const char *value)
{
	char *end;
	uint64_t calls = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || calls < 1 || calls > WM_SEGMENT_MOST_CALLS)
		wm_fail("--segments must be from 1 to %u, not '%s'", WM_SEGMENT_MOST_CALLS, value);
	*(uint64_t *)target = calls;
}

/* wm_wpp_as() refuses the schemes that exist and cannot be computed. */
static void take_as(void *target, const char *value)
{
	struct wm_scheme_choice choice;
	if (wm_scheme_parse(value, &choice) != WM_OK || choice.scheme->interesting || choice.scheme->at_calls)
		wm_fail("--as %s is not possible: the schemes are acyclic, kiter=K, loopcontext, context and piecewise",
			value);
	if (choice.scheme->pending)
		wm_fail("--as %s is not possible: a recording does not say whether the program ended by exit, which "
			"counts pending paths",
			value);
	*(const char **)target = value;
}

static void take_like(void *target, const char *value)
{
	struct wm_operands *like = target;
	if (!wm_is_object_file(value))
		wm_fail("--like must name a binary, and %s is none", value);
	WM_XGROW(like->binary, like->binary_count);
	like->binary[like->binary_count++] = (char *)value;
}

static void check_options(const struct wm_wpp_options *options)
{
	if (options->least < 1 || options->least > options->most || options->most > WM_HOT_MOST)
		wm_fail("--min-length and --max-length must be from 1 to %u, and the first not above the second",
			WM_HOT_MOST);
	if (!!options->as + !!options->segments + options->dump + options->sites > 1)
		wm_fail("--as, --segments, --sites and --dump or --range exclude each other; ask one at a time");
	if (!!options->as != !!options->output)
		wm_fail("--as and -o belong together: `waymark wpp --as acyclic -o app.wmprof app.wmwpp ./app`");
	if (options->like.binary_count && !options->as)
		wm_fail("--like belongs to --as context and --as piecewise");
	if (wm_filter_has_files(&options->common.filter) &&
		(options->as || options->sites || (options->common.html && !options->segments)))
		wm_fail("--file and --exclude choose among sequences, segments and entries: they cannot be combined "
			"with "
			"--as, --sites, or --html without --segments");
	if (options->common.html && (options->as || options->dump || options->sites || options->common.json))
		wm_fail("--html excludes --as, --sites, --dump, --range and --json");
}

/* An answer that is a list for the compiler or a profile does not say itself that it is not whole. */
static void warn_of_stop(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	char *text = options->as || (options->sites && !options->common.json) ? wm_wpp_stopped_text(view) : NULL;
	if (text)
		wm_warn("%s", text);
	free(text);
}

static void refuse_branches(const struct wm_wpp *wpp, const char *path, const struct wm_wpp_options *options)
{
	if (wpp->table.kind == WM_WPP_BRANCHES && (options->as || options->segments || options->sites))
		wm_fail("%s cannot answer --as, --segments and --sites: `waymark hw` recorded it from machine code, "
			"and "
			"they need the subpaths of a build with -fwaymark-wpp",
			path);
}

static void answer(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	if (options->as)
		wm_wpp_as(view,
			&(struct wm_wpp_as){options->as, &options->like, options->common.debug_dir, options->output});
	else if (options->segments)
		wm_wpp_segments(view, options);
	else if (options->sites)
		wm_wpp_sites(view, options);
	else if (options->dump)
		wm_wpp_dump(view, options);
	else
		wm_wpp_hot(view, options);
}

int wm_cmd_wpp(int argc, char **argv)
{
	struct wm_wpp_options options = {.least = 2, .most = 16, .share = 0.01, .to = UINT64_MAX};
	const char *compress = NULL;
	const struct wm_option own[] = {
		WM_TEXT("compress", &compress, "OUT.wmwpp",
			"only write the recording as grammars; no binary is needed"),
		WM_NUMBER("min-length", &options.least, "hot sequences have at least N entries (2)", WM_RARE),
		WM_NUMBER("max-length", &options.most, "hot sequences have at most N entries (16)", WM_RARE),
		WM_CALL("share", take_share, &options.share, "PERCENT",
			"hot sequences have at least this share of the executed blocks (1)", WM_RARE),
		WM_FLAG("dump", &options.dump, "print all entries"),
		WM_CALL("range", take_range, &options, "FROM..TO", "print the entries from position FROM to before TO"),
		WM_CALL("segments", take_segments, &options.segments, "N",
			"print the path segments that span at most N calls"),
		WM_FLAG("sites", &options.sites,
			"print the executed call sites with their targets, as a list for\n"
			"-fwaymark-sites"),
		WM_CALL("as", take_as, &options.as, "SCHEME", "compute the profile of a scheme; needs -o"),
		WM_CALL("like", take_like, &options.like, "BINARY",
			"with --as context or piecewise: the build whose profile is computed", WM_RARE),
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &options.output,
			.value = "OUT.wmprof",
			.help = "where --as writes the profile"},
		WM_NUMBER("paths", &options.common.paths, "print the N hottest sequences or segments (20)"),
		WM_FLAG("json", &options.common.json, "print JSON (schema waymark.wpp/1)"),
		WM_TEXT("html", &options.common.html, "DIR",
			"write a page into DIR: the phases of the program, or with --segments the\n"
			"segments"),
		{0},
	};
	struct wm_operands operands = {0};
	struct wm_wpp_view view;
	struct wm_wpp wpp;
	struct wm_option filter[WM_FILTER_OPTIONS], source[WM_SOURCE_OPTIONS];
	wm_report_options_init(&options.common);
	options.common.paths = 20;
	wm_filter_option_table(filter, &options.common);
	wm_source_option_table(source, &options.common);
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own, filter, source}}, argc, argv);
	check_options(&options);
	wm_operands_take(&operands, argv + first, argc - first);
	if (!compress || !operands.profile_count)
		wm_operands_check(&operands, "waymark wpp");
	wm_interrupt_catch();
	if (compress) {
		wm_wpp_compress(operands.profile, operands.profile_count, compress);
	} else {
		wm_wpp_load(&wpp, operands.profile, operands.profile_count);
		refuse_branches(&wpp, operands.profile[0], &options);
		if (wpp.table.kind == WM_WPP_BRANCHES && wm_filter_has_files(&options.common.filter))
			wm_fail("--file and --exclude need a recording of a build with -fwaymark-wpp: `waymark hw` "
				"recorded %s "
				"from machine code",
				operands.profile[0]);
		wm_interrupt_catch();
		wm_wpp_view_open(&view, &wpp, &operands, options.common.debug_dir);
		wm_report_scope(&options.common, true, view.story.object, view.story.object_count);
		answer(&view, &options);
		warn_of_stop(&view, &options);
		wm_wpp_view_release(&view);
	}
	wm_scope_release(&options.common.scope);
	wm_operands_release(&operands);
	wm_operands_release(&options.like);
	wm_finish_output();
	wm_interrupt_pass_on();
	return 0;
}
