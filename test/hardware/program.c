/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/hardware/program.h"
#include <stdlib.h>
#include <string.h>

struct program *program_new(void)
{
	struct program *program = calloc(1, sizeof *program);
	if (!program)
		abort();
	program->address = 0x1000;
	return program;
}

struct line *program_add(struct program *program, enum wm_hw_class class, uint8_t destination, uint8_t source)
{
	if (program->count == PROGRAM_MAX)
		abort();
	struct line *line = &program->line[program->count++];
	struct wm_hw_insn *insn = &line->insn;
	*insn = (struct wm_hw_insn){.address = program->address, .size = 4, .class = class};
	if (destination)
		insn->destination[insn->destination_count++] = destination;
	if (source)
		insn->source[insn->source_count++] = source;
	program->address += insn->size;
	line->block =
		(struct wm_hw_block){.start = insn->address, .end = program->address, .insn_count = 1, .insn = insn};
	line->step = (struct wm_hw_step){.block = &line->block, .end = 1, .next = program->address};
	return line;
}

void program_access(struct line *line, bool store, uint64_t address, uint8_t size, uint8_t base)
{
	struct wm_hw_insn *insn = &line->insn;
	if (line->step.access_count == PROGRAM_ACCESSES)
		abort();
	line->step.access = line->access;
	line->access[line->step.access_count++] =
		(struct wm_hw_access){.address = address, .size = size, .store = store};
	insn->flags |= store ? WM_HW_STORES : WM_HW_LOADS;
	if (base) {
		memmove(insn->source + 1, insn->source, insn->source_count);
		insn->source[0] = base;
		insn->source_count++;
		insn->address_count = 1;
	}
}

struct line *program_load(struct program *program, uint8_t destination, uint8_t base, uint64_t address)
{
	struct line *line = program_add(program, WM_HW_LOAD, destination, 0);
	program_access(line, false, address, 8, base);
	return line;
}

struct line *program_store(struct program *program, uint8_t data, uint8_t base, uint64_t address)
{
	struct line *line = program_add(program, WM_HW_STORE, 0, data);
	program_access(line, true, address, 8, base);
	return line;
}

struct line *program_branch(struct program *program, enum wm_hw_branch branch, bool taken)
{
	struct line *line = program_add(program, WM_HW_BRANCH, 0, 0);
	line->insn.branch = branch;
	line->step.taken = taken;
	if (taken)
		program->address += 64;
	line->step.next = program->address;
	return line;
}
