/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The path detector: hand-written sequences, random traces against brute force, repair. */
#include "test/core/support.h"
#include "test/hardware/reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_hw_detector_config plain = {.stack_entries = 1, .overflow = WM_HW_SPILL};

static struct wm_hw_detector_config with_control(const struct wm_hw_control *control)
{
	struct wm_hw_detector_config config = plain;
	config.control = *control;
	return config;
}

/*
 * Sequences as text: one letter per branch, then the address execution continues at.
 *   c call  r return  f forward, taken  n forward, not taken  b backward  i indirect
 *   s a signal, whose handler starts at the address  R the handler has returned, without an address
 * Frames follow @, if any.  Each branch ends a block of one instruction.  Paths are
 * written start:outcomes/instructions, first branch first.
 */
static struct wm_hw_committed parse_branch(const char **text)
{
	static const char letters[] = "crfbi";
	char letter = *(*text)++;
	struct wm_hw_committed branch = {.taken = letter != 'n', .events.count[WM_HW_INSTRUCTIONS] = 1};
	branch.type = letter == 'n' ? WM_HW_TYPE_FORWARD : (enum wm_hw_type)(strchr(letters, letter) - letters);
	branch.next = strtoull(*text, (char **)text, 16);
	if (**text == '@')
		branch.frame = strtoull(*text + 1, (char **)text, 16);
	*text += strspn(*text, " ");
	return branch;
}

static void print_path(FILE *out, const struct wm_hw_finished *finished)
{
	fprintf(out, "%llx:", (unsigned long long)finished->path.start);
	for (uint32_t i = 0; i < finished->path.length; i++)
		fputc(finished->path.outcomes >> i & 1 ? '1' : '0', out);
	fprintf(out, "/%llu ", (unsigned long long)finished->events.count[WM_HW_INSTRUCTIONS]);
}

static void run(struct wm_hw_detector *detector, const char *text, FILE *out)
{
	while (*text) {
		if (*text == 's') {
			text++;
			const struct wm_hw_events none = {0};
			assert_int_equal(wm_hw_detector_interrupt(detector, strtoull(text, (char **)&text, 16), &none),
				WM_HW_OK);
			text += strspn(text, " ");
			continue;
		}
		if (*text == 'R') {
			wm_hw_detector_return(detector);
			text += 1 + strspn(text + 1, " ");
			continue;
		}
		struct wm_hw_committed branch = parse_branch(&text);
		struct wm_hw_finished finished;
		bool done;
		assert_int_equal(wm_hw_detector_branch(detector, &branch, &finished, &done), WM_HW_OK);
		if (done)
			print_path(out, &finished);
	}
}

static struct wm_hw_detector_stats expect(
	const struct wm_hw_detector_config *config, const char *text, const char *want)
{
	char got[512] = "";
	FILE *out = fmemopen(got, sizeof(got), "w");
	struct wm_hw_detector *detector = wm_hw_detector_new(config);
	assert_non_null(detector);
	assert_int_equal(wm_hw_detector_begin(detector, 0x10), WM_HW_OK);
	run(detector, text, out);
	fclose(out);
	assert_string_equal(got, want);
	struct wm_hw_detector_stats stats = *wm_hw_detector_stats(detector);
	wm_hw_detector_free(detector);
	return stats;
}

static void test_ball_larus(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_ball_larus);
	(void)state;
	expect(&config, "f20 n30 b10 ", "10:101/3 ");
	/* The caller's path continues across the call. */
	expect(&config, "f20 c80 n90 r30 f40 b10 ", "80:0/2 10:111/4 ");
	expect(&config, "i70 f80 r0 ", "10:1/1 70:1/2 ");
	/* A return from the outermost procedure starts a path in its caller. */
	expect(&config, "r50 f60 b10 ", "10:/1 50:11/2 ");
}

/* Paths of a whole program path that signals interrupt continue after the handler, which has paths of its own. */
static void test_whole_program_signals(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_whole_program);
	struct wm_hw_detector_stats stats;
	char text[8 * 60 + 1] = "", want[7 * 60 + 1] = "";
	(void)state;
	stats = expect(&config, "f20 s80 n90 r5000 R n30 b10 ", "80:0/2 10:101/3 ");
	assert_int_equal(stats.abandoned, 1);
	/* A handler that a second signal interrupts. */
	stats = expect(&config, "f20 s80 n90 s100 r5000 R f98 r5000 R b10 ", "100:/1 80:01/3 10:11/2 ");
	assert_int_equal(stats.deepest, 3);
	/* Handlers that end by siglongjmp. */
	for (size_t i = 0; i < 60; i++) {
		memcpy(text + 8 * i, "s80 i20 ", 9);
		memcpy(want + 7 * i, "80:1/1 ", 8);
	}
	assert_true(expect(&config, text, want).deepest <= 32);
}

