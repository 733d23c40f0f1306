/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * -fwaymark-crash: where every active frame of a thread stands, in a chunk of the raw profile.
 *
 * Each thread has one chunk (WM_CHUNK_CRASH; its `thread` is the thread's id) of WM_CRASH_SIZE bytes:
 *     chunk header | struct wm_crash_head | … up to WM_CRASH_FRAMES | frames | the overflow page | machine stack
 * Frames are a stack that grows upwards.  The first frame whose tag is 0 ends the stack.  Frames that do not fit
 * are written to the overflow page, again and again from its beginning.  Compiled code asks the runtime for a frame in
 * the first WM_CRASH_SLACK bytes of a page, and elsewhere takes the next one; the frames of functions that were inlined into
 * a function with a frame follow that without asking, up to WM_CRASH_SLACK bytes in all.
 *
 * A function has a frame in the blocks that make calls and in blocks around them (core/probes/shrink_wrap.h).  Before a call
 * the function stores the number of the call site, and the path register of core/probes/pending.h in `kept`.  The
 * register itself is in memory of the machine stack, followed by the earlier pieces of the pending path, the last one
 * first.  After a fault, the chunk has a copy of the innermost part of that stack.
 *
 * The frame of a function that keeps n earlier pieces has 1 + n / 2 more slots of the same size: one whose tag is
 * WM_CRASH_MORE + n and whose `kept` is the last piece, and after it the other pieces, two to a slot.  A slot with the
 * tag WM_CRASH_MORE alone is unused.
 *
 * Where a machine instruction may fault, the block is found by its address: the section WM_CRASH_SECTION, which is
 * not loaded, consists of struct wm_crash_mark.  Sorted by address, a mark without WM_MARK_END and the next mark, if
 * that is the end of the same block, enclose machine code of the block.  WM_MARK_LEAF: the function has no frame in the
 * block.  WM_MARK_TRAP: nothing of the block follows the instruction.  So both marks are before it, with the address of the
 * end after that of the beginning, and the instruction is the first one behind them that traps, without a jump between
 * them.  A mark with WM_MARK_SITE gives the source line of a call site.
 *
 * Without -fwaymark-crash, no thread has such a chunk until a signal ends the process.  Then the runtime unwinds the stack
 * of the thread that got the signal and writes a chunk with WM_CRASH_SUMS, from what abi/unfinished.h says of the calls: its
 * frames stand in calls, `kept` is the sum S of the path up to the call, and no part of the machine stack is copied.  For an
 * activation of this object that stands elsewhere there is a frame with the tag WM_CRASH_INSTRUCTION, whose `kept` is the address
 * of an instruction, as `pc` is, or of a byte in it, and whose `site` is an enum wm_crash_stop.  Its function may be one that is
 * not instrumented.
 */
#ifndef WM_ABI_CRASH_H
#define WM_ABI_CRASH_H

#include <stdint.h>

#define WM_CRASH_SIZE 131072u
#define WM_CRASH_SLACK 64u /* bytes of the frames for which one test is enough */
#define WM_CRASH_FRAMES (4096u + WM_CRASH_SLACK) /* offset of the first frame */
#define WM_CRASH_OVERFLOW (WM_CRASH_END - 4096u + WM_CRASH_SLACK) /* offset of the first frame of the overflow page */
#define WM_CRASH_END 65536u /* of its end: no frame begins there */
#define WM_CRASH_STACK (WM_CRASH_END + WM_CRASH_SLACK) /* offset of the machine stack */
#define WM_CRASH_SYMBOL "__wm_crash_runtime" /* of the runtime, in the file that programs with the option need */
#define WM_SITES_SECTION "wm_sites" /* abi/unfinished.h */
#define WM_CRASH_SECTION ".debug_waymark_pc" /* so that linkers treat it as they treat DWARF, with --gc-sections too */

struct wm_crash_frame {
	uint64_t kept; /* the register before the last call */
	uint32_t tag; /* wm_crash_tag of the function; 0: no frame */
	uint32_t site; /* 0: no call yet; else the call site + 1, or WM_SITE_BLOCK | block */
};
#define WM_CRASH_MORE 0x80000000u /* of a tag: the slot belongs to the frame before it */
#define WM_CRASH_PIECES 252u /* the most earlier pieces of a frame, so that it is smaller than a page */
#define WM_SITE_BLOCK 0x80000000u /* a call that is not a call site of the map, as of memcpy */
/* Of a struct wm_return_site (abi/unfinished.h): the path has ended before the call, as before one that does not return.  An activation that
 * is left there leaves no unfinished path, but after a crash S and the call say how it came there. */
#define WM_SITE_ENDED 0x40000000u
/* Likewise: an exception may continue in this function.  If it does, the functions that were inlined in the call are left. */
#define WM_SITE_LANDS 0x20000000u
#define WM_SITE_UNKNOWN 0x40000000u /* WM_CRASH_SUMS: nobody knows S */
#define WM_CRASH_INSTRUCTION 0x7FFFFFFFu /* WM_CRASH_SUMS: a tag */
enum wm_crash_stop { /* … and the site of its frame */
	WM_STOP_INTERRUPTED, /* by the signal, or by an earlier one whose handler was running */
	WM_STOP_CALL, /* in a call that is not described (abi/unfinished.h) */
};

/* A finished path, as the block in which it ended. */
struct wm_crash_path {
	uint32_t tag;
	uint32_t block;
	uint64_t value; /* the register, before the event that ended the path */
};
#define WM_CRASH_PATHS 16u
#define WM_CRASH_CODE (1ull << 32)
#define WM_CRASH_HANDLED (1ull << 33) /* the signal did not end the process, but went to a handler of the program */
#define WM_CRASH_BLOCKED (1ull << 34) /* some signal was blocked, as while a handler of the program runs */
#define WM_CRASH_SUMS (1ull << 35) /* the frames were found by unwinding the stack */
#define WM_CRASH_CUT (1ull << 36) /* … which was too deep for that, so that the outermost ones are missing */

/* The machine registers that address variables of the machine stack. */
enum wm_crash_base { WM_BASE_RSP, WM_BASE_RBP, WM_BASE_RBX, WM_CRASH_BASES };

/* Parts of the machine stack that were copied: the one from the red zone below %rsp on, and the one below %rbp, where
 * the variables of a function with large arrays may be. */
enum { WM_CRASH_WINDOWS = 2 };
#define WM_CRASH_WINDOW ((WM_CRASH_SIZE - WM_CRASH_STACK) / WM_CRASH_WINDOWS) /* bytes of each in the chunk */
struct wm_crash_window {
	uint64_t address, size; /* size 0: it could not be copied */
};

struct wm_crash_head {
	uint64_t signal; /* of the fault that ended the thread; 0: none */
	uint64_t pc; /* of the fault, minus the address of the object's first byte */
	uint64_t address; /* that was accessed */
	uint64_t top; /* offset of the first free frame when the fault happened */
	uint64_t dead; /* the thread had ended when another one crashed or the program ended */
	uint64_t base[WM_CRASH_BASES]; /* machine registers when the fault happened */
	struct wm_crash_window window[WM_CRASH_WINDOWS];
	uint64_t next; /* the low 8 bits: offset in `path` of the oldest entry */
	/* WM_CRASH_CODE | the low 32 bits of si_code, who raised the signal; HANDLED, BLOCKED; 0: not known. */
	uint64_t code;
	struct wm_crash_path path[WM_CRASH_PATHS]; /* a ring; tag 0: unused */
};

/* The source lines of a call, or of the instructions that end with a mark and may fault, if all have lines in the same function, inlined
 * at the same place; 0: they have not.  The line table of the debug information is not enough: an instruction that LLVM
 * has left without a location seems to be on the line of the one before it. */
struct wm_crash_lines {
	uint32_t least, greatest; /* in the function of the source to which they belong */
	uint32_t
		own; /* in the function of the mark: the same if `least` and `greatest` are, or where that was inlined */
};

enum {
	WM_MARK_END = 1,
	WM_MARK_LEAF = 2,
	WM_MARK_SITE = 4,
	WM_MARK_LINES = 8, /* an END or a SITE has lines */
	WM_MARK_TRAP = 16, /* of a pair: of the code of the block, it encloses the next instruction that only traps */
};
#define WM_MARK_PLACE 24
struct wm_crash_mark {
	uint64_t address; /* as in the symbol table; SITE: the line */
	uint64_t key; /* wm_function_key() */
	uint32_t block; /* SITE: the call site */
	uint32_t flags;
	/* Where the register is, as assembly: "-8(%rsp)".  Empty: the pending path does not depend on the register.  LINES:
	 * struct wm_crash_lines. */
	char place[WM_MARK_PLACE];
};

_Static_assert(sizeof(struct wm_crash_frame) == 16 && sizeof(struct wm_crash_mark) == 48 &&
		       sizeof(struct wm_crash_path) * WM_CRASH_PATHS == 256,
	"the compiler emits these");

/* The slots of a frame after the first, if it keeps pieces. */
static inline uint32_t wm_crash_more(uint32_t pieces)
{
	return 1 + pieces / 2;
}

/* Without WM_CRASH_MORE, and not 0.  Two functions of a program may have the same. */
static inline uint32_t wm_crash_tag(uint64_t key)
{
	uint32_t tag = (uint32_t)(key ^ key >> 32) & 0x7FFFFFFFu;
	return tag ? tag : 1;
}

#endif
