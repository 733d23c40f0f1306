/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark cc, waymark c++: run clang with the plugin in compile steps and the runtime in link steps.  Options are
 * passed to the plugin in the environment, so that an option has the same effect whether it comes from the command
 * line, from CFLAGS or from the environment.  All other arguments are passed to clang.
 */
#include "abi/abi.h"
#include "cmd/commands.h"
#include "cmd/compiler.h"
#include "cmd/system_query.h"
#include "core/scheme/unit_scheme.h"
#include "link/link.h"
#include "link/tested_object.h"
#include "policy/settings.h"
#include "policy/system_headers.h"
#include "profile/map/map.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/process.h"
#include "support/resource.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* Options with which clang does not link: it stops before the link step, or only prints information. */
static const char *const no_link[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--analyze", "-emit-ast",
	"--precompile", "--version", "-dumpversion", "-dumpmachine", "--print-supported-cpus", "-cc1", "-cc1as", NULL};
/* Options whose argument is the next word. */
static const char *const with_argument[] = {"-o", "-x", "-I", "-L", "-D", "-U", "-include", "-isystem", "-iquote",
	"-idirafter", "-imacros", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "-MF", "-MT", "-MQ",
	"-MJ", "-Xlinker", "-Xclang", "-Xassembler", "-Xpreprocessor", "-target", "-arch", "-u", "-T", "-l", "-z", "-e",
	"-h", "-mllvm", "-aux-info", "--param", "-B", "-framework", "-working-directory", "-ccc-gcc-name",
	"--serialize-diagnostics", NULL};

struct words {
	char **word; /* ends in NULL */
	size_t count;
};

static void push_word(struct words *words, const char *word)
{
	WM_XGROW(words->word, words->count);
	words->word[words->count++] = (char *)word;
	WM_XGROW(words->word, words->count);
	words->word[words->count] = NULL;
}

