/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Groups have different sizes, so they are indexed once, when the first activation is left: most programs end without.
 * The linker has ordered the groups as it has ordered the machine functions, so that the index is sorted; if not, it is sorted
 * here.  Without memory for it, all groups are read each time.
 */
#include "runtime/unwind/call_sites.h"

#include "runtime/state/state.h"
#include "runtime/system/elf.h"

#include <sys/auxv.h>

extern const char __start_wm_sites[] __attribute__((weak, visibility("hidden")));
extern const char __stop_wm_sites[] __attribute__((weak, visibility("hidden")));

struct entry {
	int32_t start; /* the first return address of the group minus address of the section */
	uint32_t group; /* offset in the section, in units of 8 bytes */
};

static struct {
	struct entry *entry;
	size_t count, mapped;
	bool failed;
} groups;

bool wm_has_sites(void)
{
	return __stop_wm_sites > __start_wm_sites;
}

static uint64_t start_of(const struct wm_site_group *group)
{
	return (uintptr_t)&group->start + (uint64_t)(int64_t)group->start;
}

/* The group at an offset of the section, or NULL. */
static inline __attribute__((always_inline)) const struct wm_site_group *group_at(size_t offset)
{
	const struct wm_site_group *group = (const void *)(__start_wm_sites + offset);
	size_t room = (size_t)(__stop_wm_sites - __start_wm_sites) - offset;
	bool whole = room >= sizeof *group && group->size >= sizeof *group && group->size <= room;
	return whole && group->keys <= (group->size - sizeof *group) / sizeof(uint64_t) ? group : NULL;
}

/* ---- The index --------------------------------------------------------------------------- */

static void sift(struct entry *entry, size_t root, size_t count)
{
	struct entry moved = entry[root];
	for (size_t child; (child = 2 * root + 1) < count; root = child) {
		if (child + 1 < count && entry[child + 1].start > entry[child].start)
			child++;
		if (entry[child].start <= moved.start)
			break;
		entry[root] = entry[child];
	}
	entry[root] = moved;
}

static void sort(struct entry *entry, size_t count)
{
	for (size_t root = count / 2; root-- > 0;)
		sift(entry, root, count);
	for (size_t end = count; end-- > 1;) {
		struct entry last = entry[end];
		entry[end] = entry[0];
		entry[0] = last;
		sift(entry, 0, end);
	}
}

/* False: there are more groups than there is room for. */
static bool fill(size_t room)
{
	const struct wm_site_group *group;
	struct entry *entry = groups.entry;
	size_t at = 0, count = 0;
	int32_t last = INT32_MIN;
	bool sorted = true;
	for (; count < room && (group = group_at(at)); at += group->size) {
		int32_t start = (int32_t)at + group->start;
		entry[count++] = (struct entry){start, (uint32_t)(at / 8)};
		sorted &= last <= start;
		last = start;
	}
	groups.count = count;
	if (!sorted)
		sort(entry, count);
	return !group_at(at);
}

void wm_sites_release(void)
{
	if (groups.entry)
		sys_unmap(groups.entry, groups.mapped);
	groups.entry = NULL;
	groups.count = 0;
}

/* False: there is no memory for the index.  Groups without sites are of no use, and not expected. */
static bool make_index(void)
{
	size_t room =
		(size_t)(__stop_wm_sites - __start_wm_sites) / (sizeof(struct wm_site_group) + 2 * sizeof(uint64_t));
	if (groups.entry || groups.failed)
		return groups.entry;
	groups.mapped = wm_page_up(room * sizeof *groups.entry);
	groups.entry =
		room ? (void *)sys_map(NULL, groups.mapped, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) : NULL;
	if (groups.entry && !fill(room))
		wm_sites_release();
	groups.failed = !groups.entry;
	return groups.entry;
}

/* ---- Sites -------------------------------------------------------------------------------- */

/* The sites of addresses that were looked for, each at a place of its own; those with many are read again each time.  The lock is
 * held. */
#define CACHED 128u
#define MOST_CACHED 6u
#define MOST_SITES 512u
static struct known_sites {
	uint64_t address;
	size_t group;
	uint32_t count;
	struct wm_return_site site[MOST_CACHED];
} known[CACHED];
static struct wm_return_site many[MOST_SITES];

static size_t read_sites(const struct wm_site_group *group, uint64_t offset)
{
	const uint64_t *keys = (const void *)(group + 1);
	const uint8_t *end = (const uint8_t *)group + group->size, *at = (const uint8_t *)(keys + group->keys);
	struct wm_return_site site = {.offset = 0};
	size_t count = 0;
	for (uint32_t i = 0; i < group->count && at && site.offset <= offset; i++) {
		at = wm_site_get(at, end, keys, group->keys, &site);
		if (at && site.offset == offset && count < MOST_SITES)
			wm_copy(&many[count++], &site, sizeof site);
	}
	return count;
}

