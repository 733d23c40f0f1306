/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The records that cross a process boundary.  Writer and reader both expand the
 * field lists below, so a record has exactly one definition.
 *
 *   wm_func         emitted by the compiler plugin into the section wm_funcs,
 *                   read by the runtime: one per instrumented function and module
 *   wm_raw_header   \
 *   wm_raw_func      | the raw profile (.wmraw), written by the runtime,
 *   wm_raw_chunk     | read by profile/raw/raw_file.c
 *   wm_hash_table   /
 *
 * All numbers are little-endian; the only target is x86-64 Linux.
 *
 * Cells.  The counters of a function are 64-bit cells, in this order:
 *     entries      if WM_FUNC_ENTRIES    activations of the function; with
 *                  WM_FUNC_UNIT only those that no path of a caller crosses into
 *     resumed      if WM_FUNC_RESUMED    second returns of setjmp and friends
 *     store        WM_STORE_ARRAY: path_count cells, indexed by path id
 *                  WM_STORE_HASH:  no cells; the function has a head
 *                  WM_STORE_IDS:   one cell per interesting path, and a head
 *                  for all others; wm_func.ids says which path
 *                  a cell counts, WM_CHUNK_IDS repeats it in the file
 * The plugin puts cells into the section WM_CELLS_SECTION (no file space); the
 * linker script runtime/waymark.ld makes that section page-exact, so that the
 * runtime can map a file over it.
 *
 * Heads.  Whoever may write to the file can change every byte of the cells and of the
 * hash tables while the program runs, so no address and no size is ever read from
 * there.  A function with WM_FUNC_HASH has a head, a struct wm_hash_head in the section
 * WM_HEADS_SECTION, which stays private memory.  A thread that counts at a distance from
 * the cells has its heads at the same distance from the heads.
 */
#ifndef WM_ABI_H
#define WM_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WM_ABI_VERSION 6
#define WM_CELLS_SECTION ".bss.wm_cells"
/* Cells of functions that have many, most of which are never counted in: they are placed behind all others, so that what
 * a program touches is on few pages. */
#define WM_LARGE_CELLS_SECTION ".bss.wm_cells.large"
#define WM_MOST_SMALL_CELLS 64u
#define WM_HEADS_SECTION ".bss.wm_heads"
#define WM_FUNCS_SECTION "wm_funcs"
#define WM_MAP_SECTION ".waymark.map"

/* Referenced by every instrumented module: pulls the runtime out of its archive,
 * and fails the link by name when plugin and runtime are of different versions. */
#define WM_RUNTIME_SYMBOL "__wm_runtime_abi_6"

/* How threads count.
 *   SINGLE  in the same cells; only builds of earlier versions do
 *   ATOMIC  in the same cells, with atomic instructions: residual builds, and on request
 *   DELTA   each thread at a distance of its own from the cells, which the function finds on entry
 *   GS      the same, but the distance is the base of the segment register GS; that of the main thread is 0 */
enum wm_update { WM_UPDATE_SINGLE, WM_UPDATE_ATOMIC, WM_UPDATE_DELTA, WM_UPDATE_GS };
enum wm_store { WM_STORE_ARRAY, WM_STORE_HASH, WM_STORE_IDS };

/* wm_func.flags and wm_raw_func.flags, in their lower 14 bits */
#define WM_FUNC_UPDATE(flags) ((enum wm_update)((flags) & 3u))
#define WM_FUNC_HASH 4u
#define WM_FUNC_ENTRIES 8u
#define WM_FUNC_RESUMED 16u
#define WM_FUNC_IDS 32u /* with WM_FUNC_HASH: interesting paths have cells */
#define WM_FUNC_RESIDUAL 64u /* with WM_FUNC_HASH: only paths that no test took are counted, and timed */
#define WM_FUNC_FOLLOWS \
	128u /* programs of earlier versions: each of these cells, which others count in, counts path 0 of it too */
#define WM_FUNC_IGNORED 256u /* builds of earlier versions set it; it changes no count */
#define WM_FUNC_BRANCHES 512u /* only in indexed profiles of versions 4 and 5: profile/branch_paths.h */
#define WM_FUNC_UNIT \
	1024u /* paths across calls (abi/unit_tables.h) that end in this function: ids and graph hash are those of a unit */
#define WM_FUNC_STREAM 2048u /* nothing is counted: the function is recorded (abi/stream.h) */
#define WM_FUNC_OPTIMISED 4096u /* the graph was taken after optimisation; builds of earlier versions do not set it */
#define WM_FUNC_PARTIAL \
	8192u /* only in indexed profiles: of the executions of the program, some may be missing (analysis/hw/source_paths.h) */
