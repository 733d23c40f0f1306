#include <string>
int main()
{
	std::string text = "a text that is longer than fifteen bytes";
	size_t sum = 0;
	for (int i = 0; i < 10; i++) {
		std::string copy = text;
		copy += text;
		sum += copy.size();
	}
	return sum == 800 ? 0 : 1;
}