/* How often one operation was performed. */
static uint64_t performed_operations(const struct wm_hw_detector_stats *stats, enum wm_hw_stack_operation operation)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < 16; i++)
		sum += i & (unsigned)operation ? stats->operations[i] : 0;
	return sum;
}

static void test_whole_program(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_whole_program);
	(void)state;
	struct wm_hw_detector_stats stats = expect(&config, "f20 c80 n90 r30 f40 b10 ", "10:1/2 80:0/2 30:11/2 ");
	assert_int_equal(stats.deepest, 1);
	assert_int_equal(performed_operations(&stats, WM_HW_PUSH), 3);
}

static void test_extensions(void **state)
{
	struct wm_hw_control control = wm_hw_ball_larus;
	(void)state;
	control.extension = WM_HW_EXTEND_LOOPS;
	control.extension_max = 1;
	struct wm_hw_detector_config loops = with_control(&control);
	expect(&loops, "f20 b10 n30 b10 f20 b10 f40 r0 ", "10:1101/4 10:111/4 ");
	control.extension = WM_HW_EXTEND_CALLS;
	struct wm_hw_detector_config calls = with_control(&control);
	/* One call deep is part of the path; two deep is a path of its own. */
	expect(&calls, "c80 f90 c100 n110 ra0 r20 f30 b10 ", "100:0/2 10:11111/6 ");
	expect(&calls, "c80@900 c100@800 n110 ra0@800 r20@900 b10 ", "100:0/2 10:111/4 ");
	/* A longjmp into a procedure that shares its caller's entry starts a path in that entry. */
	expect(&calls, "c40@a00 c80@900 c100@800 i41 r11@a00 r0 ", "80:11/2 41:/1 11:/1 ");
	/* A path that ends in a loop of a callee that it spans: the route through the callee's end has one descriptor, in the
	 * outermost entry, in one above it, and in that of a signal handler, with and without frames. */
	expect(&calls, "c80@900 b80 n90 r20@900 f30 b10 ", "10:11/2 80:0/2 20:11/2 ");
	expect(&calls, "c40@a00 c50@980 c80@900 b80 n90 r20@900 f30 r45@980 r15@a00 b10 ",
		"50:11/2 80:0/2 20:1/2 10:111/4 ");
	expect(&calls, "c40 c50 c80 b80 n90 r20 f30 r45 r15 b10 ", "50:11/2 80:0/2 20:1/2 10:111/4 ");
	expect(&calls, "f12 s50 c80@fe0 b80 n90 r20@fe0 f30 r1@ff0 b10 ", "50:11/2 80:0/2 20:1/2 10:11/2 ");
	/* Two callees deep, where the inner one is a part of the path again. */
	expect(&calls, "c80@900 b80 c90@800 r85@800 r20@900 b10 ", "10:11/2 80:11/3 20:1/1 ");
	/* A split does the same as a loop. */
	control.max_branches = 2;
	struct wm_hw_detector_config split = with_control(&control);
	expect(&split, "c80@900 f90 fa0 r20@900 b10 ", "10:11/3 a0:/1 20:1/1 ");
	expect(&split, "c40@a00 c50@980 c80@900 f90 fa0 r20@900 r45@980 ", "50:11/3 a0:/1 20:/1 ");
}

static void test_split(void **state)
{
	struct wm_hw_control control = wm_hw_ball_larus;
	(void)state;
	control.max_branches = 3;
	struct wm_hw_detector_config config = with_control(&control);
	/* Exactly three branches and a return are one path. */
	expect(&config, "f20 f30 f40 r0 ", "10:111/4 ");
	struct wm_hw_detector_stats stats = expect(&config, "f20 f30 f40 f50 n60 r0 ", "10:111/4 50:0/2 ");
	assert_int_equal(stats.split, 1);
	/* The fourth branch ends the path anyway: nothing empty is left behind. */
	expect(&config, "f20 f30 f40 b10 f20 r0 ", "10:111/4 10:1/2 ");
}

