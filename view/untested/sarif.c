/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/untested/sarif.h"
#include "analysis/join/story.h"
#include "support/json.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifndef WM_VERSION
#define WM_VERSION "0.1.0"
#endif

static const char schema[] =
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/* Percent-encodes a path; heap. */
static char *encode(const char *path)
{
	static const char plain[] = "-._~/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	char *text = wm_xmalloc(3 * strlen(path) + 1), *to = text;
	for (; *path; path++)
		if (strchr(plain, *path))
			*to++ = *path;
		else
			to += snprintf(to, 4, "%%%02X", (unsigned char)*path);
	*to = 0;
	return text;
}

static json_t *artifact(const char *file)
{
	const char *name = wm_short_file(file);
	char *path = encode(name), *uri = wm_xprintf("%s%s", *name == '/' ? "file://" : "", path);
	json_t *object = wm_json_checked(json_pack("{s:o}", "uri", wm_json_text(uri)));
	if (*name != '/')
		json_object_set_new(object, "uriBaseId", json_string("%SRCROOT%"));
	free(path);
	free(uri);
	return object;
}

static json_t *text_object(const char *text)
{
	return wm_json_checked(json_pack("{s:o}", "text", wm_json_text(text)));
}

/* A location; NULL if the file is not known. */
static json_t *location(const struct wm_sarif_place *place)
{
	if (!place->file)
		return NULL;
	json_t *physical = wm_json_checked(json_pack("{s:o}", "artifactLocation", artifact(place->file)));
	if (place->line) {
		json_t *region = wm_json_checked(json_pack("{s:I}", "startLine", (json_int_t)place->line));
		if (place->column)
			json_object_set_new(region, "startColumn", json_integer(place->column));
		json_object_set_new(physical, "region", region);
	}
	json_t *object = wm_json_checked(json_pack("{s:o}", "physicalLocation", physical));
	if (place->message)
		json_object_set_new(object, "message", text_object(place->message));
	return object;
}

static json_t *result_locations(const struct wm_sarif_result *result)
{
	json_t *list = wm_json_checked(json_array()), *object = location(&result->place);
	if (object && result->function)
		json_object_set_new(object, "logicalLocations",
			wm_json_checked(json_pack("[{s:o, s:s}]", "fullyQualifiedName", wm_json_text(result->function),
				"kind", "function")));
	if (object)
		json_array_append_new(list, object);
	return list;
}

static json_t *related_locations(const struct wm_sarif_result *result)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < result->related_count; i++) {
		json_t *object = location(&result->related[i]);
		if (!object)
			continue;
		json_object_set_new(object, "id", json_integer((json_int_t)json_array_size(list)));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *code_flows(const struct wm_sarif_result *result)
{
	json_t *steps = wm_json_checked(json_array());
	for (size_t i = 0; i < result->flow_count; i++) {
		json_t *object = location(&result->flow[i]);
		if (object)
			json_array_append_new(steps, wm_json_checked(json_pack("{s:o}", "location", object)));
	}
	if (json_array_size(steps))
		return wm_json_checked(json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", steps));
	json_decref(steps);
	return NULL;
}

static json_t *result_object(const struct wm_sarif *sarif, const struct wm_sarif_result *result)
{
	static const char *const levels[] = {
		[WM_SARIF_NOTE] = "note", [WM_SARIF_WARNING] = "warning", [WM_SARIF_ERROR] = "error"};
	char fingerprint[20];
	json_t *flows = code_flows(result);
	json_t *object = wm_json_checked(json_pack("{s:s, s:I, s:s, s:o, s:o}", "ruleId", sarif->rule[result->rule].id,
		"ruleIndex", (json_int_t)result->rule, "level", levels[result->level], "message",
		text_object(result->message), "locations", result_locations(result)));
	if (result->related_count)
		json_object_set_new(object, "relatedLocations", related_locations(result));
	if (flows)
		json_object_set_new(object, "codeFlows", flows);
	snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, result->fingerprint);
	if (result->fingerprint)
		json_object_set_new(object, "partialFingerprints",
			wm_json_checked(json_pack("{s:s}", "waymarkDecisions", fingerprint)));
	return object;
}

static json_t *rule_list(const struct wm_sarif *sarif)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < sarif->rule_count; i++)
		json_array_append_new(
			list, wm_json_checked(json_pack("{s:s, s:s, s:o}", "id", sarif->rule[i].id, "name",
				      sarif->rule[i].name, "shortDescription", text_object(sarif->rule[i].summary))));
	return list;
}

void wm_sarif_begin(struct wm_sarif *sarif, FILE *out, const struct wm_sarif_rule *rule, size_t count)
{
	*sarif = (struct wm_sarif){.out = out, .rule = rule, .rule_count = count};
	json_t *tool = wm_json_checked(json_pack(
		"{s:{s:s, s:s, s:o}}", "driver", "name", "Waymark", "version", WM_VERSION, "rules", rule_list(sarif)));
	fprintf(out, "{\"$schema\":\"%s\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":", schema);
	wm_json_dump(tool, out, JSON_COMPACT);
	fputs(",\"columnKind\":\"unicodeCodePoints\",\"results\":[", out);
}

void wm_sarif_add(struct wm_sarif *sarif, const struct wm_sarif_result *result)
{
	fputs(sarif->count++ ? ",\n" : "\n", sarif->out);
	wm_json_dump(result_object(sarif, result), sarif->out, JSON_COMPACT);
}

void wm_sarif_end(struct wm_sarif *sarif)
{
	fputs("]}]}\n", sarif->out);
}
