// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For `gen SEED left`: an exception that leaves functions in C, and the function that catches it.
extern "C" void leave_by_throw(void)
{
	throw 1;
}

extern "C" unsigned call_and_catch(unsigned (*f)(unsigned), unsigned x)
{
	try {
		return f(x);
	} catch (int) {
		return 0;
	}
}