static void test_overflow(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_ball_larus);
	(void)state;
	config.overflow = WM_HW_DROP_OLDEST;
	config.stack_entries = 2;
	struct wm_hw_detector_stats stats =
		expect(&config, "c20 c30 c40 r31 r21 r11 f12 r0 ", "40:/1 30:/2 21:/1 11:1/2 ");
	assert_int_equal(stats.dropped, 2);
	assert_int_equal(stats.resumed, 3);
	config.overflow = WM_HW_SPILL;
	stats = expect(&config, "c20 c30 c40 r31 r21 r11 f12 r0 ", "40:/1 30:/2 20:/2 10:1/3 ");
	assert_int_equal(stats.spilled, 2);
	assert_int_equal(stats.deepest, 4);
}

/* Stack addresses fall as procedures call: frame 900 is called from the outermost one. */
static void test_repair(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_ball_larus);
	(void)state;
	/* longjmp from frame 700 into 900, which then returns. */
	struct wm_hw_detector_stats stats =
		expect(&config, "c20@900 c30@800 c40@700 i21 f22 r11@900 r0 ", "40:1/1 21:1/2 10:/2 ");
	assert_int_equal(stats.abandoned, 2);
	/* The same, and 900 calls again before it returns. */
	expect(&config, "c20@900 c30@800 c40@700 i21 c50@880 r23@880 r11@900 r0 ", "40:1/1 50:/1 21:/2 10:/2 ");
	/* An unwinder returns to a landing pad of 900 through an address no call stored at. */
	stats = expect(&config, "c20@900 c30@800 c40@700 r25@8c0 f26 r11@900 r0 ", "40:1/1 25:1/2 10:/2 ");
	assert_int_equal(stats.abandoned, 2);
	/* A signal handler's return was stored by no call either. */
	expect(&config, "c20@900 s60 f70 r1@7d0 f22 r11@900 r0 ", "60:1/2 20:1/2 10:/2 ");
	/* A handler on another stack, which calls. */
	expect(&config, "c20@900 s60 c80@fe0 r61@fe0 r1@ff0 f22 r11@900 r0 ", "80:/1 60:/2 20:1/2 10:/2 ");
	/* siglongjmp out of a handler into the procedure that was interrupted. */
	stats = expect(&config, "c20@900 s60 i21 f22 r11@900 f12 r0 ", "60:1/1 21:1/2 10:1/3 ");
	assert_int_equal(stats.abandoned, 1);
	/* A switch to a stack that was never seen counts as a jump of the outermost procedure. */
	stats = expect(&config, "c20@900 c30@800 r99@5000 f9a b99 ", "30:1/1 99:11/2 ");
	assert_int_equal(stats.abandoned, 2);
}

static void test_unknown_stack(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_ball_larus);
	(void)state;
	config.overflow = WM_HW_DROP_OLDEST;
	config.stack_entries = 2;
	/* The outermost entry was dropped, so nothing lies above frame a00. */
	struct wm_hw_detector_stats stats = expect(&config, "c20@900 c30@800 r99@a00 f9a b99 ", "99:11/2 ");
	assert_int_equal(stats.abandoned, 2);
	assert_int_equal(stats.resumed, 1);
}

static void compare(const struct trace *trace, const struct wm_hw_control *control)
{
	struct wm_hw_detector_config config = with_control(control);
	struct paths got = {0}, want = {0};
	detector_paths(&got, trace, &config);
	reference_paths(&want, trace, control);
	assert_int_equal(got.count, want.count);
	for (size_t i = 0; i < got.count; i++)
		assert_memory_equal(&got.path[i], &want.path[i], sizeof(got.path[i]));
	paths_release(&got);
	paths_release(&want);
}

static void test_random(void **state)
{
	uint64_t seed = 1;
	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		struct trace trace;
		struct wm_hw_control control = wm_hw_ball_larus;
		control.max_branches = 1 + round % WM_HW_MAX_BRANCHES;
		control.extension = (enum wm_hw_extension)(round % 3);
		control.extension_max = round % 3 ? 1 + random_next(&seed) % 4 : 0;
		assert_int_equal(wm_hw_control_check(&control), WM_HW_OK);
		trace_random(&trace, &seed, 500);
		compare(&trace, &control);
		trace_release(&trace);
	}
}

/* Programs that longjmp: what the detector is told are frames, what it must find out is
 * which procedure the program is in. */
struct frames {
	struct wm_hw_finished path[64];
	uint64_t frame[64];
	size_t depth;
};

