#include "says.h"
enum { HELPER, OTHER };
int helper(int n)
{
	in(HELPER);
	if (n > 2) {
		end(10 * HELPER);
		return n;
	}
	end(10 * HELPER + 1);
	return 3;
}
int main(void)
{
	begin();
	in(OTHER);
	int status = helper(3) - 3;
	end(10 * OTHER);
	say_function(HELPER, "helper", 2);
	say_function(OTHER, "main", 1);
	say_raw(1);
	return status;
}
