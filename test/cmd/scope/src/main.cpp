#include "../third_party/z/z.h"
#include "odd.h"
#include <system.h>

int check(int n);

int main(int argc, char **)
{
	return check(odd(argc) + compress(argc) + system_one(argc)) > 100;
}