static bool among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool starts(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

/* --- our own options ---------------------------------------------------------- */

static _Noreturn void unknown_option(const char *word, size_t prefix, size_t length)
{
	char text[WM_SETTING_COUNT * 32] = "", error[300];
	if (wm_setting_removed(word + prefix, length, error))
		wm_fail("%s", error);
	for (size_t i = 0; i < WM_SETTING_COUNT; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s-fwaymark-%s", i ? ", " : "",
			wm_settings[i].name);
	wm_fail("unknown option '%s': valid are %s (each with =VALUE, but -fwaymark-wpp and -fwaymark-system-headers) "
		"and -fno-waymark",
		word, text);
}

static void set_option(const struct wm_setting *setting, const char *value)
{
	char where[64], text[WM_SETTING_TEXT], error[300];
	snprintf(where, sizeof where, "-fwaymark-%s", setting->name);
	wm_setting_values(setting, text);
	if (!value && setting->kind == WM_SETTING_SWITCH)
		value = "on";
	if (!value || !*value)
		wm_fail("%s needs a value: %s=%s", where, where, text);
	if (!wm_setting_check(setting, value, where, error))
		wm_fail("%s", error);
	setenv(setting->variable, value, true);
}

/* Takes -fwaymark-NAME=VALUE; false: the word is not an option of Waymark. */
static bool take_option(const char *word, bool *enabled)
{
	if (!strcmp(word, "-fwaymark") || !strcmp(word, "-fno-waymark")) {
		*enabled = word[2] == 'w';
		return true;
	}
	if (!starts(word, "-fwaymark-"))
		return false;
	size_t prefix = strlen("-fwaymark-");
	const char *name = word + prefix;
	size_t length = strcspn(name, "=");
	const struct wm_setting *setting = wm_setting_find(name, length);
	if (!setting)
		unknown_option(word, prefix, length);
	const char *alone = setting->kind == WM_SETTING_PATHS ? setting->values[0] : NULL;
	set_option(setting, name[length] ? name + length + 1 : alone);
	return true;
}

/* --- response files ------------------------------------------------------------ */

/* Reads one word of a response file, with the quoting of GNU tools, and moves *at past it. */
static char *response_word(const char **at)
{
	char *word = wm_xmalloc(strlen(*at) + 1), *out = word;
	char quote = 0;
	for (; **at && (quote || !strchr(" \t\r\n", **at)); ++*at) {
		if (**at == quote)
			quote = 0;
		else if (!quote && (**at == '"' || **at == '\''))
			quote = **at;
		else if (**at == '\\' && (*at)[1] && quote != '\'')
			*out++ = *++*at;
		else
			*out++ = **at;
	}
	*out = 0;
	return word;
}

static void read_response(struct words *words, const char *path)
{
	struct wm_buffer file;
	if (!wm_buffer_read(&file, path))
		return; /* clang reports the error */
	const char *at = (const char *)file.data;
	for (at += strspn(at, " \t\r\n"); *at; at += strspn(at, " \t\r\n"))
		push_word(words, response_word(&at));
	wm_buffer_release(&file);
}

/* A response file is passed to clang unchanged, unless it contains options of Waymark; then its other words are passed
 * instead. */
static void push_response(struct words *out, const char *word)
{
	struct words inside = {0};
	bool ours = false;
	read_response(&inside, word + 1);
	for (size_t i = 0; i < inside.count; i++)
		ours |= starts(inside.word[i], "-fwaymark") || !strcmp(inside.word[i], "-fno-waymark");
	if (!ours)
		push_word(out, word);
	for (size_t i = 0; ours && i < inside.count; i++)
		push_word(out, inside.word[i]);
}

/* --- what this invocation is ----------------------------------------------------- */

struct job {
	struct words clang; /* clang's arguments */
	bool enabled, links, preprocesses, has_input, has_code;
	struct wm_target target;
	bool relocatable, own_script, own_remarks, plain_linker, shared, is_static, no_libraries;
	bool lto, sanitizes; /* -flto, but not thin */
	bool bitcode; /* another program makes the machine code … */
	bool describes; /* … of described calls */
	const char *chosen_linker; /* -fuse-ld= */
	bool language, header_language; /* given by -x */
	struct words linker; /* what the linker alone is given */
	struct wm_link_step step;
};

static void note_linker_word(struct job *job, const char *word)
{
	job->relocatable |= !strcmp(word, "-r") || !strcmp(word, "--relocatable") || !strcmp(word, "-i");
	job->own_script |= !strcmp(word, "-T") || starts(word, "--script") || starts(word, "-T=");
}

static void push_linker_word(struct job *job, const char *word)
{
	push_word(&job->linker, wm_xstrdup(word));
	note_linker_word(job, word);
}

static void note_linker_words(struct job *job, const char *list)
{
	char *copy = wm_xstrdup(list), *rest = copy, *word;
	while ((word = strsep(&rest, ",")))
		push_linker_word(job, word);
	free(copy);
}

static void note_output(struct job *job, const char *word, const char *next)
{
	if ((!strcmp(word, "-o") || !strcmp(word, "--output")) && next)
		job->step.output = wm_xstrdup(next);
	else if (starts(word, "--output="))
		job->step.output = wm_xstrdup(word + strlen("--output="));
	else if (starts(word, "-o") && word[2] && !starts(word, "-objc"))
		job->step.output = wm_xstrdup(word + 2);
}

/* A header alone, or after -x c-header, is precompiled, not linked. */
static void note_input(struct job *job, const char *word)
{
	static const char *const extensions[] = {".h", ".H", ".hh", ".hp", ".hpp", ".HPP", ".hxx", ".h++", NULL};
	const char *extension = strrchr(word, '.');
	bool header = job->language ? job->header_language : extension && among(extension, extensions);
	job->has_input = true;
	job->has_code |= !header;
	wm_names_add(&job->step.inputs, word);
}

static void note_word(struct job *job, const char *word, const char *next)
{
	if (among(word, no_link) || starts(word, "-print-") || starts(word, "--print-"))
		job->links = false;
	job->preprocesses |= !strcmp(word, "-E");
	wm_target_note(&job->target, word, next);
	if (starts(word, "-Wl,"))
		note_linker_words(job, word + 4);
	else if (!strcmp(word, "-Xlinker") && next)
		push_linker_word(job, next);
	else
		note_linker_word(job, starts(word, "-T") && strcmp(word, "-T") ? "-T" : word);
	if (!strcmp(word, "-e") && next)
		wm_link_step_note(&job->step, word, next);
	note_output(job, word, next);
	job->own_remarks |= starts(word, "-Rpass");
	job->shared |= !strcmp(word, "-shared") || !strcmp(word, "--shared");
	job->is_static |= !strcmp(word, "-static") || !strcmp(word, "--static") || !strcmp(word, "-static-pie");
	job->sanitizes |= starts(word, "-fsanitize=");
	if (starts(word, "-flto") || !strcmp(word, "-fno-lto"))
		job->lto = !strcmp(word, "-flto") || !strcmp(word, "-flto=full");
	if (starts(word, "-flto") || !strcmp(word, "-fno-lto") || !strcmp(word, "-emit-llvm"))
		job->bitcode = strcmp(word, "-fno-lto");
	if (starts(word, "-fuse-ld="))
		job->chosen_linker = word + strlen("-fuse-ld=");
	job->plain_linker |= starts(word, "-fuse-ld=") && !strstr(word, "lld") && !strstr(word, "bfd");
	job->no_libraries |= !strcmp(word, "-nostdlib") || !strcmp(word, "-nodefaultlibs");
	const char *language = !strcmp(word, "-x") ? next : starts(word, "-x") ? word + 2 : NULL;
	if (language) {
		job->language = strcmp(language, "none");
		job->header_language = strstr(language, "-header") != NULL;
	}
	if (word[0] != '-' || !word[1])
		note_input(job, word);
}

static void note_words(struct job *job, char *const *word, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *next = i + 1 < count ? word[i + 1] : NULL;
		if (word[i][0] == '@') {
			struct words inside = {0};
			read_response(&inside, word[i] + 1);
			note_words(job, inside.word, inside.count);
			continue;
		}
		note_word(job, word[i], next);
		if (next && among(word[i], with_argument))
			i++;
	}
}

