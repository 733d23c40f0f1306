#include "work.h"
#include <catch2/catch.hpp>

TEST_CASE("work once")
{
	REQUIRE(work(1) == 1);
}

// A test case runs once for each of its sections.
TEST_CASE("work in sections")
{
	work(2);
	SECTION("one")
	{
		REQUIRE(work(11) == -11);
	}
	SECTION("two")
	{
		REQUIRE(work(12) == -12);
	}
}

TEST_CASE("work throws")
{
	throw work(3);
}
