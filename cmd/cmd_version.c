/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "abi/abi.h"
#include "abi/stream.h"
#include "cmd/commands.h"
#include "profile/indexed/indexed_layout.h"
#include "profile/map/map_layout.h"
#include "profile/wpp/wpp_layout.h"
#include "support/fail.h"
#include "support/json.h"
#include "support/option_table.h"

/* The major version of clang that `waymark cc` runs and that loads the plugin. */
enum { CLANG = 19 };

static const char usage[] = "usage: waymark version [--json]\n"
			    "\n"
			    "Prints the version of Waymark, and the versions of the files that it writes.\n";

static const struct format {
	const char *name, *files;
	int version;
} formats[] = {
	{"map", "sections .waymark.map", WM_MAP_VERSION},
	{"raw", "raw profiles (.wmraw)", WM_ABI_VERSION},
	{"indexed", "indexed profiles (.wmprof)", WM_INDEXED_VERSION},
	{"recording", "recordings (.wmwpp)", WM_WPP_VERSION},
	{"spool", "spool files (.wmspool)", WM_SPOOL_VERSION},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static void print_json(void)
{
	json_t *document = wm_json_document("version"), *list = wm_json_checked(json_object());
	for (int i = 0; i < FORMAT_COUNT; i++)
		json_object_set_new(list, formats[i].name, json_integer(formats[i].version));
	json_object_set_new(document, "version", wm_json_text(WM_VERSION));
	json_object_set_new(document, "clang", json_integer(CLANG));
	json_object_set_new(document, "formats", list);
	wm_json_print(document);
}

int wm_cmd_version(int argc, char **argv)
{
	bool json = false;
	const struct wm_option own[] = {WM_FLAG("json", &json, "print JSON (schema waymark.version/1)"), {0}};
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}}, argc, argv);
	if (first < argc)
		wm_fail("'%s' is not expected: `waymark version` takes no operands", argv[first]);
	if (json) {
		print_json();
		return 0;
	}
	printf("waymark %s\ncompiles with clang %d\n", WM_VERSION, CLANG);
	for (int i = 0; i < FORMAT_COUNT; i++)
		printf("%s have version %d\n", formats[i].files, formats[i].version);
	return 0;
}
