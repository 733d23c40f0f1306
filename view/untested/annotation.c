/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/untested/annotation.h"
#include "analysis/join/story.h"
#include <inttypes.h>
#include <string.h>

/* What has a meaning in a command is written as %XX; in a property, two more characters have one. */
static void put(const char *text, const char *special, FILE *out)
{
	for (; *text; text++)
		if (strchr(special, *text))
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, out);
}

static const char in_message[] = "%\r\n", in_property[] = "%\r\n:,";

void wm_annotation_print(const struct wm_annotation *annotation, FILE *out)
{
	fprintf(out, "::%s ", annotation->level);
	if (annotation->file) {
		fputs("file=", out);
		put(wm_short_file(annotation->file), in_property, out);
		fputc(',', out);
	}
	if (annotation->file && annotation->line)
		fprintf(out, "line=%" PRIu32 ",", annotation->line);
	if (annotation->file && annotation->line && annotation->column)
		fprintf(out, "col=%" PRIu32 ",", annotation->column);
	fputs("title=", out);
	put(annotation->title, in_property, out);
	fputs("::", out);
	put(annotation->message, in_message, out);
	fputc('\n', out);
}
