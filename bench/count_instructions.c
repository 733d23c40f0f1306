/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A plugin for QEMU that counts the instructions that a program executes.
 *
 * Argument: into=NAME.  When process PID ends, the file NAME.PID has the number of its instructions.  The threads of a
 * process are counted together and without atomic operations, so the number is too small if they run at the same time.
 */
#include "hardware/qemu/interface.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int qemu_plugin_version = WM_QEMU_INTERFACE_VERSION;

static const char *name;
static uint64_t executed;

static void count(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &executed, qemu_plugin_tb_n_insns(tb));
}

static void finish(qemu_plugin_id_t id, void *data)
{
	char path[4096];
	(void)id, (void)data;
	snprintf(path, sizeof path, "%s.%d", name, (int)getpid());
	FILE *out = fopen(path, "w");
	if (!out)
		return;
	fprintf(out, "%" PRIu64 "\n", executed);
	fclose(out);
}

WM_QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "into=", 5) != 0)
		return 1;
	name = strdup(argv[0] + 5);
	qemu_plugin_register_vcpu_tb_trans_cb(id, count);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
