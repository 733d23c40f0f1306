/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * impostor NAME: serves the socket of a `waymark hw` that has been killed, with memory of its own.  Creates the file
 * ./serving when it listens, and ./deceived when a process that connected has written to the memory.
 */
#include "hardware/trace/attach.h"
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void make(const char *file)
{
	int fd = open(file, O_CREAT | O_WRONLY, 0666);
	if (fd < 0)
		perror(file);
	close(fd);
}

/* The one who killed the command waits until its name is free. */
static int serve(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	memcpy(address.sun_path + 1, name, length);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	for (int i = 0; i < 500; i++) {
		if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 16) == 0)
			return listener;
		usleep(10000);
	}
	return -1;
}

static void wait_for_victim(const struct wm_shared *shared)
{
	for (int i = 0; i < 200; i++) {
		if (shared->threads || shared->started || shared->arch) {
			make("deceived");
			return;
		}
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	int memory = memfd_create("impostor", 0), listener = argc == 2 ? serve(argv[1]) : -1;
	if (listener < 0 || ftruncate(memory, (off_t)WM_SHARED_SIZE) != 0)
		return 1;
	struct wm_shared *shared = mmap(NULL, WM_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (shared == MAP_FAILED)
		return 1;
	shared->magic = WM_SHARED_MAGIC;
	shared->reader = (uint32_t)getpid();
	shared->children = 1;
	make("serving");
	wm_attach_answer(accept(listener, NULL, NULL), memory);
	wait_for_victim(shared);
	return 0;
}
