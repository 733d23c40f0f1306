/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The energy of accesses to the memory hierarchy, relative to an access to the level 1
 * instruction cache (section 5.3 of the thesis).
 *
 * The form is the analytical one of Kamble and Ghose (ISLPED 1997), on which the thesis's
 * reference [26], Kadayif et al., builds.  An access charges, in an array of `array_rows`
 * rows at most:
 *
 *   columns = ways · (8 · block + tag bits + 2)      valid and dirty are the 2
 *   bit lines:  columns · rows · (bit_metal · ports + bit_drain) · voltage · swing
 *   word line:  columns · (word_metal · ports + word_gate) · voltage²
 *   wires:      (data + address bits) · √(all bits) · word_metal · activity · voltage²
 *
 * and an access to memory charges
 *
 *   pads:       (8 · block of level 2 + address bits) · pad · activity · voltage²
 *
 * Departures: the array is divided, as in CACTI, so that the bit lines of a large cache do
 * not grow without bound, and √(all bits) cells of wire stand for the way to and from the
 * part that was accessed.  Data are a 64-bit word in level 1 and a block of level 1 in
 * level 2.  Decoders, sense amplifiers and leakage are neglected.  The activity factor is
 * constant, as in the thesis.
 */
#ifndef WM_HARDWARE_ENERGY_H
#define WM_HARDWARE_ENERGY_H

#include "hardware/model/cache.h"

struct wm_hw_technology {
	double bit_metal; /* wire of one cell on a bit line, in fF, for each port */
	double bit_drain; /* drain of one cell on a bit line, in fF */
	double word_metal; /* wire of one cell on a word line, in fF, for each port */
	double word_gate; /* gates of one cell on a word line, in fF */
	double pad; /* one line that leaves the chip, in fF */
	double voltage, swing; /* supply, and the change on a bit line, in V */
	double activity; /* the share of lines that change */
	uint32_t array_rows; /* at most, in one part of a cache */
	uint32_t address_bits;
};

/* CMOS of 0.8 µm as in appendix II of CACTI (Wilton and Jouppi, WRL report 93/5): cells of
 * 8 µm × 16 µm, 0.225 and 0.275 fF per µm of wire, two pass transistors of 2.4 µm × 0.8 µm
 * at 1.45 fF per µm² on a word line, half a drain of 3.73 fF on a bit line, 5 V.  Bit lines
 * change by half the supply and half of all lines change, as Wattch assumes.  A line that
 * leaves the chip has 20 pF, as in the energy models of the authors of [26]. */
#define WM_HW_TECHNOLOGY \
	((struct wm_hw_technology){.bit_metal = 4.4, \
		.bit_drain = 1.865, \
		.word_metal = 1.8, \
		.word_gate = 5.568, \
		.pad = 20000, \
		.voltage = 5, \
		.swing = 2.5, \
		.activity = 0.5, \
		.array_rows = 256, \
		.address_bits = 48})

/* What one access costs, in units of an instruction cache access divided by `scale`. */
struct wm_hw_energy {
	uint32_t l1i, l1d, l2, memory;
};

struct wm_hw_energy_config {
	struct wm_hw_cache_config l1i, l1d, l2;
	uint32_t l1d_ports;
	uint32_t scale; /* 1: the thesis's integers, which fit its 8-bit counters; more: finer */
};

/* Costs are rounded to the nearest integer and at least 1; l1i is `scale`.  The caches
 * must be valid (wm_hw_cache_init). */
struct wm_hw_energy wm_hw_energy_relative(
	const struct wm_hw_energy_config *config, const struct wm_hw_technology *technology);

#endif
