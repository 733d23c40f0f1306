// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions through activations with sites (left_calls.h): `thrower HOW` leaves each of them once.
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/resource.h>

extern "C" {
typedef void left_call(void (*callee)(void *), void *argument, unsigned long sum);
left_call call_constant, call_register, call_stack, call_half, call_frame;
}

static int cleanups;

struct Cleanup {
	~Cleanup() { cleanups++; }
};

[[gnu::noinline]] static void throw_now(void *)
{
	throw std::runtime_error("now");
}

static void with_cleanup(void *)
{
	Cleanup cleanup;
	call_stack(throw_now, nullptr, 3);
}

static void without(void *)
{
	call_register(with_cleanup, nullptr, 2);
}

// 101 17, 102 1002, 103 2
static int caught()
{
	try {
		call_constant(without, nullptr, 1);
	} catch (const std::exception &) {
		return cleanups != 1;
	}
	return 1;
}

static void rethrows(void *)
{
	try {
		call_stack(throw_now, nullptr, 3);
	} catch (const std::exception &) {
		Cleanup cleanup;
		throw;
	}
}

// 102 1002, 103 2
static int rethrown()
{
	try {
		call_register(rethrows, nullptr, 2);
	} catch (...) {
		return cleanups != 1;
	}
	return 1;
}

struct Nested {
	~Nested()
	{
		try {
			call_half(throw_now, nullptr, 4);
		} catch (...) {
			cleanups++;
		}
	}
};

static void has_nested(void *)
{
	Nested nested;
	call_stack(throw_now, nullptr, 3);
}

// While one exception unwinds, a destructor throws and catches another.  102 1002, 103 2, 104 4
static int nested()
{
	try {
		call_register(has_nested, nullptr, 2);
	} catch (...) {
		return cleanups != 1;
	}
	return 1;
}

static int throwing_order(const void *, const void *)
{
	call_stack(throw_now, nullptr, 3);
	return 0;
}

static void sort(void *)
{
	char letters[] = "ba";
	qsort(letters, 2, 1, throwing_order);
}

// 102 1002, 103 2
static int sorted()
{
	try {
		call_register(sort, nullptr, 2);
	} catch (...) {
		return 0;
	}
	return 1;
}

// 103 2, as often as it is said
static int often()
{
	for (int i = 0; i < 1000; i++) {
		try {
			call_stack(throw_now, nullptr, 3);
		} catch (...) {
			cleanups++;
		}
	}
	return cleanups != 1000;
}

static void promises(void *) noexcept
{
	call_stack(throw_now, nullptr, 3);
}

// 102 1002, 103 2
static int broken_promise()
{
	call_register(promises, nullptr, 2);
	return 1;
}

// 101 17, 102 1002, 103 2
static int uncaught()
{
	call_constant(without, nullptr, 1);
	return 1;
}

static void end_thread(void *)
{
	pthread_exit(nullptr);
}

static void cleanup_in_thread(void *)
{
	Cleanup cleanup;
	call_stack(end_thread, nullptr, 3);
}

static void *thread(void *)
{
	call_register(cleanup_in_thread, nullptr, 2);
	return nullptr;
}

// 102 1002, 103 2
static int in_thread()
{
	pthread_t id;
	return pthread_create(&id, nullptr, thread, nullptr) || pthread_join(id, nullptr) || cleanups != 1;
}

static const struct {
	const char *name;
	int (*run)();
} ways[] = {
	{"caught", caught},
	{"rethrown", rethrown},
	{"nested", nested},
	{"sorted", sorted},
	{"often", often},
	{"broken_promise", broken_promise},
	{"uncaught", uncaught},
	{"thread", in_thread},
};

int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	for (const auto &way : ways)
		if (argc > 1 && !strcmp(argv[1], way.name))
			return way.run();
	return 2;
}
