/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cmocka wants these before it. */
#ifndef WM_TEST_CORE_SUPPORT_H
#define WM_TEST_CORE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
