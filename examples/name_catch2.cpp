// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells Waymark which test case of Catch2 (version 2) runs, so that `waymark test` writes a profile per test case.  Compile this
// file with `waymark c++` and link it into the test program; nothing else changes.  Without Waymark it does nothing.
#ifdef __WAYMARK__
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
#include <waymark.h>

namespace
{

struct Names : Catch::TestEventListenerBase {
	using TestEventListenerBase::TestEventListenerBase;

	void testCaseStarting(const Catch::TestCaseInfo &test) override
	{
		waymark_test_begin(test.name.c_str());
	}

	void testCaseEnded(const Catch::TestCaseStats &) override
	{
		waymark_test_end();
	}
};

CATCH_REGISTER_LISTENER(Names)

} // namespace
#endif