static void read_arguments(struct job *job, int argc, char **argv)
{
	struct words flat = {0};
	*job = (struct job){.enabled = true, .links = true, .step.output = "a.out"};
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '@')
			push_response(&flat, argv[i]);
		else
			push_word(&flat, argv[i]);
	}
	for (size_t i = 0; i < flat.count; i++)
		if (!take_option(flat.word[i], &job->enabled))
			push_word(&job->clang, flat.word[i]);
	note_words(job, job->clang.word, job->clang.count);
	job->links &= job->has_code;
	for (size_t i = 0; i < job->linker.count; i++)
		wm_link_step_note(&job->step, job->linker.word[i], job->linker.word[i + 1]);
}

/* --- what the output depends on besides clang's arguments -------------------------- */

static uint64_t digest_of_file(const char *path, uint64_t seed)
{
	struct wm_buffer file;
	if (!wm_buffer_read(&file, path))
		wm_fail("cannot read '%s': %s", path, strerror(errno));
	uint64_t digest = XXH3_64bits_withSeed(file.data, file.size, seed);
	wm_buffer_release(&file);
	return digest;
}

/* The files of settings that what is compiled depends on, one after the other; `setting` and `at` begin with zeros. */
struct compile_files {
	size_t setting;
	const char *at;
};

static const char *next_compile_file(struct compile_files *files)
{
	for (; files->setting < WM_SETTING_COUNT; files->setting++, files->at = NULL) {
		const char *file = files->setting == WM_SET_CROSS
					   ? NULL
					   : wm_setting_next_file(&wm_settings[files->setting], &files->at);
		if (file)
			return file;
	}
	return NULL;
}

/*
 * The plugin, every variable that it may read and every file that these name.  A sum, because the
 * order of the environment means nothing.  WAYMARK_FILE is for running programs, WAYMARK_CROSS for the link step, and what
 * WAYMARK_SYSTEM_QUERY asks depends on clang's arguments.
 */
static uint64_t digest_of_settings(void)
{
	uint64_t digest = digest_of_file(wm_resource("waymark-plugin.so"), 0);
	for (char **variable = environ; *variable; variable++)
		if (starts(*variable, "WAYMARK_") && !starts(*variable, "WAYMARK_FILE=") &&
			!starts(*variable, "WAYMARK_CROSS=") && !starts(*variable, WM_SYSTEM_QUERY "="))
			digest += XXH3_64bits(*variable, strlen(*variable));
	struct compile_files files = {0};
	for (const char *file; (file = next_compile_file(&files));)
		digest += digest_of_file(file, files.setting + 1);
	return digest;
}

/* ccache sets this variable for every compiler that it runs, also for one that is given as several words. */
static bool runs_under_ccache(void)
{
	const char *value = getenv("CCACHE_DISABLE");
	return value && *value;
}

/*
 * In depend mode, ccache takes an object from the cache without running the compiler, so it does not detect a change of
 * variables or of the plugin.  Compilation is refused, so that no object is stored that ccache could return for other
 * settings.
 */
