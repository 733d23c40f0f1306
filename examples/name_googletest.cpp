// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells Waymark which test of GoogleTest runs, so that `waymark test` writes a profile per test.  Compile this file with
// `waymark c++` and link it into the test program; nothing else changes.  Without Waymark it does nothing.
#ifdef __WAYMARK__
#include <gtest/gtest.h>
#include <string>
#include <waymark.h>

namespace
{

class Names : public testing::EmptyTestEventListener
{
	void OnTestStart(const testing::TestInfo &test) override
	{
		waymark_test_begin((std::string(test.test_suite_name()) + "." + test.name()).c_str());
	}

	void OnTestEnd(const testing::TestInfo &) override
	{
		waymark_test_end();
	}
};

[[maybe_unused]] const bool added = (testing::UnitTest::GetInstance()->listeners().Append(new Names), true);

} // namespace
#endif
