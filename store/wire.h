/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The conversation with a PostgreSQL server, which may be hostile or hang: libpq without anything that waits or reads without a
 * limit.
 *
 *   - Every answer has a deadline: the connection to a host, the result of a statement, the next row of a query, and the server's
 *     taking of what is sent.
 *   - Every answer has a limit of bytes, which what the server sends unasked (notices, settings) counts towards.
 *   - While an answer is late, `meanwhile` of the patience is called about once a second.
 *
 * After a deadline or a limit the wire is *broken*: `trouble` says why, and it can only be closed.  Names of hosts are resolved
 * by the C library, which has deadlines of its own.
 */
#ifndef WM_STORE_WIRE_H
#define WM_STORE_WIRE_H

#include "store/database.h"

#include <libpq-fe.h>

struct wm_wire {
	PGconn *connection;
	struct wm_patience patience;
	int64_t turn; /* when `meanwhile` is called next; milliseconds of the monotonic clock */
	size_t received; /* bytes of the current answer, approximately */
	uint64_t usual_memory; /* RLIMIT_DATA, if it is another one while an answer is read; 0: it is not */
	bool is_broken;
	char trouble[256]; /* one line */
};

/* location: a connection string.  connect_timeout in it has precedence over the patience.  Several hosts are tried one after another.
 * False: the wire is broken.  It is to be closed in either case. */
bool wm_wire_open(struct wm_wire *wire, const char *location, const struct wm_patience *patience);
void wm_wire_close(struct wm_wire *wire);

/* The next result of what was sent, which is to be freed by PQclear.  NULL: there is none, or the wire is broken. */
PGresult *wm_wire_result(struct wm_wire *wire);
/* The last result of what was sent, or the first one that is an error or begins a COPY.  NULL: the wire is broken. */
PGresult *wm_wire_last(struct wm_wire *wire);
/* The same of several statements, which it sends. */
PGresult *wm_wire_execute(struct wm_wire *wire, const char *sql);
/* Data of a COPY to the server; `error`: NULL, or why it is given up.  False: the wire is broken. */
bool wm_wire_copy(struct wm_wire *wire, const char *data, size_t size);
bool wm_wire_copy_end(struct wm_wire *wire, const char *error);
/* Makes the wire idle and undoes the transaction, unless it is broken.  A statement that is still being executed breaks it. */
void wm_wire_roll_back(struct wm_wire *wire);

/* The first line of a message of the server or of libpq, shortened. */
void wm_wire_first_line(char line[256], const char *message);

#endif
