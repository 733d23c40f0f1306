/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread accepts processes, and each child has a thread that takes what it executes. */
#include "cmd/hw_tracee.h"
#include "hardware/trace/attach.h"
#include "support/fail.h"
#include "support/resource.h"
#include "support/xalloc.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { POLL_MS = 50 };

struct child {
	struct wm_hw_children *all;
	struct child *next; /* newest first */
	pid_t pid;
	int process; /* descriptor that says when it has ended */
	_Atomic bool replaced; /* by another program of the same process */
	struct wm_hw_feed feed;
	struct wm_hw_tracee tracee;
	pthread_t thread;
	bool joined;
};

struct wm_hw_children {
	const struct wm_hw_options *options;
	struct wm_hw_options own; /* of children: the profile only */
	struct wm_hw_tracee *main;
	bool main_given;
	int listener;
	char *plugin;
	pthread_t acceptor;
	pthread_mutex_t lock; /* of the list */
	pthread_mutex_t writing; /* of profiles: the library that reads ELF files has global state */
	struct child *child;
};

/* QEMU separates a plugin's arguments by commas and takes two for one. */
static char *escape_commas(const char *path)
{
	char *text = wm_xmalloc(2 * strlen(path) + 1), *out = text;
	for (; *path; path++) {
		*out++ = *path;
		if (*path == ',')
			*out++ = ',';
	}
	*out = 0;
	return text;
}

static bool has_ended(const struct child *child)
{
	struct pollfd poll_for = {.fd = child->process, .events = POLLIN};
	return child->replaced || poll(&poll_for, 1, 0) > 0;
}

/* FILE.PID; FILE.PID.2 and so on for the programs that the process became. */
static char *output_of(struct child *child)
{
	unsigned before = 0;
	pthread_mutex_lock(&child->all->lock);
	for (const struct child *other = child->next; other; other = other->next)
		before += other->pid == child->pid;
	pthread_mutex_unlock(&child->all->lock);
	const char *file = child->all->options->output;
	return before ? wm_xprintf("%s.%d.%u", file, (int)child->pid, before + 1)
		      : wm_xprintf("%s.%d", file, (int)child->pid);
}

static void *run_child(void *closure)
{
	struct child *child = closure;
	while (!has_ended(child))
		wm_hw_tracee_take(&child->tracee, POLL_MS);
	if (wm_hw_tracee_finish(&child->tracee, 0)) {
		char *output = output_of(child);
		pthread_mutex_lock(&child->all->writing);
		wm_hw_profile_write(&child->feed, output);
		pthread_mutex_unlock(&child->all->writing);
		free(output);
	}
	wm_hw_tracee_release(&child->tracee);
	wm_hw_feed_release(&child->feed);
	close(child->process);
	return NULL;
}

static void replace_process(struct wm_hw_children *children, pid_t pid)
{
	for (struct child *child = children->child; child; child = child->next)
		if (child->pid == pid)
			child->replaced = true;
}

/* Answers before the thread starts, which closes the memory when the process ends. */
static void add_child(struct wm_hw_children *children, pid_t pid, int connection)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process < 0) { /* it has been killed since */
		wm_attach_answer(connection, -1);
		return;
	}
	struct child *child = wm_xmalloc(sizeof *child);
	*child = (struct child){.all = children, .pid = pid, .process = process};
	wm_hw_feed_init(&child->feed, &children->own);
	wm_hw_tracee_init(&child->tracee, &child->feed, true);
	pthread_mutex_lock(&children->lock);
	replace_process(children, pid);
	child->next = children->child;
	children->child = child;
	wm_attach_answer(connection, child->tracee.memory);
	if (pthread_create(&child->thread, NULL, run_child, child) != 0)
		wm_fail("cannot follow process %d: %s", (int)pid, strerror(errno));
	pthread_mutex_unlock(&children->lock);
}

static void *accept_processes(void *closure)
{
	struct wm_hw_children *children = closure;
	int connection;
	pid_t pid;
	while ((pid = wm_attach_accept(children->listener, &connection))) {
		if (!children->main_given)
			wm_attach_answer(connection, children->main->memory);
		else if (children->options->output)
			add_child(children, pid, connection);
		else
			wm_attach_answer(connection, -1);
		children->main_given = true;
	}
	return NULL;
}

static void listen_for_processes(struct wm_hw_children *children)
{
	char name[WM_ATTACH_NAME], *module = wm_resource("waymark-qemu.so"), *escaped = escape_commas(module);
	children->listener = wm_attach_listen(name);
	if (children->listener < 0)
		wm_fail("cannot make a socket for the program: %s", strerror(errno));
	children->plugin = wm_xprintf("%s,socket=%s", escaped, name);
	free(escaped);
	free(module);
}

struct wm_hw_children *wm_hw_children_new(struct wm_hw_tracee *main, const struct wm_hw_options *options)
{
	struct wm_hw_children *children = wm_xmalloc(sizeof *children);
	*children = (struct wm_hw_children){.options = options, .own = *options, .main = main};
	struct wm_hw_analysis_config *analysis = &children->own.analysis;
	analysis->table_count = 0;
	analysis->window = 0;
	children->own.record = children->own.wpp = NULL;
	children->own.kill = children->own.plackett = false;
	pthread_mutex_init(&children->lock, NULL);
	pthread_mutex_init(&children->writing, NULL);
	listen_for_processes(children);
	if (pthread_create(&children->acceptor, NULL, accept_processes, children) != 0)
		wm_fail("cannot start a thread: %s", strerror(errno));
	return children;
}

const char *wm_hw_children_plugin(const struct wm_hw_children *children)
{
	return children->plugin;
}

/* A child that is not joined yet; NULL: none. */
static struct child *next_running(struct wm_hw_children *children)
{
	pthread_mutex_lock(&children->lock);
	struct child *child = children->child;
	while (child && child->joined)
		child = child->next;
	pthread_mutex_unlock(&children->lock);
	return child;
}

void wm_hw_children_finish(struct wm_hw_children *children)
{
	struct child *child;
	while ((child = next_running(children))) {
		pthread_join(child->thread, NULL);
		child->joined = true;
	}
	shutdown(children->listener, SHUT_RDWR);
	pthread_join(children->acceptor, NULL);
	close(children->listener);
	while ((child = children->child)) {
		children->child = child->next;
		free(child);
	}
	free(children->plugin);
	free(children);
}
