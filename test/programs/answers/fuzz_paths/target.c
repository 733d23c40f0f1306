#include <stddef.h>
#include <stdint.h>
volatile int state;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size != 2)
		return 0;
	if (data[0] == 'a')
		state = 1;
	if (data[1] == 'b')
		state = 2;
	return 0;
}
