/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/wire.h"
#include "support/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* HANGING: milliseconds after which an answer is late.  RESULTS: of one text with several statements. */
enum { LINE = 256, SECOND = 1000, HANGING = 5 * SECOND, ANSWER_BYTES = 16 << 20, ROOM = 1 << 20, RESULTS = 4096 };

void wm_wire_first_line(char line[256], const char *message)
{
	const char *prefix = "ERROR:  ";
	if (!strncmp(message, prefix, strlen(prefix)))
		message += strlen(prefix);
	size_t length = strcspn(message, "\n");
	snprintf(line, LINE, "%.*s", (int)(length < LINE ? length : LINE), message);
}

/* ---- Memory -------------------------------------------------------------------------- */

/* libpq makes room for as much as a message says that it has, and may then read all of it at once.  It survives a failed
 * allocation, and closes the connection. */
static void limit_memory(struct wm_wire *wire)
{
	char text[256];
	unsigned long pages = 0;
	struct rlimit limit;
	int fd = wire->patience.is_alone ? open("/proc/self/statm", O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	ssize_t size = read(fd, text, sizeof text - 1);
	close(fd);
	text[size < 0 ? 0 : size] = 0;
	bool known = sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) == 1 && !getrlimit(RLIMIT_DATA, &limit);
	rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + 4 * (rlim_t)ANSWER_BYTES;
	if (!known || limit.rlim_cur <= most)
		return;
	wire->usual_memory = limit.rlim_cur;
	limit.rlim_cur = most;
	setrlimit(RLIMIT_DATA, &limit);
}

static void unlimit_memory(struct wm_wire *wire)
{
	struct rlimit limit;
	if (wire->usual_memory && !getrlimit(RLIMIT_DATA, &limit)) {
		limit.rlim_cur = wire->usual_memory;
		setrlimit(RLIMIT_DATA, &limit);
	}
	wire->usual_memory = 0;
}

/* ---- Waiting ------------------------------------------------------------------------- */

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * SECOND + time.tv_nsec / 1000000;
}

/* Returns the deadline of an answer that is awaited from now on. */
static int64_t begin_answer(struct wm_wire *wire, unsigned seconds)
{
	wire->received = 0;
	wire->turn = now() + HANGING;
	limit_memory(wire);
	return now() + (int64_t)seconds * SECOND;
}

static bool break_off(struct wm_wire *wire)
{
	wire->is_broken = true;
	return false;
}

static bool give_up(struct wm_wire *wire, const char *why)
{
	snprintf(wire->trouble, sizeof wire->trouble, "%s", why);
	return break_off(wire);
}

static bool fail_as_libpq(struct wm_wire *wire)
{
	wm_wire_first_line(wire->trouble, PQerrorMessage(wire->connection));
	return break_off(wire);
}

static void take_turn(struct wm_wire *wire)
{
	if (wire->patience.meanwhile && now() >= wire->turn) {
		unlimit_memory(wire);
		wire->patience.meanwhile(wire->patience.closure);
		limit_memory(wire);
		wire->turn = now() + SECOND;
	}
}

/* Also a server that never stops sending meets the deadline here. */
static bool await(struct wm_wire *wire, short events, int64_t deadline)
{
	int ready = 0;
	while (ready <= 0) {
		take_turn(wire);
		int64_t left = deadline - now();
		if (left <= 0)
			return give_up(wire, "the server does not answer in time");
		struct pollfd socket = {.fd = PQsocket(wire->connection), .events = events};
		ready = poll(&socket, 1, (int)(left < SECOND ? left : SECOND));
		if (ready < 0 && errno != EINTR)
			return give_up(wire, strerror(errno));
	}
	return true;
}

/* What is about to be read, as far as it has arrived.  libpq reads no more than it has room for, which is little unless a
 * message is long. */
static bool note_bytes(struct wm_wire *wire)
{
	int bytes = 0;
	if (wire->received >= ANSWER_BYTES)
		return give_up(wire, "an answer of the server is too long");
	if (!ioctl(PQsocket(wire->connection), FIONREAD, &bytes) && bytes > 0)
		wire->received += (size_t)(bytes < ROOM ? bytes : ROOM);
	return true;
}

