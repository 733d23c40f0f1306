#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* Counts of all processes of the program, in shared memory. */
struct said { volatile long executions[16], entries[16], path[100], raw; };
static struct said *said;
#define QUIET static __attribute__((no_profile_instrument_function, noinline, unused))
QUIET void begin(void)
{
	said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	said->raw = 1;
}
QUIET void in(int function) { said->entries[function]++; }
/* A path ends: function * 10 + its number in the function. */
QUIET void end(int path) { said->executions[path / 10]++, said->path[path]++; }
QUIET void say_function(int function, const char *name, int possible)
{
	char text[200];
	int ran = 0, file = open("said.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (int i = 0; i < 10; i++) ran += said->path[function * 10 + i] > 0;
	int size = snprintf(text, sizeof text, "function %s %ld %ld %d %d\n", name, said->executions[function],
		said->entries[function], ran, possible);
	if (write(file, text, size) != size) abort();
	close(file);
}
QUIET void say_raw(int objects)
{
	char text[200];
	int file = open("said.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
	int size = snprintf(text, sizeof text, "raw %ld %d\n", said->raw, objects);
	if (write(file, text, size) != size) abort();
	close(file);
}
