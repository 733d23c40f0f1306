// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses and writes a document, and throws on the way, as programs that use jsoncpp do.
#include <fstream>
#include <iostream>
#include <json/json.h>
#include <sstream>

int main(int, char **argv)
{
	std::ifstream in(argv[1]);
	std::stringstream text;
	text << in.rdbuf();
	Json::Value root;
	Json::Reader().parse(text.str(), root);
	size_t size = 0, thrown = 0;
	for (int round = 0; round < 3; round++)
		for (const Json::Value &item : root) {
			try {
				size += Json::FastWriter().write(item).size() + (item["tags"][item["id"].asUInt() % 4].asString()).size();
				if (item["id"].asInt() % 64 == 0)
					size += item["name"].asUInt();
			} catch (const Json::Exception &) {
				thrown++;
			}
		}
	std::cout << size << ' ' << thrown << '\n';
}
