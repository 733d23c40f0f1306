/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graph text: what is accepted, and every error with its place and sentence. */
#include "core/graph/cfgtext.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

struct bad {
	const char *text;
	uint32_t line, column;
	const char *message;
};

static const struct bad bad[] = {
	{"", 1, 1, "expected at least one 'function NAME'"},
	{"# nothing\n\n", 3, 1, "expected at least one 'function NAME'"},
	{"a -> b\n", 1, 1, "expected 'function NAME' before the first block 'a'"},
	{"function\na\n", 1, 9, "expected a function name before the end of the line"},
	{"function f g\na\n", 1, 12, "expected the end of the line after the function name, found 'g'"},
	{"function f\n", 1, 10, "function 'f' has no blocks"},
	{"function f\nfunction g\na\n", 1, 10, "function 'f' has no blocks"},
	{"function f\na\nfunction f\na\n", 3, 10, "function 'f' is defined twice"},
	{"function f\na -> b\n", 2, 6, "block 'b' is not defined in function 'f'"},
	{"function f\na -> c\nc\nfunction g\na -> c\n", 5, 6, "block 'c' is not defined in function 'g'"},
	{"function f\na -> b\nb\n  a\n", 4, 3, "block 'a' is defined twice in function 'f'"},
	{"function f\na\nb -> b\n", 3, 1, "block 'b' cannot be reached from the entry of function 'f'"},
	{"function f\na ->\n", 2, 3, "expected a successor after '->'"},
	{"function f\na -> # b\n", 2, 3, "expected a successor after '->'"},
	{"function f\na -> b -> c\n", 2, 8, "expected a successor, found '->'"},
	{"function f\na b\n", 2, 3, "expected '->', '[call' or the end of the line, found 'b'"},
	{"function f\na [call g] h\n", 2, 12, "expected '->', '[call' or the end of the line, found 'h'"},
	{"function f\na [call g] [call]\n", 2, 17, "expected the name of the called function, found ']'"},
	{"function f\na [call g] -> b\nb -> c [call g]\nc\n", 3, 8, "expected a successor, found '['"},
	{"function f\na [cell g]\n", 2, 4, "expected 'call' and a function name, found 'cell'"},
	{"function f\na [call ]\n", 2, 9, "expected the name of the called function, found ']'"},
	{"function f\na [call g\n", 2, 10, "expected ']' before the end of the line"},
	{"function f\n-> a\n", 2, 1, "expected a block name or 'function', found '->'"},
	{"function f\na - b\n", 2, 3, "expected '->', '[call' or the end of the line, found '-'"},
	{"function f\na -> \303\244\n", 2, 6, "expected a successor, found byte 0xc3"},
	{"function f\n\ta,b\n", 2, 3, "expected '->', '[call' or the end of the line, found ','"},
};

static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct wm_arena arena;
		struct wm_cfg cfg = {.function_count = 77};
		struct wm_cfg_error error;
		wm_arena_init(&arena);
		assert_int_equal(wm_cfg_parse(&cfg, bad[i].text, strlen(bad[i].text), &error, &arena), WM_BAD_GRAPH);
		assert_string_equal(error.text, bad[i].message);
		assert_int_equal(error.line, bad[i].line);
		assert_int_equal(error.column, bad[i].column);
		assert_int_equal(cfg.function_count, 77);
		wm_arena_release(&arena);
	}
}

static void test_long_names_do_not_hide_the_sentence(void **state)
{
	(void)state;
	char text[600] = "function f\na -> ";
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	memset(text + strlen(text), 'x', 500);
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, &arena), WM_BAD_GRAPH);
	assert_non_null(strstr(error.text, "is not defined in function 'f'"));
	wm_arena_release(&arena);
}

static void test_reads(void **state)
{
	(void)state;
	static const char text[] =
		"# two functions\r\nfunction main # here\r\n  v1 -> v_2 .3 v_2\r\n"
		"v_2[call $g]->v1 .3\n\n.3 [call printf] [call $g][call main]\nfunction $g\nfunction.x";
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	wm_arena_init(&arena);
	char *copy = malloc(sizeof text - 1); /* no NUL after it */
	memcpy(copy, text, sizeof text - 1);
	assert_int_equal(wm_cfg_parse(&cfg, copy, sizeof text - 1, &error, &arena), WM_OK);
	free(copy);
	assert_int_equal(cfg.function_count, 2);
	const struct wm_cfg_function *f = &cfg.function[0];
	assert_string_equal(f->name, "main");
	assert_int_equal(f->graph.block_count, 3);
	assert_int_equal(f->graph.edge_count, 4);
	assert_string_equal(f->block_name[2], ".3");
	static const struct wm_call calls[] = {{.block = 1, .callee = 1}, {.block = 2, .callee = WM_NONE},
		{.block = 2, .position = 1, .callee = 1}, {.block = 2, .position = 2, .callee = 0}};
	static const char *const callees[] = {"$g", "printf", "$g", "main"};
	assert_int_equal(cfg.unit.function_count, 2);
	assert_ptr_equal(cfg.unit.function[0].graph, &f->graph);
	assert_string_equal(cfg.unit.function[1].name, "$g");
	assert_int_equal(cfg.unit.function[0].call_count, COUNT(calls));
	for (size_t i = 0; i < COUNT(calls); i++) {
		const struct wm_call *call = &cfg.unit.function[0].call[i];
		assert_int_equal(call->block, calls[i].block);
		assert_int_equal(call->position, calls[i].position);
		assert_int_equal(call->callee, calls[i].callee);
		assert_string_equal(f->callee[i], callees[i]);
	}
	assert_int_equal(cfg.unit.function[1].call_count, 0);
	assert_int_equal(wm_cfg_find_block(f, "v_2", 3), 1);
	assert_int_equal(wm_cfg_find_block(f, "v_2 .3", 3), 1);
	assert_int_equal(wm_cfg_find_block(f, "v_2", 2), WM_NONE);
	assert_int_equal(wm_cfg_find_block(f, "", 0), WM_NONE);
	assert_string_equal(cfg.function[1].name, "$g");
	assert_string_equal(cfg.function[1].block_name[0], "function.x");
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_long_names_do_not_hide_the_sentence),
		cmocka_unit_test(test_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