static void refuse_depend_mode(void)
{
	char mode[8] = "";
	FILE *answer = popen("ccache --get-config depend_mode 2>/dev/null", "r");
	bool depends = answer && fgets(mode, sizeof mode, answer) && !strcmp(mode, "true\n");
	if (answer)
		pclose(answer);
	if (depends)
		wm_fail("ccache in depend mode would return objects of other WAYMARK_ settings: unset CCACHE_DEPEND "
			"and depend_mode, or let `waymark cc` call ccache (PATH=/usr/lib/ccache:$PATH)");
}

/* --- clang's command line --------------------------------------------------------- */

/*
 * Passes the digest to compiler caches.  A cache that `waymark cc` calls in place of clang sees the digest as an
 * argument.  A cache that calls `waymark cc` does not know the meaning of our options; ccache computes its key from the
 * preprocessed text, so the digest is made part of that text (cmd/waymark-cache.h).
 */
static void push_digest(struct words *command, const struct job *job)
{
	uint64_t digest = digest_of_settings();
	push_word(command, wm_xprintf("-fplugin-arg-waymark-digest=%016" PRIx64, digest));
	if (!runs_under_ccache())
		return;
	if (!job->preprocesses) {
		refuse_depend_mode();
		return;
	}
	push_word(command, wm_xprintf("-D__WAYMARK_DIGEST__=\"<waymark %016" PRIx64 ">\"", digest));
	push_word(command, "-include");
	push_word(command, wm_resource("waymark-cache.h"));
}

/* -P removes line markers from preprocessed text.  ccache needs these markers, so -P is removed. */
static void push_arguments(struct words *command, const struct job *job)
{
	bool hidden = job->preprocesses && runs_under_ccache();
	for (size_t i = 0; i < job->clang.count; i++)
		if (!hidden || strcmp(job->clang.word[i], "-P"))
			push_word(command, job->clang.word[i]);
}

/* The compiled code also depends on these files, so that -MD and similar options must list them. */
static void push_prerequisites(struct words *command)
{
	struct compile_files files = {0};
	for (const char *file; (file = next_compile_file(&files));) {
		push_word(command, "-Xclang");
		push_word(command, wm_xprintf("-fdepfile-entry=%s", file));
	}
}

/*
 * Whether calls between files are inlined: the compiler emits the code as it is in the source, and the plugin runs in the
 * linker, on the whole program.  Sanitizers need passes of the compiler.
 */
static bool inlines_at_link(const struct job *job)
{
	return job->lto && !job->sanitizes && wm_setting_number(&wm_settings[WM_SET_SEGMENTS]) &&
	       wm_setting_choice(&wm_settings[WM_SET_CFG]) == WM_CFG_SOURCE;
}

/* A program that is optimised with a profile is not instrumented, so that it needs nothing of Waymark. */
static bool uses_profile(void)
{
	return wm_setting_get(&wm_settings[WM_SET_USE]);
}

/* Neither is one whose blocks are marked. */
static bool is_instrumented(void)
{
	return !uses_profile() && !wm_setting_choice(&wm_settings[WM_SET_MARKS]);
}

/* What LLVM's own pipeline does for a profile beyond what it finds in the module: a call that would keep its caller from being
 * inlined is inlined later. */
static void push_profile_options(struct words *command)
{
	push_word(command, "-mllvm");
	push_word(command, "-inline-deferral");
}

static void push_plugin(struct words *command)
{
	push_word(command, wm_xprintf("-fpass-plugin=%s", wm_resource("waymark-plugin.so")));
}

static void push_compile_options(struct words *command, const struct job *job)
{
	push_word(command, "--start-no-unused-arguments");
	if (inlines_at_link(job)) {
		push_word(command, "-Xclang");
		push_word(command, "-disable-llvm-passes");
	}
	push_plugin(command);
	if (wm_setting_choice(&wm_settings[WM_SET_CFG]) == WM_CFG_SOURCE) {
		push_word(command, "-Xclang");
		push_word(command, "-disable-lifetime-markers");
		if (is_instrumented())
			push_word(
				command, "-fno-discard-value-names"); /* plugin/conditions/branch_sides.h reads them */
	}
	/* The graph `optimised` must be that of the build that made the profile. */
	if (uses_profile() && wm_setting_choice(&wm_settings[WM_SET_CFG]) == WM_CFG_SOURCE)
		push_profile_options(command);
	/* If remarks are requested, clang gives every instruction its source line, without debug information in the
	 * output.  No pass makes remarks with this name. */
	if (!job->own_remarks)
		push_word(command, "-Rpass=^waymark-source-lines$");
	if (is_instrumented())
		push_word(command, "-D__WAYMARK__=1");
	push_prerequisites(command);
	push_word(command, "-idirafter");
	push_word(command, dirname(wm_resource("waymark.h")));
	push_word(command, "--end-no-unused-arguments");
}

