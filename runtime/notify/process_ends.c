/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that end the process without its destructors, or a thread. */
#include "runtime/notify/leave_functions.h"

#include <pthread.h>
#include <threads.h>

#define END(name, type, leave) \
	WM_REPLACE(void, name, type value) \
	{ \
		if (leave) \
			leave(); \
		WM_REAL(name)(value); \
		__builtin_trap(); \
	}

END(_exit, int, __wm_leave_process)
END(_Exit, int, __wm_leave_process)
END(quick_exit, int, __wm_leave_process)
END(pthread_exit, void *, __wm_leave_thread)
END(thrd_exit, int, __wm_leave_thread)
