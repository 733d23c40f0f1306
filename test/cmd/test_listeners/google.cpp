#include "work.h"
#include <cstdlib>
#include <gtest/gtest.h>

TEST(Work, Once)
{
	EXPECT_EQ(work(1), 1);
}

TEST(Work, Fails)
{
	EXPECT_EQ(work(2), 2);
	ASSERT_EQ(work(11), 11);
	work(3);
}

TEST(Work, Throws)
{
	work(4);
	throw work(5);
}

// The child that dies counts for its test, too.
TEST(WorkDeathTest, Dies)
{
	EXPECT_DEATH(work(6) == 6 ? abort() : (void)0, "");
}

class Values : public testing::TestWithParam<int>
{
};
TEST_P(Values, All)
{
	for (int i = 0; i < GetParam(); i++)
		work(i);
}
INSTANTIATE_TEST_SUITE_P(Some, Values, testing::Values(20, 300));
