/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark hw --plackett-burman: measures which parameters of table 5.4 influence the accuracy of the hot path table.
 * Runs of the design with the same machine share an analysis, so that one pass over a trace suffices for all runs.
 */
#include "cmd/hw_command.h"
#include "cmd/report_options.h"
#include "hardware/model/plackett.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include <stdlib.h>

enum { ENTRIES, WAYS, INDEX, L2_SIZE, L2_WAYS, PREDICTOR, DUMMY };
static const char *const factor_name[WM_HW_PLACKETT_FACTORS] = {
	"table entries", "table ways", "table index", "L2 size", "L2 ways", "predictor", "none"};
static const enum wm_hw_metric metrics[] = {WM_HW_FREQUENCY, WM_HW_L2_MISSES, WM_HW_MISPREDICTIONS};
enum { METRICS = sizeof metrics / sizeof *metrics, MACHINES = 8 };

struct wm_hw_study {
	struct wm_hw_analysis analysis[MACHINES];
	size_t table_count[MACHINES];
	size_t place[WM_HW_PLACKETT_RUNS]; /* the first table of a run in the analysis of its machine */
};

static bool high(unsigned run, unsigned factor)
{
	return wm_hw_plackett_sign(run, factor) > 0;
}

static unsigned machine_of(unsigned run)
{
	return (unsigned)high(run, L2_SIZE) << 2 | (unsigned)high(run, L2_WAYS) << 1 | (unsigned)high(run, PREDICTOR);
}

static void set_machine(struct wm_hw_machine_config *machine, unsigned number)
{
	machine->caches = machine->predictor = true;
	machine->memory_config.l2.size = number & 4 ? 2048u << 10 : 256u << 10;
	machine->memory_config.l2.ways = number & 2 ? 8 : 1;
	machine->predictor_config = number & 1 ? wm_hw_predictor_table_5_4_high() : wm_hw_predictor_table_5_4_low();
	wm_hw_machine_set_energy(machine);
}

static void set_tables(struct wm_hw_study *study, unsigned machine, struct wm_hw_table_config *table)
{
	size_t *count = &study->table_count[machine];
	for (unsigned run = 0; run < WM_HW_PLACKETT_RUNS; run++) {
		if (machine_of(run) != machine)
			continue;
		study->place[run] = *count;
		for (size_t i = 0; i < METRICS; i++) {
			table[*count] = wm_hw_table_default;
			table[*count].entries = high(run, ENTRIES) ? 2048 : 128;
			table[*count].ways = high(run, WAYS) ? 32 : 2;
			table[*count].index = high(run, INDEX) ? WM_HW_INDEX_XOR : WM_HW_INDEX_ADDRESS;
			table[(*count)++].metric = metrics[i];
		}
	}
}

struct wm_hw_study *wm_hw_study_new(const struct wm_hw_analysis_config *base)
{
	struct wm_hw_study *study = wm_xmalloc(sizeof *study);
	struct wm_hw_table_config table[WM_HW_PLACKETT_RUNS * METRICS];
	*study = (struct wm_hw_study){0};
	for (unsigned machine = 0; machine < MACHINES; machine++) {
		struct wm_hw_analysis_config config = *base;
		set_machine(&config.machine, machine);
		set_tables(study, machine, table);
		config.table = table;
		config.table_count = study->table_count[machine];
		config.window = 0;
		if (wm_hw_analysis_init(&study->analysis[machine], &config))
			wm_no_memory();
	}
	return study;
}

void wm_hw_study_free(struct wm_hw_study *study)
{
	for (size_t i = 0; study && i < MACHINES; i++)
		wm_hw_analysis_release(&study->analysis[i]);
	free(study);
}

static void take_step(void *closure, const struct wm_hw_step *step)
{
	struct wm_hw_study *study = closure;
	for (size_t i = 0; i < MACHINES; i++)
		if (wm_hw_analysis_step(&study->analysis[i], step))
			wm_no_memory();
}

static void finish(void *closure)
{
	struct wm_hw_study *study = closure;
	for (size_t i = 0; i < MACHINES; i++)
		if (wm_hw_analysis_finish(&study->analysis[i]))
			wm_no_memory();
}

struct wm_hw_listener wm_hw_study_listener(struct wm_hw_study *study)
{
	return (struct wm_hw_listener){.closure = study, .step = take_step, .finish = finish};
}

static void measure(const struct wm_hw_study *study, size_t metric, double *effect)
{
	double overlap[WM_HW_PLACKETT_RUNS];
	for (unsigned run = 0; run < WM_HW_PLACKETT_RUNS; run++) {
		const struct wm_hw_analysis *analysis = &study->analysis[machine_of(run)];
		overlap[run] = 100 * wm_hw_table_overlap(
					     &analysis->judged[study->place[run] + metric].complete, &analysis->paths);
	}
	wm_hw_plackett_effects(overlap, effect);
}

static void print_json(const struct wm_hw_feed *feed, double effect[METRICS][WM_HW_PLACKETT_FACTORS])
{
	json_t *document = wm_json_document("hw"), *study = wm_json_checked(json_object());
	for (size_t i = 0; i < METRICS; i++) {
		json_t *factors = wm_json_checked(json_object());
		for (size_t j = 0; j < WM_HW_PLACKETT_FACTORS; j++)
			json_object_set_new(factors, factor_name[j], wm_json_checked(json_real(effect[i][j])));
		json_object_set_new(study, wm_hw_metric_name(metrics[i]), factors);
	}
	wm_json_stopped(document, wm_hw_stops(feed));
	json_object_set_new(document, "effects", study);
	wm_json_print(document);
}

void wm_hw_study_print(const struct wm_hw_study *study, const struct wm_hw_feed *feed)
{
	double effect[METRICS][WM_HW_PLACKETT_FACTORS];
	for (size_t i = 0; i < METRICS; i++)
		measure(study, i, effect[i]);
	if (feed->options->view.json) {
		print_json(feed, effect);
		return;
	}
	char *stopped = wm_hw_stopped_text(feed);
	if (stopped)
		puts(stopped);
	free(stopped);
	printf("effect on the overlap, in percentage points, from the low to the high value\n%-16s", "");
	for (size_t i = 0; i < METRICS; i++)
		printf("%16s", wm_hw_metric_name(metrics[i]));
	putchar('\n');
	for (size_t j = 0; j < WM_HW_PLACKETT_FACTORS; j++) {
		printf("%-16s", factor_name[j]);
		for (size_t i = 0; i < METRICS; i++)
			printf("%+16.2f", effect[i][j]);
		putchar('\n');
	}
}
