/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * C++20 coroutines: the frame outlives the call and dies before the function's end.
 *
 * flags: -std=c++20
 * source: known("main")
 */
#include <coroutine>
#include <cstdio>

struct generator {
	struct promise_type {
		int value = 0;
		generator get_return_object() { return generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
	bool next()
	{
		handle.resume();
		return !handle.done();
	}
	~generator() { handle.destroy(); }
};

static generator collatz(int n)
{
	while (n != 1) {
		co_yield n;
		n = n % 2 ? 3 * n + 1 : n / 2;
	}
	co_yield 1;
}

int main()
{
	long sum = 0;
	for (int start = 1; start < 10; start++) {
		generator g = collatz(start);
		while (g.next())
			sum += g.handle.promise().value;
	}
	{
		generator dropped = collatz(27);
		dropped.next();
	}
	std::printf("%ld\n", sum);
	return 0;
}
