/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/analysis/binary.h"
#include "abi/abi.h"
#include "core/probes/unit_program.h"
#include "profile/map/unit_identity.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x400000u

static void check(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* ---- Modules ---------------------------------------------------------------------------- */

static uint32_t place_of(const struct test_module *module, uint32_t function)
{
	uint32_t i = 0;
	while (i < module->count && module->member[i] != function)
		i++;
	return i;
}

/* Callees by their index in the map: functions of the module, then names outside, one for every call. */
static void describe_calls(struct wm_map_module *map, const struct wm_unit *unit, const struct test_module *module,
	uint32_t index, struct wm_arena *arena)
{
	const struct wm_unit_function *from = &unit->function[module->member[index]];
	struct wm_map_function *to = &map->function[index];
	to->call_count = from->call_count;
	to->call = WM_NEW(arena, struct wm_call, from->call_count);
	for (uint32_t i = 0; i < from->call_count; i++) {
		to->call[i] = from->call[i];
		if (from->call[i].callee == WM_NONE)
			continue;
		to->call[i].callee = place_of(module, from->call[i].callee);
		if (to->call[i].callee < module->count)
			continue;
		to->call[i].callee = module->count + map->outside_count;
		map->outside[map->outside_count++] = unit->function[from->call[i].callee].name;
	}
}

static void describe_function(struct wm_map_function *to, const struct wm_unit_function *from,
	const struct wm_plan *plan, const struct wm_scheme *scheme, struct wm_arena *arena)
{
	struct wm_weights weights;
	to->name = from->name;
	to->scheme = scheme->name;
	to->reason = "";
	to->key = wm_function_key(from->name, NULL);
	to->graph = *from->graph;
	to->graph_hash = wm_map_graph_hash(from->graph, scheme->name);
	to->file = WM_NONE;
	to->block = WM_NEW(arena, struct wm_map_block, from->graph->block_count);
	to->unit = WM_NEW(arena, struct wm_map_unit, 1);
	to->unit->crossed = WM_NEW(arena, bool, from->call_count);
	to->unit->edge_count = plan->dag.edge_count;
	to->unit->tree = WM_NEW(arena, bool, to->unit->edge_count);
	check(wm_weights_static(&weights, from->graph, &plan->dfs, arena) == WM_OK &&
			wm_unit_tree(plan, &weights, to->unit->tree, arena) == WM_OK,
		"no spanning tree");
}

void test_module_describe(struct wm_map_module *map, const struct wm_unit *unit, const struct test_module *module,
	const struct wm_scheme *scheme, struct wm_arena *arena)
{
	struct wm_unit alone = {module->count, WM_NEW(arena, struct wm_unit_function, module->count)};
	struct wm_unit_request request = {.unit = &alone, .scheme = scheme, .share = WM_UNIT_SHARE};
	struct wm_unit_plan plan;
	uint32_t calls = 0;
	for (uint32_t i = 0; i < module->count; i++) {
		const struct wm_unit_function *from = &unit->function[module->member[i]];
		alone.function[i] = (struct wm_unit_function){from->name, from->graph, 0, NULL};
		alone.function[i].call_count = from->call_count;
		alone.function[i].call = WM_NEW(arena, struct wm_call, from->call_count);
		for (uint32_t c = 0; c < from->call_count; c++) {
			alone.function[i].call[c] = from->call[c];
			alone.function[i].call[c].callee = WM_NONE;
		}
		calls += from->call_count;
	}
	check(wm_unit_plan_make(&plan, &request, arena) == WM_OK, "a module has no plan");
	*map = (struct wm_map_module){.source = module->source,
		.function_count = module->count,
		.function = WM_NEW(arena, struct wm_map_function, module->count),
		.outside = WM_NEW(arena, const char *, calls),
		.taken_count = module->taken_count,
		.taken = module->taken};
	for (uint32_t i = 0; i < module->count; i++) {
		describe_calls(map, unit, module, i, arena);
		describe_function(&map->function[i], &alone.function[i], &plan.function[i], scheme, arena);
	}
}

/* ---- Files -------------------------------------------------------------------------------- */

struct image {
	uint8_t *data;
	size_t size, capacity;
};

static size_t append(struct image *image, const void *data, size_t size)
{
	size_t at = image->size;
	while (image->capacity < image->size + size) {
		image->capacity = image->capacity ? 2 * image->capacity : 1 << 16;
		check((image->data = realloc(image->data, image->capacity)) != NULL, "no memory");
	}
	if (data)
		memcpy(image->data + at, data, size);
	else
		memset(image->data + at, 0, size);
	image->size += size;
	return at;
}

static uint32_t table_words(const struct wm_map_function *map, struct wm_arena *arena)
{
	struct wm_unit_function in_unit = {map->name, &map->graph, map->call_count, map->call};
	struct wm_unit unit = {1, &in_unit};
	struct wm_scheme_choice choice;
	struct wm_unit_plan plan;
	struct wm_unit_program program;
	struct wm_call *call = WM_NEW(arena, struct wm_call, map->call_count);
	for (uint32_t i = 0; i < map->call_count; i++) {
		call[i] = map->call[i];
		call[i].callee = WM_NONE;
	}
	in_unit.call = call;
	check(wm_scheme_parse(map->scheme, &choice) == WM_OK && choice.scheme->crosses, "no such scheme");
	struct wm_unit_request request = {.unit = &unit, .scheme = choice.scheme, .share = WM_UNIT_SHARE};
	check(wm_unit_plan_make(&plan, &request, arena) == WM_OK &&
			wm_unit_place(&program, &plan.function[0], map->unit->tree, arena) == WM_OK,
		"a function has no program");
	return program.word_count;
}

/* The loaded part: for every function a record of the compiler and a table, then all link records. */
static Elf64_Shdr append_functions(struct image *image, const struct test_binary *binary)
{
	struct image records = {0};
	for (uint32_t m = 0; m < binary->module_count; m++) {
		for (uint32_t i = 0; i < binary->module[m].function_count; i++) {
			const struct wm_map_function *map = &binary->module[m].function[i];
			struct wm_func func = {.key = map->key, .flags = WM_FUNC_UNIT};
			struct wm_link link = {.key = map->key, .layout = wm_unit_layout(&binary->module[m], map)};
			struct wm_arena scratch;
			wm_arena_init(&scratch);
			link.func = (int64_t)append(image, &func, sizeof func);
			link.table = (int64_t)append(image, NULL, table_words(map, &scratch) * sizeof(uint64_t));
			link.flags = strcmp(map->name, "main") == 0 ? WM_LINK_ROOT : 0;
			append(&records, &link, sizeof link);
			wm_arena_release(&scratch);
		}
	}
	size_t first = image->size;
	for (size_t at = 0; at < records.size; at += sizeof(struct wm_link)) {
		struct wm_link *link = (struct wm_link *)(records.data + at);
		link->func -= (int64_t)(first + at);
		link->table -= (int64_t)(first + at);
	}
	append(image, records.data, records.size);
	free(records.data);
	return (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = BASE + first,
		.sh_offset = first,
		.sh_size = image->size - first};
}

static Elf64_Shdr append_tested(struct image *image, uint32_t slots)
{
	const uint64_t shift[WM_TESTED_SLOTS] = {[WM_TESTED_SHIFT] = 64 - slots};
	size_t first = append(image, shift, slots ? sizeof shift : 0);
	append(image, NULL, slots ? sizeof(uint64_t) << slots : 0);
	return (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = BASE + first,
		.sh_offset = first,
		.sh_size = image->size - first};
}

static Elf64_Shdr append_map(struct image *image, const struct test_binary *binary)
{
	size_t first = image->size;
	for (uint32_t m = 0; m < binary->module_count && !binary->stripped; m++) {
		uint8_t *data;
		size_t size;
		check(wm_map_encode(&binary->module[m], &data, &size) == WM_OK, "a map cannot be encoded");
		append(image, data, size);
		free(data);
	}
	return (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = first, .sh_size = image->size - first};
}

void test_binary_write(const struct test_binary *binary, const char *path)
{
	static const char names[] = "\0" WM_LINKS_SECTION "\0" WM_MAP_SECTION "\0.shstrtab\0" WM_TESTED_SECTION;
	struct image image = {0};
	Elf64_Shdr section[5] = {0};
	append(&image, NULL, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
	section[1] = append_functions(&image, binary);
	section[4] = append_tested(&image, binary->tested);
	Elf64_Phdr segment = {.p_type = PT_LOAD,
		.p_flags = PF_R,
		.p_vaddr = BASE,
		.p_filesz = image.size,
		.p_memsz = image.size,
		.p_align = 4096};
	section[2] = append_map(&image, binary);
	section[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = image.size, .sh_size = sizeof names};
	append(&image, names, sizeof names);
	section[1].sh_name = 1;
	section[2].sh_name = 2 + sizeof WM_LINKS_SECTION - 1;
	section[3].sh_name = section[2].sh_name + sizeof WM_MAP_SECTION;
	section[4].sh_name = section[3].sh_name + sizeof ".shstrtab";
	append(&image, NULL, -image.size % 8);
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = image.size,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4 + (binary->tested > 0),
		.e_shstrndx = 3};
	append(&image, section, header.e_shnum * sizeof *section);
	memcpy(image.data, &header, sizeof header);
	memcpy(image.data + sizeof header, &segment, sizeof segment);
	FILE *file = fopen(path, "wb");
	check(file && fwrite(image.data, 1, image.size, file) == image.size && fclose(file) == 0, "cannot write");
	free(image.data);
}
