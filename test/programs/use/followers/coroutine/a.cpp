#include <coroutine>
#include <stdexcept>
struct task {
	struct promise_type {
		task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			throw;
		}
	};
	std::coroutine_handle<promise_type> handle;
};
static task body(int i)
{
	co_await std::suspend_always{};
	if (i % 4 == 0)
		throw std::runtime_error("four");
	co_await std::suspend_always{};
}
static int tiny(int x)
{
	return x + 1;
}
static int twice(int x)
{
	return tiny(x) + tiny(x);
}
__attribute__((noinline)) int step(task &t, int x)
{
	int s = twice(x);
	t.handle.resume();
	return s + twice(s);
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 100; i++) {
		task t = body(i);
		try {
			sum += step(t, i) + step(t, i);
		} catch (std::runtime_error &) {
			sum++;
		}
		t.handle.destroy();
	}
	return sum == 0;
}
