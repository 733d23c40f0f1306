/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/trace/attach.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A message with one descriptor. */
union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(sizeof(int))];
};

static int receive_memory(int connection)
{
	union control control = {0};
	char byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t got;
	while ((got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		continue;
	const struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
	int memory = -1;
	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(memory)))
		memcpy(&memory, CMSG_DATA(header), sizeof(memory));
	return memory;
}

static struct wm_shared *map(int memory)
{
	void *address = mmap(NULL, WM_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	struct wm_shared *shared = address == MAP_FAILED ? NULL : address;
	return shared && shared->magic == WM_SHARED_MAGIC ? shared : NULL;
}

/* The process on the other side of a connection, if it is of our user; 0: it is not.  On the side that connects, it is
 * the process that listened. */
static pid_t peer_of(int connection)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	bool ours = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
	return ours ? peer.pid : 0;
}

/* A stranger who has taken the name and accepts nothing delays the program, but does not stop it. */
static bool connect_to(int connection, const char *name)
{
	static const struct timeval patience = {.tv_sec = 5};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strnlen(name, WM_ATTACH_NAME);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	memcpy(address.sun_path + 1, name, length);
	return setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
	       connect(connection, (struct sockaddr *)&address, size) == 0;
}

struct wm_shared *wm_attach(const char *name)
{
	int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool ours = connection >= 0 && connect_to(connection, name) && peer_of(connection);
	int memory = ours ? receive_memory(connection) : -1;
	struct wm_shared *shared = memory >= 0 ? map(memory) : NULL;
	if (memory >= 0)
		close(memory);
	if (connection >= 0)
		close(connection);
	return shared;
}

int wm_attach_listen(char name[WM_ATTACH_NAME])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	/* An address without a name makes the kernel choose one: five hexadecimal digits. */
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)) != 0 ||
		getsockname(listener, (struct sockaddr *)&address, &size) != 0 || listen(listener, SOMAXCONN) != 0)
		return -1;
	size_t length = size - offsetof(struct sockaddr_un, sun_path) - 1;
	memcpy(name, address.sun_path + 1, length);
	name[length] = 0;
	return listener;
}

pid_t wm_attach_accept(int listener, int *connection)
{
	for (;;) {
		int got = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (got < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (got < 0)
			return 0;
		pid_t peer = peer_of(got);
		if (peer) {
			*connection = got;
			return peer;
		}
		close(got);
	}
}

void wm_attach_answer(int connection, int memory)
{
	union control control = {0};
	struct iovec data = {"", 1};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	control.header = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(memory))};
	memcpy(CMSG_DATA(&control.header), &memory, sizeof(memory));
	if (memory >= 0)
		(void)!sendmsg(connection, &message, MSG_NOSIGNAL);
	close(connection);
}