/* The functions that files of runtime/notify replace, one file after the other: each file is named by its first one. */
static const char *const replaced_functions[][16] = {
	{"pthread_create", "thrd_create", "clone"},
	{"prctl", "syscall"},
	{"timer_create"},
	{"mq_notify"},
	{"getaddrinfo_a"},
	{"aio_read", "aio_write", "aio_fsync", "lio_listio", "aio_read64", "aio_write64", "aio_fsync64",
		"lio_listio64"},
	{"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"},
	{"_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit"},
	{"sigaction", "signal", "sysv_signal", "__sysv_signal"},
	{"_Unwind_SetIP"},
};
enum { REPLACED_FILES = sizeof replaced_functions / sizeof *replaced_functions };

/* Functions that the C library and libstdc++.a call, too: without -u, the linker would search the archive too late for them, and
 * would take __wrap_pthread_create from libgcc.a, which crashes. */
static const char *const wanted_wraps =
	"-Wl,-u,__wrap_pthread_create,-u,__wrap_longjmp,-u,__wrap__exit,-u,__wrap_sigaction,-u,__wrap__Unwind_SetIP";

/* Links the code that attaches threads to the runtime, and tells it of activations that are left (runtime/notify/announce.h).  The file
 * with pthread_create is named by a function that only it defines, because a sanitizer has another pthread_create. */
static void push_thread_watch(struct words *command, const struct job *job)
{
	for (int i = 0; i < REPLACED_FILES; i++) {
		const char *const *name = replaced_functions[i];
		if (!job->is_static)
			push_word(command, wm_xprintf("-Wl,-u,%s", i ? *name : "__wm_sees_threads"));
		for (; job->is_static && *name; name++)
			push_word(command, wm_xprintf("-Wl,--wrap=%s", *name));
	}
	if (job->is_static)
		push_word(command, wanted_wraps);
	push_word(command, wm_resource(job->is_static ? "libwaymark_spawn_static.a" : "libwaymark_spawn.a"));
}

/* The linker takes the runtime before it runs the plugin, whose code needs it: waymark.ld defines only symbols that are
 * needed by then. */
static void push_link_plugin(struct words *command, const struct job *job)
{
	if (job->chosen_linker && !strstr(job->chosen_linker, "lld"))
		wm_fail("-fwaymark-segments with -flto inlines calls in the linker lld: leave out -fuse-ld=%s or -flto",
			job->chosen_linker);
	if (!job->chosen_linker)
		push_word(command, "-fuse-ld=lld");
	push_word(command, wm_xprintf("-Wl,--load-pass-plugin=%s", wm_resource("waymark-plugin.so")));
	if (!uses_profile())
		push_word(command, "-Wl,-u," WM_RUNTIME_SYMBOL);
}

static void push_link_options(struct words *command, const struct job *job)
{
	if (inlines_at_link(job))
		push_link_plugin(command, job);
	if (!job->own_script && !job->plain_linker)
		push_word(command, wm_xprintf("-Wl,-T,%s", wm_resource("waymark.ld")));
	push_word(command, "-x");
	push_word(command, "none");
	if (!job->shared)
		push_thread_watch(command, job);
	push_word(command, wm_resource("libwaymark_rt.a"));
	if (job->no_libraries)
		push_word(command, "-lc"); /* the linker may not have taken everything that the runtime needs */
}

static void print_help(bool cxx)
{
	printf("usage: waymark %s [-fwaymark-OPTION=VALUE]... CLANG-ARGUMENTS\n\n"
	       "Compiles and links with clang%s, and instruments the program so that it counts its paths.\n\n",
		cxx ? "c++" : "cc", cxx ? "++" : "");
	for (const struct wm_setting *setting = wm_settings; setting < wm_settings + WM_SETTING_COUNT; setting++) {
		char values[WM_SETTING_TEXT];
		wm_setting_values(setting, values);
		printf("  -fwaymark-%s=%s\n      %s (environment: %s)\n", setting->name, values, setting->help,
			setting->variable);
	}
	printf("  -fno-waymark\n      compile without instrumentation\n\n"
	       "WAYMARK_CLANG names another clang 19.  All other options are options of clang; see clang --help.\n");
}

static _Noreturn void fail_to_run(const struct words *command, bool cxx)
{
	wm_fail("cannot run %s: %s; install it or name a clang 19 in %s", command->word[0], strerror(errno),
		wm_clang_variable(cxx));
}

