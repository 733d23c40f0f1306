#include <stdbool.h>
#include <stdio.h>
static inline bool tell(const char *text, bool outcome)
{
	printf("%s: %s\n", text, outcome ? "true" : "false");
	return outcome;
}
static inline bool tell_line(int line, bool outcome)
{
	printf("%d: %s\n", line, outcome ? "true" : "false");
	return outcome;
}
#define Q(...) tell(#__VA_ARGS__, !!(__VA_ARGS__))
#define W(...) tell_line(__LINE__, !!(__VA_ARGS__))
