/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What situations.cpp, which is instrumented, and witness.c, which is not, tell each other.
 *
 * An activation is a link of a list that its callees get as their argument.  So every activation knows which activations are
 * around it, without any state that an exception or a jump could leave behind.
 */
#ifndef SITUATIONS_H
#define SITUATIONS_H

#ifdef __cplusplus
extern "C" {
#endif

struct function {
	const char *name; /* without the arguments of templates in arguments of templates: two may have the same */
};
struct link {
	const struct function *function;
	const struct link *outer;
};
typedef int situation(const struct link *outer);

/* Called wherever a function can be: compares the frames of -fwaymark-crash with the list. */
void at(const struct link *here);
/* 0 … ways - 1.  A situation is run once for each sequence of answers. */
int choose(int ways);
/* Begins the next sequence of answers; 0: there is none, and the next call begins with the first one again. */
int next_run(void);
/* Runs a handler of signals, which calls `handled`, after every instruction from now on; 0: ends that. */
void single_step(int on);
void handled(int number);
/* Exits with 1 if something was wrong. */
void judge(long runs);

#ifdef __cplusplus
}
#endif
#endif