/* Whether the scheme is one of paths across calls, whose numbers wait for the link. */
static bool counts_across(void)
{
	const char *text = wm_setting_get(&wm_settings[WM_SET_SCHEME]);
	struct wm_scheme_choice choice;
	return text && wm_scheme_parse(text, &choice) == WM_OK && choice.scheme->crosses;
}

/* NULL: not a residual build. */
static char *make_tested_object(bool cxx)
{
	const char *file = wm_setting_file(&wm_settings[WM_SET_RESIDUAL]);
	struct wm_options options;
	char error[300];
	if (!file)
		return NULL;
	if (!wm_options_init(&options, error))
		wm_fail("%s", error);
	char *object = wm_tested_object_make(&options.paths, digest_of_file(file, 0), wm_clang_name(cxx));
	wm_options_release(&options);
	return object;
}

static int link_and_number(const struct job *job, struct words *command, bool cxx)
{
	int status;
	char *tested = make_tested_object(cxx);
	struct stat before = wm_link_step_before(&job->step);
	if (tested)
		push_word(command, tested);
	pid_t pid = wm_process_start(command->word);
	if (!pid)
		fail_to_run(command, cxx);
	wm_process_ended(pid, true, &status);
	if (tested)
		wm_tested_object_remove(tested);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return wm_process_pass_on(status);
	wm_link_step_run(&job->step, &before);
	return 0;
}

static bool is_lld(const struct job *job)
{
	return !job->chosen_linker || strstr(job->chosen_linker, "lld");
}

/* Only a program that has loaded the plugin can make machine code of described calls (plugin/llvm/stack_maps.h), and nobody knows which
 * linker will, unless the user asks for described calls. */
static void describe_calls_of_bitcode(struct job *job)
{
	const struct wm_setting *unfinished = &wm_settings[WM_SET_UNFINISHED];
	job->describes = wm_setting_get(unfinished) && !wm_setting_choice(unfinished);
	if (!job->describes)
		setenv(unfinished->variable, "off", true);
	else if (!is_lld(job))
		wm_fail("-fwaymark-unfinished=on with -flto needs the linker lld: leave out -fuse-ld=%s, or one of the "
			"others",
			job->chosen_linker);
}

static void push_sites_plugin(struct words *command, const struct job *job)
{
	if (!job->chosen_linker)
		push_word(command, "-fuse-ld=lld");
	push_word(command, wm_xprintf("-Wl,--load-pass-plugin=%s", wm_resource("waymark-sites.so")));
}

int wm_cmd_cc(int argc, char **argv)
{
	bool cxx = !strcmp(argv[0], "c++");
	struct job job;
	struct words command = {0};
	char error[300];
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		print_help(cxx);
		wm_finish_output();
		return 0;
	}
	if (!wm_settings_check(error))
		wm_fail("%s", error);
	read_arguments(&job, argc, argv);
	if (!wm_settings_check_together(error))
		wm_fail("%s", error);
	if (job.bitcode)
		describe_calls_of_bitcode(&job);
	bool foreign = wm_target_is_foreign(&job.target), ours = job.enabled && !foreign && job.has_input;
	bool links = ours && job.links && !job.relocatable && is_instrumented();
	push_word(&command, wm_clang_name(cxx));
	if (job.enabled && job.has_input)
		wm_clang_check(cxx);
	if (job.enabled && job.has_input && foreign)
		push_plugin(&command);
	if (ours) {
		bool inlines = wm_setting_get(&wm_settings[WM_SET_SEGMENTS]);
		if (!wm_setting_choice(&wm_settings[WM_SET_SYSTEM_HEADERS]) && (is_instrumented() || inlines))
			wm_system_query_set(wm_clang_name(cxx), job.clang.word, job.clang.count);
		push_compile_options(&command, &job);
		if (links)
			push_word(&command, "-Wl,--build-id");
	}
	push_arguments(&command, &job);
	if (links && job.describes && !inlines_at_link(&job))
		push_sites_plugin(&command, &job);
	if (links)
		push_link_options(&command, &job);
	else if (ours && job.links && !job.relocatable && inlines_at_link(&job))
		push_link_plugin(&command, &job);
	if (ours)
		push_digest(&command, &job); /* after any -include of a precompiled header, which must be first */
	if (links && counts_across())
		return link_and_number(&job, &command, cxx);
	execvp(command.word[0], command.word);
	fail_to_run(&command, cxx);
}
