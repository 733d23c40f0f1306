/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions the user means, and how lists print their names. */
#include "analysis/join/names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it. */
#include <cmocka.h>

static void names_templates(void **state)
{
	static const struct {
		const char *name, *template; /* NULL: no instance */
	} cases[] = {
		{"main", NULL},
		{"int clamp<int>(int, int, int)", "clamp<>"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<>::push_back"},
		{"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
			"std::operator<< <>"},
		{"bool operator<(A const&, B<int> const&)", NULL},
		{"A::operator->() const", NULL},
		{"void f<int>(int)::{lambda(int)#1}::operator()(int) const", "f<>::{lambda(int)#1}::operator()"},
		{"A<int>::operator bool() const", "A<>::operator bool"},
		{"a::(anonymous namespace)::g<2>(int)", "a::(anonymous namespace)::g<>"},
		{"std::enable_if<((1)>(2)), int>::type f<int>(int)", "f<>"},
		{"unclosed<(", "unclosed<>"},
		{"<", "<>"},
		{"", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *name = wm_template_name(cases[i].name);
		if (!name != !cases[i].template || (name && strcmp(name, cases[i].template) != 0))
			fail_msg("%s: %s", cases[i].name, name ? name : "no template");
		free(name);
	}
}

static void matches_functions(void **state)
{
	static const struct {
		const char *name, *glob;
		bool matches;
	} cases[] = {
		{"main", "main", true},
		{"main", "mai", false},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "ScanScalar", true},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "YAML::ScanScalar", true},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "ScanScalar[[]abi:cxx11]",
			true},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "ScanScalarParams", false},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "Scalar", false},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "YAML", false},
		{"YAML::ScanScalar[abi:cxx11](YAML::Stream&, YAML::ScanScalarParams&)", "Scan*", true},
		{"int YAML::RegEx::Match<YAML::Source>(YAML::Source const&) const", "Match", true},
		{"int YAML::RegEx::Match<YAML::Source>(YAML::Source const&) const", "RegEx::Match", true},
		{"int YAML::RegEx::Match<YAML::Source>(YAML::Source const&) const", "Match<YAML::Source>", true},
		{"int YAML::RegEx::Match<YAML::Source>(YAML::Source const&) const", "YAML::RegEx::Match", true},
		{"int YAML::RegEx::Match<YAML::Source>(YAML::Source const&) const", "Source", false},
		{"int YAML::RegEx::Match<YAML::Source>(YAML::Source const&) const", "int", false},
		{"std::vector<int, std::allocator<int> >::size() const", "vector::size", true},
		{"std::vector<int, std::allocator<int> >::size() const", "size", true},
		{"std::vector<int, std::allocator<int> >::size() const", "allocator", false},
		{"(anonymous namespace)::helper(int)", "helper", true},
		{"a::(anonymous namespace)::helper(int)", "helper", true},
		{"A::operator()(int) const", "operator()", true},
		{"A::operator()(int) const", "A::operator()", true},
		{"bool operator<(A const&, B<int> const&)", "operator<", true},
		{"bool a::operator< <int>(A<int> const&, A<int> const&)", "a::operator<*", true},
		{"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", "operator<<*",
			true},
		{"A::operator->() const", "operator->", true},
		{"A::operator bool() const", "operator bool", true},
		{"A::operator[](unsigned long)", "operator[[]]", true},
		{"operator new(unsigned long)", "operator new", true},
		{"main::{lambda(int)#1}::operator()(int) const", "operator()", true},
		{"A::~A()", "~A", true},
		{"A::A(A const&)", "A", true},
		{"std::enable_if<((1)>(2)), int>::type f<int>(int)", "f", true},
		{"void f<&g<int> >()", "f", true},
		{"unclosed<(", "unclosed*", true},
		{"", "x", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (wm_demangled_matches(cases[i].name, cases[i].glob) != cases[i].matches)
			fail_msg("%s against %s", cases[i].name, cases[i].glob);
}

static void shortens(void **state)
{
	static const char *const cases[][2] = {{"main", "main"}, {"f<int>(A<B>)", "f<int>(A<B>)"},
		{"f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>()", "f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>()"},
		{"f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>()", "f<...>()"},
		{"std::vector<YAML::RegEx, std::allocator<YAML::RegEx> >::size() const",
			"std::vector<RegEx, allocator<RegEx> >::size() const"},
		{"a::impl<a::(anonymous namespace)::opt_false, a::(anonymous namespace)::opt_true>::parse(char*)",
			"a::impl<opt_false, opt_true>::parse(char*)"},
		{"f<std::enable_if<((1)>(2)), a::long_name_of_a_type>::type, b::other>()", "f<type, other>()"},
		{"f<a::aaaaaaaaaaaaaaaaaaaaaaaa, b::bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb>()",
			"f<aaaaaaaaaaaaaaaaaaaaaaaa, ...>()"},
		{"f<a::b::c::d::e::f::g::h::operator<<, (a::b::c::d::e::f)1>()",
			"f<operator<<, (a::b::c::d::e::f)1>()"},
		{"bool operator< <std::vector<YAML::RegEx, std::allocator<YAML::RegEx> > >(int)",
			"bool operator< <vector<RegEx, allocator<RegEx> > >(int)"},
		{"f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,b><aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,b>",
			"f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, ...><aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, "
			"...>"},
		{"A::operator->() const", "A::operator->() const"},
		{"unclosed<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "unclosed<...>"}, {"", ""}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *brief = wm_name_shortened(cases[i][0]);
		assert_string_equal(brief, cases[i][1]);
		free(brief);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_templates), cmocka_unit_test(matches_functions), cmocka_unit_test(shortens)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