/* Sends and reads what can be sent and read now, after waiting until something can. */
static bool exchange(struct wm_wire *wire, int unsent, int64_t deadline)
{
	if (unsent < 0)
		return fail_as_libpq(wire);
	if (!await(wire, (short)(unsent ? POLLIN | POLLOUT : POLLIN), deadline) || !note_bytes(wire))
		return false;
	return PQconsumeInput(wire->connection) || fail_as_libpq(wire);
}

static bool send_all(struct wm_wire *wire)
{
	int unsent;
	int64_t deadline = begin_answer(wire, wire->patience.answer);
	while ((unsent = PQflush(wire->connection)) && exchange(wire, unsent, deadline))
		;
	unlimit_memory(wire);
	return !wire->is_broken;
}

static bool is_waiting(struct wm_wire *wire, int *unsent)
{
	*unsent = PQflush(wire->connection);
	return *unsent || PQisBusy(wire->connection);
}

static bool await_result(struct wm_wire *wire)
{
	int unsent;
	int64_t deadline = begin_answer(wire, wire->patience.answer);
	while (is_waiting(wire, &unsent) && exchange(wire, unsent, deadline))
		;
	unlimit_memory(wire);
	return !wire->is_broken;
}

/* ---- The connection ------------------------------------------------------------------ */

static void ignore_notice(void *closure, const PGresult *result)
{
	(void)closure;
	(void)result;
}

static bool poll_connection(struct wm_wire *wire, unsigned seconds)
{
	int64_t deadline = begin_answer(wire, seconds);
	PostgresPollingStatusType state = PGRES_POLLING_WRITING;
	while (state != PGRES_POLLING_OK) {
		if (state == PGRES_POLLING_FAILED)
			return fail_as_libpq(wire);
		if (!await(wire, state == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline) || !note_bytes(wire))
			return false;
		state = PQconnectPoll(wire->connection);
	}
	return !PQsetnonblocking(wire->connection, 1) || fail_as_libpq(wire);
}

static bool finish_connecting(struct wm_wire *wire, unsigned seconds)
{
	bool ok = poll_connection(wire, seconds);
	unlimit_memory(wire);
	return ok;
}

/* What libpq takes from the connection string, the environment and files. */
static char *setting(PGconn *connection, const char *keyword)
{
	char *found = NULL;
	PQconninfoOption *all = PQconninfo(connection);
	for (PQconninfoOption *option = all; option && option->keyword && !found; option++)
		if (!strcmp(option->keyword, keyword) && option->val)
			found = wm_xstrdup(option->val);
	PQconninfoFree(all);
	return found ? found : wm_xstrdup("");
}

struct host {
	const char *name, *address, *port; /* NULL: as the location says */
};

static bool connect_to(struct wm_wire *wire, const char *location, const struct host *host)
{
	/* The connection string is expanded where dbname is given; what follows overrides it, unless it is NULL. */
	const char *const keyword[] = {
		"dbname", "fallback_application_name", "client_encoding", "host", "hostaddr", "port", NULL};
	const char *const value[] = {location, "waymark", "UTF8", host->name, host->address, host->port, NULL};
	wm_wire_close(wire);
	wire->is_broken = false;
	wire->connection = PQconnectStartParams(keyword, value, 1);
	if (!wire->connection)
		return give_up(wire, "out of memory");
	PQsetNoticeReceiver(wire->connection, ignore_notice, NULL);
	if (PQstatus(wire->connection) == CONNECTION_BAD)
		return fail_as_libpq(wire);
	char *timeout = setting(wire->connection, "connect_timeout");
	unsigned seconds = (unsigned)strtoul(timeout, NULL, 10);
	free(timeout);
	return finish_connecting(wire, seconds && seconds < INT32_MAX ? seconds : wire->patience.connect);
}

/* The next of several words between commas; a list of one word is for all hosts. */
static const char *next_word(char **list)
{
	const char *word = *list;
	char *comma = word ? strchr(word, ',') : NULL;
	if (comma) {
		*comma = 0;
		*list = comma + 1;
	}
	return word && *word ? word : NULL;
}

/* libpq goes on to the next host by itself if one refuses, but only its blocking functions do if one is silent. */
static bool connect_to_each(struct wm_wire *wire, const char *location, char *names, char *addresses, char *ports)
{
	const char *list = *names ? names : addresses;
	size_t count = 1;
	for (; *list; list++)
		count += *list == ',';
	for (size_t i = 0; i < count; i++) {
		const struct host host = {next_word(&names), next_word(&addresses), next_word(&ports)};
		if (connect_to(wire, location, &host))
			return true;
	}
	return false;
}

