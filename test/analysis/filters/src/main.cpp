#include "../lib/clamp.h"
#include <string>
#include <vector>
int other(int n);
namespace app
{
std::string name(int n)
{
	return n > 1 ? "many" : "one";
}
struct parser {
	template <class A, class B> int count(const A &a, const B &b)
	{
		return a.size() > b.size() ? 1 : 2;
	}
};
} // namespace app
int main(int argc, char **argv)
{
	(void)argv;
	int sum = other(argc);
	std::vector<std::string> words{app::name(argc), app::name(2)}, none;
	sum += app::parser().count(words, none);
	return sum + lib::clamp(argc) > 90;
}
