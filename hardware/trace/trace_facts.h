/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The static part of a trace, as a log of facts: blocks of code, and where files are mapped.
 * A fact holds from where it stands in the log; a mapping ends when another fact maps the same
 * addresses.
 *
 * Encoding: kind as one byte, then LEB128 numbers.
 *   WM_FACT_BLOCK    number (the next unused one), address, instruction count, byte count, bytes; only in
 *                    traces of version 2
 *   WM_FACT_MAPPING  start, size, offset in the file, length of the path, path
 *   WM_FACT_CODE     number (the next unused one), address, instruction count, the size of each
 *                    instruction as one byte, their bytes
 */
#ifndef WM_HARDWARE_TRACE_TRACE_FACTS_H
#define WM_HARDWARE_TRACE_TRACE_FACTS_H

#include <stddef.h>
#include <stdint.h>

enum wm_fact_kind { WM_FACT_BLOCK = 1, WM_FACT_MAPPING = 2, WM_FACT_CODE = 3 };

enum { WM_FACT_BLOCK_INSNS = 4096, WM_FACT_BLOCK_BYTES = 1 << 16, WM_FACT_PATH_BYTES = 4096 };

#endif
