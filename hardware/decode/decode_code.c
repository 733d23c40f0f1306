/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/decode/decode_code.h"
#include "hardware/decode/isa.h"
#include <stdlib.h>
#include <string.h>

struct wm_hw_decoder {
	const struct wm_hw_isa *isa;
	csh handle;
	cs_insn *raw;
	uint8_t number[WM_HW_CAPSTONE_REGISTERS];
};

static const struct wm_hw_isa *isa_of(enum wm_hw_arch arch)
{
	switch (arch) {
	case WM_HW_X86_64:
		return &wm_hw_isa_x86;
	case WM_HW_AARCH64:
		return &wm_hw_isa_aarch64;
	}
	return NULL;
}

enum wm_hw_arch wm_hw_arch_find(const char *target)
{
	for (unsigned arch = WM_HW_X86_64; arch <= WM_HW_AARCH64; arch++)
		if (strcmp(isa_of((enum wm_hw_arch)arch)->target, target) == 0)
			return (enum wm_hw_arch)arch;
	return (enum wm_hw_arch)0;
}

bool wm_hw_arch_stacks_returns(enum wm_hw_arch arch)
{
	return isa_of(arch)->stacks_returns;
}

static void number_registers(struct wm_hw_decoder *decoder)
{
	for (unsigned i = 0; i < WM_HW_CAPSTONE_REGISTERS; i++) {
		const char *name = cs_reg_name(decoder->handle, i);
		decoder->number[i] = name ? decoder->isa->register_number(name) : WM_HW_NO_REGISTER;
	}
}

struct wm_hw_decoder *wm_hw_decoder_new(enum wm_hw_arch arch)
{
	struct wm_hw_decoder *decoder = calloc(1, sizeof(*decoder));
	if (!decoder)
		return NULL;
	decoder->isa = isa_of(arch);
	if (!decoder->isa || cs_open(decoder->isa->arch, decoder->isa->mode, &decoder->handle) != CS_ERR_OK) {
		free(decoder);
		return NULL;
	}
	if (cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
		decoder->raw = cs_malloc(decoder->handle);
	if (!decoder->raw) {
		wm_hw_decoder_free(decoder);
		return NULL;
	}
	number_registers(decoder);
	return decoder;
}

void wm_hw_decoder_free(struct wm_hw_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->raw)
		cs_free(decoder->raw, 1);
	cs_close(&decoder->handle);
	free(decoder);
}

enum wm_hw_arch wm_hw_decoder_arch(const struct wm_hw_decoder *decoder)
{
	return wm_hw_arch_find(decoder->isa->target);
}

static uint8_t number_of(const struct wm_hw_decoder *decoder, unsigned reg)
{
	return reg < WM_HW_CAPSTONE_REGISTERS ? decoder->number[reg] : WM_HW_NO_REGISTER;
}

static bool contains(const uint8_t *list, size_t count, uint8_t number)
{
	return memchr(list, number, count) != NULL;
}

static void add_addresses(struct wm_hw_decoder *decoder, struct wm_hw_insn *insn)
{
	unsigned registers[2];
	for (size_t i = 0; decoder->isa->memory(decoder->raw, i, registers); i++)
		for (size_t j = 0; j < 2; j++) {
			uint8_t number = number_of(decoder, registers[j]);
			if (number != WM_HW_NO_REGISTER && insn->source_count < WM_HW_SOURCES &&
				!contains(insn->source, insn->source_count, number))
				insn->source[insn->source_count++] = number;
		}
	insn->address_count = insn->source_count;
}

/* Capstone lists the registers of memory operands among the registers read; they are left
 * out here, at the price of the rare instruction that needs one for both. */
static void add_registers(struct wm_hw_decoder *decoder, struct wm_hw_insn *insn)
{
	cs_regs read, written;
	uint8_t reads, writes;
	if (cs_regs_access(decoder->handle, decoder->raw, read, &reads, written, &writes) != CS_ERR_OK)
		return;
	for (uint8_t i = 0; i < reads && insn->source_count < WM_HW_SOURCES; i++) {
		uint8_t number = number_of(decoder, read[i]);
		if (number != WM_HW_NO_REGISTER && !contains(insn->source, insn->source_count, number))
			insn->source[insn->source_count++] = number;
	}
	for (uint8_t i = 0; i < writes && insn->destination_count < WM_HW_DESTINATIONS; i++) {
		uint8_t number = number_of(decoder, written[i]);
		if (number != WM_HW_NO_REGISTER && !contains(insn->destination, insn->destination_count, number))
			insn->destination[insn->destination_count++] = number;
	}
}

/* The stepped register becomes the last destination. */
static void mark_stepped(struct wm_hw_decoder *decoder, struct wm_hw_insn *insn)
{
	unsigned reg = decoder->isa->stepped(decoder->raw);
	uint8_t number = reg ? number_of(decoder, reg) : WM_HW_NO_REGISTER;
	uint8_t *at = number == WM_HW_NO_REGISTER ? NULL : memchr(insn->destination, number, insn->destination_count);
	if (!at)
		return;
	uint8_t *last = &insn->destination[insn->destination_count - 1];
	*at = *last;
	*last = number;
	insn->updated_count = 1;
}

/* False: capstone does not know the instruction; *insn is then untouched. */
static bool decode_known(
	struct wm_hw_decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address, struct wm_hw_insn *insn)
{
	uint64_t at = address;
	if (!cs_disasm_iter(decoder->handle, &bytes, &size, &at, decoder->raw))
		return false;
	struct wm_hw_insn result = {.address = address, .size = (uint8_t)decoder->raw->size, .class = WM_HW_INT_ALU};
	decoder->isa->classify(decoder->raw, &result);
	add_addresses(decoder, &result);
	add_registers(decoder, &result);
	mark_stepped(decoder, &result);
	*insn = result;
	return true;
}

bool wm_hw_decode(
	struct wm_hw_decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address, struct wm_hw_insn *insn)
{
	if (decode_known(decoder, bytes, size, address, insn))
		return true;
	struct wm_hw_insn result = {.address = address};
	result.size = (uint8_t)decoder->isa->unknown(bytes, size, &result);
	if (!result.size)
		return false;
	*insn = result;
	return true;
}

size_t wm_hw_decode_block(struct wm_hw_decoder *decoder, const struct wm_hw_code *code, struct wm_hw_insn *insn)
{
	size_t known = 0, offset = 0;
	for (size_t i = 0; i < code->count; i++) {
		size_t size = code->insn_size ? code->insn_size[i] : code->size - offset;
		insn[i] = (struct wm_hw_insn){.address = code->address + offset, .class = WM_HW_INT_ALU};
		if (size && wm_hw_decode(decoder, code->bytes + offset, size, code->address + offset, &insn[i]))
			known++;
		if (code->insn_size || !insn[i].size)
			insn[i].size = (uint8_t)size;
		offset += insn[i].size;
	}
	return known;
}
