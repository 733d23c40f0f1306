#include <signal.h>
int recorded(int n)
{
	return n & 1 ? n : -n;
}
__attribute__((no_profile_instrument_function)) int main(int argc, char **argv)
{
	raise(SIGKILL);
	return recorded(argc);
}
