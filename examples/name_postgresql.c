/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tells Waymark in which test a session of a PostgreSQL server is: the one that the client names as its application_name, as
 * pg_regress does.  Sessions may run at the same time.
 *
 *     waymark cc -shared -fPIC -I"$(pg_config --includedir-server)" name_postgresql.c -o name_postgresql.so
 *
 * and in the configuration of a server that was built with Waymark: session_preload_libraries = '/…/name_postgresql.so'
 */
#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"
#include "utils/guc.h"
#include <waymark.h>

PG_MODULE_MAGIC;
void _PG_init(void);

static char *test;

static void begin(const char *name, void *extra)
{
	(void)extra;
	if (name && *name)
		waymark_test_begin(name);
}

/* The variable brings the name to the workers of a parallel query, which load this library before they know application_name. */
void _PG_init(void)
{
	DefineCustomStringVariable("waymark.test", "The test of this session.", NULL, &test, "", PGC_USERSET,
		GUC_NO_SHOW_ALL, NULL, begin, NULL);
	if (!IsParallelWorker() && application_name && *application_name)
		SetConfigOption("waymark.test", application_name, PGC_USERSET, PGC_S_CLIENT);
}