#define WM_FUNC_KNOWN 16383u /* all of these flags */
/* The bits above the flags name the scheme (profile/base/scheme_name.h); 0: builds of earlier versions do not. */
#define WM_FUNC_SCHEME_SHIFT 14
#define WM_FUNC_SCHEME(flags) ((flags) >> WM_FUNC_SCHEME_SHIFT)

/* clang-format off */
#define WM_FUNC_FIELDS(F)                                                        \
	F(uint64_t, key)        /* wm_function_key(): linkage name, scope if local */ \
	F(uint64_t, graph_hash) /* wm_map_graph_hash(): graph and scheme; with       \
	                           WM_FUNC_UNIT wm_unit_graph_hash() */              \
	F(int64_t, cells)       /* address of the first cell minus address of this */ \
	F(uint32_t, cell_count)                                                      \
	F(uint32_t, flags)                                                           \
	F(int64_t, ids)         /* WM_FUNC_IDS: address of a constant table minus    \
	                           address of this: uint64_t acyclic id per cell of  \
	                           the store; anything if it never counts.  Without  \
	                           WM_FUNC_IDS but with WM_FUNC_UNIT: how many paths  \
	                           are expected to be counted here; 0: not known */   \
	F(int64_t, name)        /* WM_FUNC_RESIDUAL: the linkage name, likewise */   \
	F(int64_t, head)        /* WM_FUNC_HASH: address of the head minus address of this.  WM_FUNC_STREAM: of a \
	                           private word, which the runtime sets to (index of this + 1) << 32 */ \
	F(uint64_t, source)     /* wm_map_source(): which source the function has; 0: not known.  WM_FUNC_UNIT: of \
	                           all functions of the unit together */

#define WM_RAW_HEADER_FIELDS(F)                                                  \
	F(uint64_t, magic)         /* WM_RAW_MAGIC */                                \
	F(uint32_t, version)       /* WM_ABI_VERSION */                              \
	F(uint32_t, header_size)   /* sizeof(struct wm_raw_header) of the writer */  \
	F(uint64_t, checksum)      /* wm_checksum of the function table without      \
	                              .lost, then of the fields marked * in order */ \
	F(uint64_t, func_offset)   /* * function table */                            \
	F(uint64_t, func_count)    /* * */                                           \
	F(uint64_t, cells_offset)  /* * the main cells, page aligned */              \
	F(uint64_t, cells_size)    /* * bytes */                                     \
	F(uint64_t, chunks_offset) /* * first wm_raw_chunk; chunks run to the end */ \
	F(uint64_t, run_id_low)    /* * random: one live counter set of one object */ \
	F(uint64_t, run_id_high)   /* * */                                           \
	F(uint64_t, start_time)    /* * seconds since 1970 */                        \
	F(uint64_t, pid)           /* * */                                           \
	F(uint64_t, build_id_size) /* * 0: the object has none */                    \
	F(uint64_t, build_id0) F(uint64_t, build_id1) F(uint64_t, build_id2)  /* * */ \
	F(uint64_t, build_id3)     /* * first 32 bytes, zero padded */               \
	F(uint64_t, epoch)         /* live: grows with each waymark_reset() */       \
	F(uint64_t, snapshot)      /* live: 0 in the live file; a snapshot's number */ \
	F(uint64_t, flags)         /* live: WM_RAW_* */                              \
	F(uint64_t, lost)          /* live: updates that found no memory */          \
	F(uint64_t, file_size)     /* live: written after the file has grown to it; a \
	                              shorter file was cut, a longer one is whole */ \
	F(uint64_t, program0) F(uint64_t, program1) F(uint64_t, program2)                \
	F(uint64_t, program3) F(uint64_t, program4) F(uint64_t, program5)                \
	F(uint64_t, program6) F(uint64_t, program7) /* the object's name, zero padded:  \
	                              DT_SONAME of a shared object, else the last part   \
	                              of the executable's path.  All zeros: not known.   \
	                              Files with a smaller header_size do not have it. */ \
	F(uint64_t, condensed)     /* live: offset of the chunk that replaces the cells    \
	                              and chunks before it (abi/counts.h); 0: there is none */