static void expect_path(
	struct wm_hw_detector *detector, struct wm_hw_committed *branch, const struct wm_hw_finished *want)
{
	struct wm_hw_finished finished;
	bool done;
	branch->events.count[WM_HW_INSTRUCTIONS] = 1;
	assert_int_equal(wm_hw_detector_branch(detector, branch, &finished, &done), WM_HW_OK);
	assert_int_equal(done, want != NULL);
	if (want)
		assert_memory_equal(&finished.path, &want->path, sizeof(finished.path));
}

static void call(struct wm_hw_detector *detector, struct frames *frames, uint64_t *seed)
{
	uint64_t below = frames->depth ? frames->frame[frames->depth - 1] : 1u << 20;
	struct wm_hw_committed branch = {.type = WM_HW_TYPE_CALL,
		.taken = true,
		.next = random_next(seed),
		.frame = below - 8 - 8 * (random_next(seed) % 20)};
	expect_path(detector, &branch, NULL);
	frames->frame[frames->depth] = branch.frame;
	frames->path[frames->depth++] = (struct wm_hw_finished){.path.start = branch.next};
}

static void leave(struct wm_hw_detector *detector, struct frames *frames, uint64_t *seed)
{
	size_t top = --frames->depth;
	struct wm_hw_committed branch = {
		.type = WM_HW_TYPE_RETURN, .taken = true, .next = random_next(seed), .frame = frames->frame[top]};
	expect_path(detector, &branch, &frames->path[top]);
}

static void jump_away(struct wm_hw_detector *detector, struct frames *frames, uint64_t *seed)
{
	struct wm_hw_finished *top = &frames->path[frames->depth - 1];
	struct wm_hw_committed branch = {.type = WM_HW_TYPE_INDIRECT, .taken = true, .next = random_next(seed)};
	top->path.outcomes |= 1u << top->path.length++;
	expect_path(detector, &branch, top);
	frames->depth = 1 + random_next(seed) % frames->depth;
	frames->path[frames->depth - 1] = (struct wm_hw_finished){.path.start = branch.next};
}

static void test_random_longjmp(void **state)
{
	struct wm_hw_detector_config config = with_control(&wm_hw_ball_larus);
	uint64_t seed = 7;
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct frames frames = {0};
		struct wm_hw_detector *detector = wm_hw_detector_new(&config);
		assert_int_equal(wm_hw_detector_begin(detector, 0), WM_HW_OK);
		for (unsigned step = 0; step < 300; step++) {
			unsigned kind = random_next(&seed) % 8;
			if (!frames.depth || (kind < 4 && frames.depth < 64))
				call(detector, &frames, &seed);
			else if (kind < 7)
				leave(detector, &frames, &seed);
			else
				jump_away(detector, &frames, &seed);
		}
		wm_hw_detector_free(detector);
	}
}

/* A control register with any operations that are valid. */
static struct wm_hw_control random_control(uint64_t *seed)
{
	struct wm_hw_control control = random_next(seed) % 2 ? wm_hw_ball_larus : wm_hw_whole_program;
	control.max_branches = 1 + random_next(seed) % WM_HW_MAX_BRANCHES;
	control.extension = (enum wm_hw_extension)(random_next(seed) % 3);
	control.extension_max = control.extension ? 1 + random_next(seed) % 3 : 0;
	if (random_next(seed) % 3 == 0)
		for (unsigned i = 0; i < WM_HW_TYPE_COUNT; i++)
			control.operations[i] = (uint8_t)(random_next(seed) % 3 | random_next(seed) % 4 << 2);
	return control;
}

static void random_run(struct wm_hw_run *steps, uint64_t *seed)
{
	*steps = (struct wm_hw_run){.count = 1 + random_next(seed) % WM_HW_RUN_MAX};
	for (uint32_t i = 0; i < steps->count; i++)
		steps->step[i] = (struct wm_hw_run_step){.next = random_next(seed) % 64,
			.frame = random_next(seed) % 3 ? 8 * (random_next(seed) % 16) : 0,
			.instructions = random_next(seed) % 9,
			.type = (uint8_t)(random_next(seed) % (WM_HW_TYPE_COUNT + 1)),
			.taken = random_next(seed) % 2};
}

