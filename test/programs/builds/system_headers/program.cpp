#include "beside.h"
#include <algorithm>
#include <deep.h>
#include <ext.h>
#include <iostream>
#include <own.h>
#include <vector>
static bool less(int a, int b)
{
	return a < b;
}
int main(int argc, char **)
{
	std::vector<int> v;
	for (int i = 0; i < 20; i++)
		v.push_back(own(i * argc % 7) + ext(i) + deep(i) + beside(i));
	std::sort(v.begin(), v.end(), less);
	return v[0] > v[1];
}