#define WM_RAW_FUNC_FIELDS(F)                                                    \
	F(uint64_t, key)           /* wm_function_key() */ \
	F(uint64_t, graph_hash)                                                      \
	F(uint64_t, cells_offset)  /* bytes from the start of the cells */           \
	F(uint32_t, cell_count)                                                      \
	F(uint32_t, flags)                                                           \
	F(uint64_t, source)        /* as in WM_FUNC_FIELDS */                        \
	F(uint64_t, lost)          /* live: updates of this function that were lost */

#define WM_RAW_CHUNK_FIELDS(F)                                                   \
	F(uint64_t, magic)         /* WM_CHUNK_MAGIC */                              \
	F(uint64_t, kind)          /* enum wm_chunk_kind */                          \
	F(uint64_t, size)          /* bytes, header included; a multiple of 4096 */  \
	F(uint64_t, used)          /* TABLES: bytes of whole tables; IDS, STREAM: bytes of words */ \
	F(uint64_t, thread)        /* STREAM: number of the stream; CRASH: id of the thread */ \
	F(uint64_t, sequence)      /* STREAM: wm_chunk_sequence() */                 \
	F(uint64_t, parent_low)    /* STREAM: run id of the process in which the stream began, if it */ \
	F(uint64_t, parent_high)   /* began with a fork; zeros: it did not */

#define WM_HASH_TABLE_FIELDS(F)                                                  \
	F(uint64_t, shift)         /* 64 - log2(slots); home slot = key >> shift */ \
	F(uint64_t, func)          /* index in the function table */                 \
	F(uint64_t, flags)         /* WM_TABLE_* */                                  \
	F(uint64_t, magic)         /* WM_TABLE_MAGIC, written last */                \
	F(uint64_t, pad0) F(uint64_t, pad1) F(uint64_t, pad2) F(uint64_t, pad3)
/* clang-format on */

#define WM_PROGRAM_SIZE 64 /* bytes of program0 to program7 */

#define WM_FIELD(type, name) type name;
struct wm_func {
	WM_FUNC_FIELDS(WM_FIELD)
};
struct wm_raw_header {
	WM_RAW_HEADER_FIELDS(WM_FIELD)
};
struct wm_raw_func {
	WM_RAW_FUNC_FIELDS(WM_FIELD)
};
struct wm_raw_chunk {
	WM_RAW_CHUNK_FIELDS(WM_FIELD)
};
struct wm_hash_table {
	WM_HASH_TABLE_FIELDS(WM_FIELD) /* slots follow */
};
#undef WM_FIELD

/* A slot holds the key of an id (0: free) and its count.  The sum over all tables of a
 * function is its profile: an id may stand in several of them.  The key is the id,
 * mixed: its high bits are the home slot, so that one product serves for both. */
struct wm_hash_slot {
	uint64_t key, count;
};

/* `probe` is what compiled code needs of the newest table: the address of its slots, a
 * multiple of 64, plus its shift.  0: there is no table. */
struct wm_hash_head {
	uint64_t probe;
	struct wm_table *newest; /* the runtime's own description of the table */
};
#define WM_PROBE_SHIFT 63u /* mask of the shift in `probe` */

_Static_assert(
	sizeof(struct wm_raw_chunk) == 64 && sizeof(struct wm_hash_table) == 64, "slots are aligned to 64 bytes");

#define WM_HASH_FACTOR 0x9E3779B97F4A7C15ull
#define WM_HASH_INVERSE 0xF1DE83E19937733Dull /* their product is 1, modulo 2^64 */

static inline uint64_t wm_hash_key(uint64_t id)
{
	return (id + 1) * WM_HASH_FACTOR;
}

static inline uint64_t wm_hash_id(uint64_t key)
{
	return key * WM_HASH_INVERSE - 1;
}

#define WM_RAW_MAGIC 0x0A0D5741524D5789ull /* bytes 89 'W' 'M' 'R' 'A' 'W' 0d 0a */
#define WM_CHUNK_MAGIC 0x4B4E5548434D57CDull /* bytes cd 'W' 'M' 'C' 'H' 'U' 'N' 'K' */
#define WM_TABLE_MAGIC 0x454C4241544D57CDull /* bytes cd 'W' 'M' 'T' 'A' 'B' 'L' 'E' */

/* wm_raw_header.flags */
#define WM_RAW_KILL_SAFE 1u /* the counters are this file's pages */
#define WM_RAW_SECOND_THREAD 2u /* a thread without cells of its own ran beside the one to which the cells belong */
#define WM_RAW_FOREIGN_PROCESS 4u /* a process that bypassed fork() wrote here too */
#define WM_RAW_SNAPSHOT 8u /* written by waymark_dump() */
#define WM_RAW_INHERITED 16u /* has base chunks: forked, or reset */
#define WM_RAW_ENDED 32u /* the program ended by exit or by returning from main, or the object was unloaded */
#define WM_RAW_STREAM_STOPPED 64u /* the recording ended before the program did */
#define WM_RAW_CLEARED 128u /* what the chunk at `condensed` has replaced was cleared, and counts again */
#define WM_RAW_POOL 256u /* of many processes: abi/pool.h */

