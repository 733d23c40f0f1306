/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/suite/test_index.h"
#include "support/buffer.h"
#include "support/xalloc.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* NULL: there is no such document. */
static json_t *load(const char *directory)
{
	struct wm_buffer buffer;
	json_t *document = NULL;
	char *path = wm_xprintf("%s/%s", directory, WM_TEST_INDEX);
	if (wm_buffer_read(&buffer, path)) {
		document = json_loadb((const char *)buffer.data, buffer.size, 0, NULL);
		wm_buffer_release(&buffer);
	}
	free(path);
	return document;
}

static bool is_plain(const char *name)
{
	return name[0] != '.' && !strchr(name, '/') && wm_is_profile_name(name) && !wm_is_raw_name(name);
}

bool wm_test_index_read(const char *directory, struct wm_file_list *files)
{
	json_t *document = load(directory), *test;
	const char *schema = json_string_value(json_object_get(document, "schema"));
	bool written = schema && strcmp(schema, "waymark.test/1") == 0;
	size_t i;
	json_array_foreach(written && files ? json_object_get(document, "tests") : NULL, i, test)
	{
		const char *name = json_string_value(json_object_get(test, "file"));
		if (name && is_plain(name))
			wm_file_list_add(files, wm_xstrdup(name));
	}
	json_decref(document);
	return written;
}
