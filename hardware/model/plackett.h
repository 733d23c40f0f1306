/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The Plackett-Burman design of 8 runs with foldover: 16 runs that tell the main effects of up
 * to 7 factors apart, from each other and from interactions of two of them (thesis, section
 * 5.5.2).
 */
#ifndef WM_HARDWARE_PLACKETT_H
#define WM_HARDWARE_PLACKETT_H

enum { WM_HW_PLACKETT_RUNS = 16, WM_HW_PLACKETT_FACTORS = 7 };

/* +1 when `factor` is at its high value in `run`, -1 when it is at its low value. */
int wm_hw_plackett_sign(unsigned run, unsigned factor);
/* The change of the mean response from the low to the high value of each factor. */
void wm_hw_plackett_effects(const double response[WM_HW_PLACKETT_RUNS], double effect[WM_HW_PLACKETT_FACTORS]);

#endif
