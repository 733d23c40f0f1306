/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/qemu/guest.h"
#include "hardware/qemu/interface.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What differs between architectures.  Registers have GDB's numbers. */
struct machine {
	int (*read_register)(struct CPUState *cpu, struct _GByteArray *to, int number);
	int stack_pointer;
	int link; /* the register with the return address of a procedure that starts; -1: it is on the stack */
	/* Code that only calls sigreturn, as C libraries and the kernel have it. */
	struct {
		size_t size;
		uint8_t code[16];
	} trampoline[2];
};

static struct {
	struct machine machine;
	pthread_mutex_t lock;
	uint64_t *handler;
	size_t handler_count;
} guest = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool wm_guest_open(enum wm_hw_arch arch)
{
	static const struct machine none;
	guest.machine = none;
	switch (arch) {
	case WM_HW_X86_64: /* mov $15, %rax or %eax; syscall */
		guest.machine = (struct machine){x86_cpu_gdb_read_register, 7, -1,
			{{9, {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}}, {7, {0xb8, 15, 0, 0, 0, 0x0f, 0x05}}}};
		break;
	case WM_HW_AARCH64: /* mov x8, 139; svc 0 */
		guest.machine = (struct machine){aarch64_cpu_gdb_read_register, 31, 30,
			{{8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}}, {0}}};
		break;
	}
	return guest.machine.read_register && qemu_get_cpu && tb_flush && g_byte_array_new && g_byte_array_set_size;
}

static uint64_t read_register(unsigned vcpu, int number)
{
	static _Thread_local struct _GByteArray *buffer;
	uint64_t value = 0;
	if (!buffer)
		buffer = g_byte_array_new();
	g_byte_array_set_size(buffer, 0);
	if (guest.machine.read_register(qemu_get_cpu((int)vcpu), buffer, number) == sizeof(value))
		memcpy(&value, buffer->data, sizeof(value));
	return value;
}

uint64_t wm_guest_stack_pointer(unsigned vcpu)
{
	return read_register(vcpu, guest.machine.stack_pointer);
}

bool wm_guest_read(uint64_t address, void *to, size_t size)
{
	uint64_t base = &guest_base ? guest_base : 0;
	struct iovec remote = {(void *)(uintptr_t)(address + base), size}, local = {to, size};
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool wm_guest_is_delivery(unsigned vcpu, uint64_t stack_pointer)
{
	uint64_t back = 0;
	uint8_t code[16];
	if (guest.machine.link >= 0)
		back = read_register(vcpu, guest.machine.link);
	else if (!wm_guest_read(stack_pointer, &back, sizeof(back)))
		return false;
	for (size_t i = 0; i < 2; i++) {
		size_t size = guest.machine.trampoline[i].size;
		if (size && wm_guest_read(back, code, size) && !memcmp(code, guest.machine.trampoline[i].code, size))
			return true;
	}
	return false;
}

void wm_guest_lock(void)
{
	pthread_mutex_lock(&guest.lock);
}

void wm_guest_unlock(void)
{
	pthread_mutex_unlock(&guest.lock);
}

/* With the lock. */
static bool is_known(uint64_t address)
{
	for (size_t i = 0; i < guest.handler_count; i++)
		if (guest.handler[i] == address)
			return true;
	return false;
}

bool wm_guest_is_handler(uint64_t address)
{
	pthread_mutex_lock(&guest.lock);
	bool known = is_known(address);
	pthread_mutex_unlock(&guest.lock);
	return known;
}

static bool add_handler(uint64_t address)
{
	bool added = false;
	pthread_mutex_lock(&guest.lock);
	uint64_t *handler =
		is_known(address) ? NULL : realloc(guest.handler, (guest.handler_count + 1) * sizeof(*handler));
	if (handler) {
		guest.handler = handler;
		guest.handler[guest.handler_count++] = address;
		added = true;
	}
	pthread_mutex_unlock(&guest.lock);
	return added;
}

void wm_guest_add_handler(unsigned vcpu, uint64_t action)
{
	uint64_t handler; /* the first member; 0 and 1 are none */
	if (action && wm_guest_read(action, &handler, sizeof(handler)) && handler > 1 && add_handler(handler))
		tb_flush(qemu_get_cpu((int)vcpu));
}
