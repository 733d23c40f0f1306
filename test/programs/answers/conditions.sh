# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is printed of decisions is what the program itself prints when it makes them.
#
# In the sources below, @{x@} is a condition that is told with its text, and @[x@] is the whole condition of a line, which is
# told without its text; in both, marks may be inside of the marks of a whole line.  They are written twice: as plain conditions, for the build that is profiled, and as calls of a
# function that prints the text and the outcome, for the witness.  @!x!@ is the label to which the next switch goes, and is
# printed by the witness only.
plain() { sed -e 's/@[][{}]//g' -e 's/@!.*!@//'; }
witness() { sed -e 's/@{/Q(/g' -e 's/@\[/W(/g' -e 's/@[]}]/)/g' -e 's/@!\(.*\)!@/puts(\1);/'; }

# The decisions of a report that say something of text, or of the whole condition of a line, and how often they were made.
claims='[.functions[].paths[] | .count as $n | .decisions[] | select(.file | endswith("/case.\($language)")) | select(.outcome | test("^(true|false|case .*|default)$")) |
	{key: (if (.outcome | test("^(case|default)")) then .outcome
		elif .condition then "\(.condition): \(.outcome)" else "\(.line): \(.outcome)" end), $n}] |
	group_by(.key)[] | "\(map(.n) | add) \(.[0].key)"'

# told SOURCE: how often the witness says what
told() {
	sort "$1" | uniq -c | sed 's/^ *//' | sort
}
for language in c cpp; do
	compiler=clang-19
	[ $language = c ] || compiler=clang++-19
	plain <$language.marked >case.$language
	witness <$language.marked >witness.$language
	must $compiler -w -O1 -include ./tell.h witness.$language -o witness
	./witness >said.txt || fail "the witness of $language fails"
	told said.txt >told.txt
	range=$(grep -n 'for (int x : v)' case.$language | cut -d: -f1)
	for options in -O0 -O2 "-O1 -fwaymark-scheme=kiter=2"; do
		must "$waymark" $([ $language = c ] && echo cc || echo c++) -w -g $options case.$language -o case
		rm -f -- *.wmraw
		must ./case
		report ./case *.wmraw
		jq -r --arg language $language "$claims" report.json | sort >claimed.txt
		case $options in
		*kiter*) # the iterations that a path repeats are in its decisions, too
			sed 's/^[0-9]* //' claimed.txt | sort -u >claimed.once
			sed 's/^[0-9]* //' told.txt | sort -u >told.once
			set -- told.once claimed.once ;;
		*) set -- told.txt claimed.txt ;;
		esac
		comm -23 "$1" "$2" >missing.txt
		comm -13 "$1" "$2" >more.txt
		[ ! -s missing.txt ] || { cat missing.txt; echo "--- instead:"; cat more.txt; fail "$language $options: not claimed"; }
		# A loop is told by its whole condition where clang joins the operands of &&, and a range has no condition.
		# Outcomes of statements in macros are said to be in the macro.
		if grep -vE "(i < n && )?sum != 3: |in (COUNT_IF|ANY): |^([0-9]+ )?$range: " more.txt; then
			fail "$language $options: claimed, and not told by the program"
		fi
	done
done

# In optimised code, conditions are inverted, merged and moved.  What is said is true of the whole condition of a statement.
plain <optimised.marked >case.c
witness <optimised.marked >witness.c
must clang-19 -w -O1 -include ./tell.h witness.c -o witness
./witness >said.txt || fail "the witness fails"
told said.txt >told.txt
for options in -O1 -O2 -O3; do
	must "$waymark" cc -w -g -fwaymark-cfg=optimised $options case.c -o case
	rm -f -- *.wmraw
	must ./case
	report ./case *.wmraw
	jq '.functions |= map(select(.name == "f"))' report.json >only.json
	jq -r --arg language c "$claims" only.json | sort >claimed.txt
	# The optimiser may know an outcome without evaluating the condition, so that fewer outcomes are claimed than told.
	awk 'NR == FNR { n = $1; $1 = ""; told[$0] = n; next } { n = $1; $1 = ""; if (n > told[$0]) print n, $0 }' \
		told.txt claimed.txt >more.txt
	[ ! -s more.txt ] || { cat more.txt; echo "--- told:"; cat told.txt; fail "$options: claimed, and not told by the program"; }
	# A condition of two operands that one branch decides, and one that is inverted.
	for line in 7 9; do
		grep -q " $line: true" claimed.txt || { cat claimed.txt; fail "$options: nothing is said of line $line"; }
	done
done
