#include <stdlib.h>
_Noreturn void report_Assertion_failure(const char *text);
#define OWN_CHECK(condition) ((condition) ? (void)0 : report_Assertion_failure(#condition))
int own(int n)
{
	OWN_CHECK(n > 0);
	return 100 / n;
}
