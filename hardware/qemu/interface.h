/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The part of QEMU's plugin interface, version 1, that qemu_plugin.c and bench/count_instructions.c use, as documented by QEMU
 * 7.2.  Debian does not package QEMU's header.
 */
#ifndef WM_HARDWARE_QEMU_INTERFACE_H
#define WM_HARDWARE_QEMU_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_QEMU_INTERFACE_VERSION 1
#define WM_QEMU_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

typedef struct qemu_info_t {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus, max_vcpus;
		} system;
	};
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint32_t qemu_plugin_meminfo_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W = 2, QEMU_PLUGIN_MEM_RW = 3 };

typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned vcpu);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned vcpu, void *data);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1,
	uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t callback);
void qemu_plugin_register_vcpu_tb_exec_cb(
	struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t callback, enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(
	struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *word, uint64_t operand);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t callback,
	enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t callback);

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/*
 * Symbols of QEMU 7.2 that are not part of the plugin interface, which cannot read registers.
 * The emulators of Debian export all their symbols.  guest.c uses these and checks that they
 * are there.
 */
#define WM_QEMU_WEAK __attribute__((weak))
struct CPUState;
struct _GByteArray {
	uint8_t *data;
	unsigned len;
};
extern uintptr_t guest_base WM_QEMU_WEAK; /* added to an address of the program to get QEMU's own */
struct CPUState *qemu_get_cpu(int index) WM_QEMU_WEAK;
/* Discards all translated code, as soon as no thread executes any. */
void tb_flush(struct CPUState *cpu) WM_QEMU_WEAK;
/* Append a register, by GDB's number, in the byte order of the program. */
int x86_cpu_gdb_read_register(struct CPUState *cpu, struct _GByteArray *to, int number) WM_QEMU_WEAK;
int aarch64_cpu_gdb_read_register(struct CPUState *cpu, struct _GByteArray *to, int number) WM_QEMU_WEAK;
struct _GByteArray *g_byte_array_new(void) WM_QEMU_WEAK;
struct _GByteArray *g_byte_array_set_size(struct _GByteArray *array, unsigned length) WM_QEMU_WEAK;

/* Defined by the plugin. */
extern WM_QEMU_EXPORT int qemu_plugin_version;
WM_QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif
