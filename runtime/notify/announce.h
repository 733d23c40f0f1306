/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of the C library that create threads, as an executable replaces them.  `waymark cc` links these files into
 * executables only.  A dynamic executable exports the names, so they precede those of the C library for every object of the
 * process; a static executable is linked with --wrap (WM_STATIC), and takes only the files that it needs.
 *
 * The definitions are weak: a program that defines such a function keeps its own.
 */
#ifndef WM_RUNTIME_NOTIFY_ANNOUNCE_H
#define WM_RUNTIME_NOTIFY_ANNOUNCE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The runtime; not defined if no function of the program is instrumented. */
__attribute__((weak, visibility("hidden"))) void __wm_announce_thread(void); /* before a thread is created */
__attribute__((weak, visibility("hidden"), preserve_most)) void __wm_new_thread(void); /* in the new thread */
__attribute__((weak, visibility("hidden"))) void wm_second_thread(void); /* instead, if that is not possible */
__attribute__((weak, visibility("hidden"))) void __wm_announce_filter(void);
__attribute__((weak, visibility("hidden"))) bool wm_is_guest(void); /* a child of vfork */
__attribute__((weak, visibility("hidden"))) void wm_lock_take(uint32_t *lock);
__attribute__((weak, visibility("hidden"))) void wm_lock_release(uint32_t *lock);

/*
 * WM_REPLACE(result, name, parameters) { body }: the replacement of a function.  WM_REAL(name) is the function that it
 * replaces, or NULL; WM_IS_REPLACED(name): the program does not define it itself.  In a dynamic executable it is looked up before the constructors of all libraries: at a
 * later time, reading the list of objects would race with dlopen, and dlsym would wait for the lock that dlopen holds while
 * constructors run.
 */
#ifdef WM_STATIC
#define WM_REPLACE(result, name, ...) \
	result __real_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__)
#define WM_REAL(name) (&__real_##name)
#define WM_IS_REPLACED(name) true
#else
#include "runtime/system/elf.h"
#define WM_REPLACE(result, name, ...) \
	static result (*real_##name)(__VA_ARGS__); \
	static void find_##name(void) \
	{ \
		real_##name = (result(*)(__VA_ARGS__))wm_elf_library(#name); \
	} \
	__attribute__((section(".preinit_array"), used)) static void (*const finds_##name)(void) = find_##name; \
	static result replaced_##name(__VA_ARGS__); \
	__attribute__((weak, visibility("default"), alias("replaced_" #name))) result name(__VA_ARGS__); \
	static result replaced_##name(__VA_ARGS__)
#define WM_REAL(name) real_##name
#define WM_IS_REPLACED(name) (name == replaced_##name)
#endif

/* ---- announce.c ----------------------------------------------------------------------- */

/* What a new thread needs of the one that creates it. */
struct wm_start {
	struct wm_start *next; /* in the list of free ones */
	union {
		void *(*pthread)(void *argument);
		int (*thrd)(void *argument);
	} function;
	void *argument;
	uint64_t mask; /* of signals, before the creation */
	bool set_mask; /* the thread sets this mask */
};
/* Announces a thread; NULL: it cannot be attached when it begins. */
__attribute__((visibility("hidden"))) struct wm_start *wm_start_take(void);
__attribute__((visibility("hidden"))) void wm_start_give(struct wm_start *start);
/* In the new thread: attaches it and returns what it has to do; *start is free then. */
__attribute__((visibility("hidden"))) struct wm_start wm_start_begin(struct wm_start *start);

/* If an event starts a thread: changes the event so that the thread is attached first. */
__attribute__((visibility("hidden"))) void wm_announce_event(struct sigevent *event);
/* Returns a changed copy in *copy, or `event` itself if nothing had to be changed. */
__attribute__((visibility("hidden"))) struct sigevent *wm_announced_event(
	struct sigevent *event, struct sigevent *copy);

#endif
