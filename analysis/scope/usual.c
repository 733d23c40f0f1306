/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/scope/usual.h"
#include <string.h>

#define LIST(...) \
	{ \
		sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *), \
		{ \
			__VA_ARGS__ \
		} \
	}

const struct wm_globs wm_usual_third_parties =
	LIST("third_party/", "third-party/", "thirdparty/", "3rd_party/", "3rd-party/", "3rdparty/", "external/",
		"externals/", "extern/", "vendor/", "deps/", "_deps/", "subprojects/", "node_modules/");

const struct wm_globs wm_usual_tests = LIST("test/", "tests/", "testing/", "testsuite/", "unittest/", "unittests/",
	"unit_test/", "unit_tests/", "gtest/", "googletest/", "gmock/", "googlemock/", "test_*.[cChHi]*",
	"*_test.[cChHi]*", "*_tests.[cChHi]*", "*_unittest.[cChHi]*");

bool wm_usual_system_header(const char *path)
{
	static const char *const directories[] = {"/usr/include/", "/usr/local/include/"};
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
		if (strncmp(path, directories[i], strlen(directories[i])) == 0)
			return true;
	return strncmp(path, "/usr/lib/", strlen("/usr/lib/")) == 0 && strstr(path, "/include/");
}