/* The next path of a run, branch by branch. */
static bool next_path(struct wm_hw_detector *detector, const struct wm_hw_run *steps, uint32_t *at,
	struct wm_hw_committed *branch, struct wm_hw_finished *finished)
{
	for (bool done; *at < steps->count;) {
		const struct wm_hw_run_step *step = &steps->step[(*at)++];
		branch->events.count[WM_HW_INSTRUCTIONS] += step->instructions;
		if (step->type == WM_HW_TYPE_COUNT)
			continue;
		branch->type = (enum wm_hw_type)step->type;
		branch->taken = step->taken;
		branch->next = step->next;
		branch->frame = step->frame;
		assert_int_equal(wm_hw_detector_branch(detector, branch, finished, &done), WM_HW_OK);
		branch->events.count[WM_HW_INSTRUCTIONS] = 0;
		if (done)
			return true;
	}
	return false;
}

static void compare_runs(struct wm_hw_detector *one, struct wm_hw_detector *many, uint64_t *seed)
{
	struct wm_hw_committed a = {0}, b = {0};
	struct wm_hw_finished x = {0}, y = {0};
	for (unsigned i = 0; i < 4; i++) {
		struct wm_hw_run steps;
		struct wm_hw_span span = {steps.step, steps.step};
		uint32_t here = 0;
		bool done = true;
		random_run(&steps, seed);
		span.end += steps.count;
		while (done) {
			bool found = next_path(one, &steps, &here, &a, &x);
			assert_int_equal(wm_hw_detector_run(many, &span, &b, &y, &done), WM_HW_OK);
			assert_int_equal(span.at - steps.step, here);
			assert_int_equal(done, found);
			assert_memory_equal(&x, &y, sizeof(x));
		}
		assert_memory_equal(&a.events, &b.events, sizeof(a.events));
	}
}

/* Runs are the same as their branches one by one, with any control register, stack and frames. */
static void test_runs(void **state)
{
	uint64_t seed = 11;
	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct wm_hw_detector_config config = {.control = random_control(&seed),
			.stack_entries = 1 + random_next(&seed) % 5,
			.overflow = random_next(&seed) % 2 ? WM_HW_SPILL : WM_HW_DROP_OLDEST,
			.plain = true};
		struct wm_hw_detector *one = wm_hw_detector_new(&config), *many = wm_hw_detector_new(&config);
		assert_int_equal(wm_hw_detector_begin(one, 0), WM_HW_OK);
		assert_int_equal(wm_hw_detector_begin(many, 0), WM_HW_OK);
		compare_runs(one, many, &seed);
		struct wm_hw_detector_stats x = *wm_hw_detector_stats(one), y = *wm_hw_detector_stats(many);
		x.performed = y.performed = 0;
		assert_memory_equal(&x, &y, sizeof(x));
		assert_int_equal(wm_hw_detector_depth(one), wm_hw_detector_depth(many));
		wm_hw_detector_free(one);
		wm_hw_detector_free(many);
	}
}

static void test_control(void **state)
{
	struct wm_hw_control control = wm_hw_ball_larus, other;
	(void)state;
	assert_int_equal(wm_hw_control_parse(&control, "cop,cop,u,uop,uop"), WM_HW_OK);
	assert_memory_equal(&control, &wm_hw_whole_program, sizeof(control));
	assert_int_equal(wm_hw_control_parse(&control, "cp,co,u,uop,uop"), WM_HW_OK);
	assert_memory_equal(&control, &wm_hw_ball_larus, sizeof(control));
	static const char *const bad[] = {"", "cp,co,u,uop", "cp,co,u,uop,uop,u", "uc,co,u,uop,uop", "x,co,u,uop,uop"};
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(wm_hw_control_parse(&control, bad[i]), WM_HW_BAD_CONFIG);
	control.extension = WM_HW_EXTEND_CALLS;
	assert_int_equal(wm_hw_control_check(&control), WM_HW_BAD_CONFIG);
	control.extension_max = 3;
	assert_int_equal(wm_hw_control_unpack(&other, wm_hw_control_pack(&control)), WM_HW_OK);
	assert_memory_equal(&control, &other, sizeof(control));
	assert_int_equal(wm_hw_control_unpack(&other, 0), WM_HW_BAD_CONFIG);
	assert_int_equal(wm_hw_control_unpack(&other, UINT64_MAX), WM_HW_BAD_CONFIG);
	assert_true(wm_hw_control_nests(&wm_hw_ball_larus));
	assert_false(wm_hw_control_nests(&wm_hw_whole_program));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_larus),
		cmocka_unit_test(test_whole_program),
		cmocka_unit_test(test_whole_program_signals),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_unknown_stack),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_longjmp),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_control),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