/*
 * Chunks.  THREAD and BASE chunks repeat the layout of the main cells, which are not
 * a chunk; the profile is the sum of the main cells, all THREAD cells and all tables
 * that are not WM_TABLE_BASE.  BASE cells and tables hold what had been counted
 * before the fork or reset that this profile starts from; frames that were open
 * then are the difference between their entries and their completed paths.
 */
#define WM_CHUNK_OPTIONAL (1u << 30) /* in a kind: a reader that does not know the kind may skip the chunk */
/* A new kind differs from STREAM in two bits or more. */
#define WM_CHUNK_KINDS(K) \
	K(THREAD, 1u) \
	K(TABLES, 2u) \
	K(BASE, 3u) \
	K(IDS, 4u) \
	K(STREAM, 5u | WM_CHUNK_OPTIONAL) \
	K(CRASH, 6u | WM_CHUNK_OPTIONAL) \
	K(COUNTS, 8u) \
	K(RUNS, 9u) \
	K(TEST, 10u | WM_CHUNK_OPTIONAL) \
	K(UNFINISHED, 11u | WM_CHUNK_OPTIONAL)
#define WM_CHUNK_KIND(name, value) WM_CHUNK_##name = (value),
enum wm_chunk_kind { WM_CHUNK_KINDS(WM_CHUNK_KIND) };
#undef WM_CHUNK_KIND
#define WM_TABLE_BASE 1u
/* After the slots there is one more word per slot: when its path was first counted,
 * in microseconds since 1970 (0: not known).  Tables of WM_FUNC_RESIDUAL functions. */
#define WM_TABLE_TIMES 2u
static inline uint64_t wm_table_size(uint64_t slots, uint64_t flags)
{
	uint64_t slot = sizeof(struct wm_hash_slot) + (flags & WM_TABLE_TIMES ? sizeof(uint64_t) : 0);
	return sizeof(struct wm_hash_table) + slots * slot;
}
/* Of a STREAM chunk: its number in its stream, from 1 (0: the chunks of the stream are in the order of the file), and why
 * the recording ended after its last entry (enum wm_stream_stop; 0: it did not). */
static inline uint64_t wm_chunk_sequence(uint64_t number, uint64_t stop)
{
	return number | stop << 56;
}
static inline uint64_t wm_chunk_number(uint64_t sequence)
{
	return sequence & ((1ull << 56) - 1);
}
static inline uint64_t wm_chunk_stop(uint64_t sequence)
{
	return sequence >> 56;
}
/* WM_CHUNK_STREAM, after the chunk header and a struct wm_stream_seal, up to `used` bytes: 64-bit entries (abi/stream.h).  The stream of a thread is
 * the entries of all its chunks, in the order of `sequence`.  `used` is the room for entries; in the last chunk of a stream,
 * entries that were not written are zeros.
 * `used` 0: the chunk was moved to a spool file, or is about to be used again. */
/* WM_CHUNK_CRASH: abi/crash.h.  WM_CHUNK_COUNTS: abi/counts.h.  WM_CHUNK_RUNS: abi/pool.h.  WM_CHUNK_UNFINISHED: abi/unfinished.h. */
/* WM_CHUNK_IDS, after the chunk header, up to `used` bytes: for each function with WM_FUNC_IDS,
 * words: its index in the function table, how many ids follow, the ids. */

/* 0: not known. */
static inline uint64_t wm_expected_paths(const struct wm_func *f)
{
	return (f->flags & (WM_FUNC_UNIT | WM_FUNC_IDS)) == WM_FUNC_UNIT ? (uint64_t)f->ids : 0;
}

/* Cells before the store. */
static inline uint32_t wm_prefix_cells(uint32_t flags)
{
	return !!(flags & WM_FUNC_ENTRIES) + !!(flags & WM_FUNC_RESUMED);
}

/* FNV-1a over 64-bit words; the runtime cannot depend on a hash library. */
static inline uint64_t wm_checksum(uint64_t sum, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum = (sum ^ words[i]) * 0x100000001B3ull;
	return sum;
}
#define WM_CHECKSUM_INIT 0xCBF29CE484222325ull

#endif
