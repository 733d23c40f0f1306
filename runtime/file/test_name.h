/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name of the test to which this process belongs (abi/tests.h). */
#ifndef WM_RUNTIME_FILE_TEST_NAME_H
#define WM_RUNTIME_FILE_TEST_NAME_H

/* Reads the environment, and the file that it names, once: later the program may have changed its environment; and asks the other
 * copies of the runtime for their test.  Must be called without the lock: whoever visits this copy holds the lock of the loader. */
void wm_test_name_start(void);
/* The test of the other copies goes on in this object.  Called with the lock held. */
void wm_test_name_inherit(void);
/* In a forked child: reads the file again. */
void wm_test_name_fork(void);
/* The test that has begun, else that of the environment, else "". */
const char *wm_test_name(void);
/* NULL: the test ends.  Longer names are cut. */
void wm_test_name_set(const char *name);
/* The test that has begun; NULL: none has. */
const char *wm_test_name_open(void);

#endif
