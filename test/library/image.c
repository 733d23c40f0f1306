/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/library/image.h"
#include "profile/map/map.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	abort();
}

static void put(struct image *image, const void *data, size_t size)
{
	const char *from = data;
	while (size) {
		ssize_t done = write(image->fd, from, size);
		check(done > 0, "write");
		from += done;
		size -= (size_t)done;
	}
}

void image_open(struct image *image, const void *data, size_t size)
{
	image->fd = memfd_create("image", MFD_CLOEXEC);
	check(image->fd >= 0, "memfd_create");
	snprintf(image->path, sizeof image->path, "/proc/self/fd/%d", image->fd);
	put(image, data, size);
}

void image_close(struct image *image)
{
	close(image->fd);
}

void image_open_binary(struct image *image, const uint8_t *map, size_t size)
{
	static const char names[] = "\0" WM_MAP_SECTION "\0.shstrtab";
	const size_t start = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr);
	const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2};
	const Elf64_Shdr section[3] = {{0},
		{.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = start + sizeof names, .sh_size = size},
		{.sh_name = 1 + sizeof WM_MAP_SECTION,
			.sh_type = SHT_STRTAB,
			.sh_offset = start,
			.sh_size = sizeof names}};
	image_open(image, &header, sizeof header);
	put(image, section, sizeof section);
	put(image, names, sizeof names);
	put(image, map, size);
}

void image_open_profile(struct image *image, const struct wm_profile *profile)
{
	uint8_t *data;
	size_t size;
	check(wm_indexed_write(profile, &data, &size) == WM_PROFILE_OK, "a profile cannot be written");
	image_open(image, data, size);
	free(data);
}
