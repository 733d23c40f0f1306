/* Prints the most executed path of every function, with its decisions: hot_paths PROFILE BINARY...
 *
 *     cc hot_paths.c $(pkg-config --cflags --libs waymark) -o hot_paths */
#include <inttypes.h>
#include <stdio.h>
#include <waymark/profile.h>

static void print_warning(void *closure, const char *sentence)
{
	(void)closure;
	fprintf(stderr, "hot_paths: %s\n", sentence);
}

static void print_step(const struct waymark_step *step)
{
	const char *file = waymark_step_file(step), *condition = waymark_step_condition(step);
	if (!*waymark_step_outcome(step))
		return;
	printf("\t%*s%s:%" PRIu32 ": %s%s%s\n", (int)(2 * waymark_step_depth(step)), "", file ? file : "?",
		waymark_step_line(step), condition, *condition ? ": " : "", waymark_step_outcome(step));
}

static int print_path(
	struct waymark *counts, const struct waymark_function *function, const struct waymark_path *path)
{
	struct waymark_trail *trail;
	struct waymark_error error;
	if (waymark_trail_new(counts, function, path, &trail, &error)) {
		print_warning(NULL, error.text);
		return 1;
	}
	printf("%" PRIu64 " times: path %" PRIu64 " of %s\n", waymark_path_executions(path), waymark_path_id(path),
		waymark_function_display(function));
	for (size_t i = 0; i < waymark_step_count(trail); i++)
		print_step(waymark_step_at(trail, i));
	waymark_trail_free(trail);
	return 0;
}

int main(int argc, char **argv)
{
	struct waymark_options options = {.size = sizeof options, .warn = print_warning};
	struct waymark_error error;
	struct waymark *counts;
	int status = 0;
	options.profiles = (const char *const *)argv + 1;
	options.profile_count = argc > 1;
	options.binaries = (const char *const *)argv + 2;
	options.binary_count = argc > 2 ? (size_t)argc - 2 : 0;
	if (waymark_open(&counts, &options, &error)) {
		print_warning(NULL, error.text);
		return 1;
	}
	for (size_t i = 0; i < waymark_function_count(counts) && !status; i++) {
		const struct waymark_function *function = waymark_function_at(counts, i);
		if (waymark_path_count(function))
			status = print_path(counts, function, waymark_path_at(function, 0));
	}
	waymark_close(counts);
	return status;
}