bool wm_wire_open(struct wm_wire *wire, const char *location, const struct wm_patience *patience)
{
	*wire = (struct wm_wire){.patience = *patience};
	if (connect_to(wire, location, &(struct host){0}))
		return true;
	if (!wire->connection)
		return false;
	char *names = setting(wire->connection, "host"), *addresses = setting(wire->connection, "hostaddr"),
	     *ports = setting(wire->connection, "port");
	bool several = strchr(names, ',') || strchr(addresses, ',');
	bool ok = several && connect_to_each(wire, location, names, addresses, ports);
	free(names);
	free(addresses);
	free(ports);
	return ok;
}

void wm_wire_close(struct wm_wire *wire)
{
	PQfinish(wire->connection);
	wire->connection = NULL;
}

/* ---- Statements ---------------------------------------------------------------------- */

static void drop_notifications(struct wm_wire *wire)
{
	PGnotify *one;
	while ((one = PQnotifies(wire->connection)))
		PQfreemem(one);
}

PGresult *wm_wire_result(struct wm_wire *wire)
{
	if (wire->is_broken || !await_result(wire))
		return NULL;
	drop_notifications(wire);
	return PQgetResult(wire->connection);
}

static bool is_copy(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);
	return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

static bool is_error(const PGresult *result)
{
	return result && PQresultStatus(result) == PGRES_FATAL_ERROR;
}

/* The first error stays: after it come only the errors that follow from it. */
static PGresult *later(PGresult *earlier, PGresult *result)
{
	PGresult *dropped = is_error(earlier) ? result : earlier;
	PQclear(dropped);
	return dropped == result ? earlier : result;
}

PGresult *wm_wire_last(struct wm_wire *wire)
{
	PGresult *last = NULL, *result;
	for (size_t i = 0; (result = wm_wire_result(wire)); i++) {
		last = later(last, result);
		if (is_copy(last) || PQstatus(wire->connection) != CONNECTION_OK)
			return last;
		if (i == RESULTS)
			give_up(wire, "an answer of the server has too many parts");
	}
	if (!wire->is_broken)
		return last;
	PQclear(last);
	return NULL;
}

PGresult *wm_wire_execute(struct wm_wire *wire, const char *sql)
{
	if (!wire->is_broken && !PQsendQuery(wire->connection, sql))
		fail_as_libpq(wire);
	return wm_wire_last(wire);
}

bool wm_wire_copy(struct wm_wire *wire, const char *data, size_t size)
{
	if (wire->is_broken)
		return false;
	if (PQputCopyData(wire->connection, data, (int)size) != 1)
		return fail_as_libpq(wire);
	return send_all(wire);
}

bool wm_wire_copy_end(struct wm_wire *wire, const char *error)
{
	if (wire->is_broken)
		return false;
	return PQputCopyEnd(wire->connection, error) == 1 || fail_as_libpq(wire);
}

static void drain(struct wm_wire *wire)
{
	PGresult *result;
	for (size_t i = 0; (result = wm_wire_result(wire)); i++) {
		ExecStatusType status = PQresultStatus(result);
		PQclear(result);
		if (status == PGRES_COPY_IN)
			wm_wire_copy_end(wire, "the profile is not complete");
		if (status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH || i == RESULTS)
			give_up(wire, "the server does not answer as PostgreSQL does");
	}
}

/* A query whose rows nobody takes any more is left with the connection: PQcancel, which would stop it, may wait forever. */
void wm_wire_roll_back(struct wm_wire *wire)
{
	if (wire->is_broken || PQstatus(wire->connection) != CONNECTION_OK)
		return;
	bool is_copying = PQtransactionStatus(wire->connection) == PQTRANS_ACTIVE && !PQisBusy(wire->connection);
	if (PQtransactionStatus(wire->connection) == PQTRANS_ACTIVE && !is_copying) {
		give_up(wire, "its last statement was given up");
		return;
	}
	drain(wire);
	if (!wire->is_broken && PQtransactionStatus(wire->connection) != PQTRANS_IDLE)
		PQclear(wm_wire_execute(wire, "ROLLBACK"));
}