static struct wm_sites sites_in(const struct wm_site_group *group, size_t number, uint64_t address)
{
	struct known_sites *cached = &known[(address * WM_HASH_FACTOR >> 32) % CACHED];
	if (cached->address == address)
		return (struct wm_sites){cached->site, cached->count, cached->group};
	size_t count = read_sites(group, address - start_of(group));
	if (count > MOST_CACHED)
		return (struct wm_sites){many, count, number};
	cached->address = address;
	cached->group = number;
	cached->count = (uint32_t)count;
	wm_copy(cached->site, many, count * sizeof *many);
	return (struct wm_sites){cached->site, count, number};
}

static bool reaches(const struct wm_site_group *group, uint64_t address)
{
	return start_of(group) <= address;
}

static struct wm_sites search_all(uint64_t address)
{
	const struct wm_site_group *group, *best = NULL;
	size_t number = 0, best_number = 0;
	for (size_t at = 0; (group = group_at(at)); at += group->size, number++)
		if (reaches(group, address) && (!best || start_of(group) > start_of(best))) {
			best = group;
			best_number = number;
		}
	return best ? sites_in(best, best_number, address) : (struct wm_sites){NULL, 0, 0};
}

static const struct wm_site_group *group_of(const struct entry *entry)
{
	return (const void *)(__start_wm_sites + 8 * (size_t)entry->group);
}

/* If the linker has made one machine function of several, nobody knows in which of them the activation is. */
static bool is_alone(size_t index)
{
	return (index == 0 || groups.entry[index - 1].start != groups.entry[index].start) &&
	       (index + 1 == groups.count || groups.entry[index + 1].start != groups.entry[index].start);
}

/* Most processes end with activations of the C library alone, and the one with which the program begins. */
static bool may_have_site(uint64_t address)
{
	enum { START_SIZE = 0x28 /* of _start, up to its call */ };
	static struct wm_unwind_object own;
	return wm_unwind_object_at(&own, (uintptr_t)wm_sites_at) && address >= own.start && address < own.end &&
	       address - __getauxval(AT_ENTRY) >= START_SIZE;
}

struct wm_sites wm_sites_at(uint64_t address)
{
	if (!may_have_site(address))
		return (struct wm_sites){NULL, 0, 0};
	if (!make_index())
		return search_all(address);
	size_t low = 0, high = groups.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (reaches(group_of(&groups.entry[middle]), address))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !is_alone(low - 1))
		return (struct wm_sites){NULL, 0, 0};
	return sites_in(group_of(&groups.entry[low - 1]), low - 1, address);
}

/* ---- What a site says ---------------------------------------------------------------------- */

/* Variables of 4 bytes need not be at the start of a word. */
static bool read_variable(struct wm_stack *stack, uint64_t at, uint64_t *value)
{
	uint64_t within = at % sizeof *value;
	if (!wm_stack_read(stack, at - within, value))
		return false;
	*value >>= 8 * within;
	return true;
}

static bool read_place(const struct wm_return_site *site, struct wm_walk *walk, uint64_t *value)
{
	const struct wm_frame *frame = &walk->frame;
	*value = 0;
	if (site->place == WM_PLACE_CONSTANT)
		return true;
	if (site->place == WM_PLACE_UNKNOWN || site->base >= WM_REGISTERS || !(frame->known >> site->base & 1))
		return false;
	*value = frame->reg[site->base];
	return site->place == WM_PLACE_REGISTER ||
	       (site->place == WM_PLACE_STACK &&
		       read_variable(&walk->stack, *value + (uint64_t)(int64_t)site->displacement, value));
}

bool wm_site_sum(const struct wm_return_site *site, struct wm_walk *walk, uint64_t *sum)
{
	uint64_t value;
	if (!read_place(site, walk, &value))
		return false;
	if (site->size == 4)
		value = (uint32_t)value;
	*sum = (value + site->missing) & (site->bits < 64 ? (UINT64_C(1) << site->bits) - 1 : ~UINT64_C(0));
	return true;
}

static struct {
	uint64_t key;
	ptrdiff_t function;
} cache[64];

static ptrdiff_t search_function(uint64_t key, size_t near)
{
	size_t count = wm.object.func_count;
	for (size_t distance = 0; distance < count; distance++) {
		if (near + distance < count && wm.object.func[near + distance].key == key)
			return (ptrdiff_t)(near + distance);
		if (distance <= near && near - distance < count && wm.object.func[near - distance].key == key)
			return (ptrdiff_t)(near - distance);
	}
	return -1;
}

/* Groups are sorted as the functions are in most programs, but there may be fewer or more of them. */
ptrdiff_t wm_site_function(const struct wm_return_site *site, size_t group)
{
	size_t place = site->key * WM_HASH_FACTOR >> 58;
	size_t near = groups.count ? group * wm.object.func_count / groups.count : 0;
	if (cache[place].key != site->key || !site->key)
		cache[place].function = search_function(site->key, near < wm.object.func_count ? near : 0);
	cache[place].key = site->key;
	return cache[place].function;
}
