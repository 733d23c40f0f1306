#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# commands.sh BUILD: report, show and run on a real program, and what they say when
# something is amiss.
set -eu
waymark=$(realpath "$1")/waymark
manual=$(dirname "$(realpath "$0")")/../../doc/man/waymark-report.1
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o program
WAYMARK_FILE=run.wmraw ./program >plain.txt
"$waymark" merge -o run.wmprof run.wmraw >/dev/null 2>&1

# show --probes: the program of one function, with its ends
"$waymark" show --probes choose program >probes.txt
grep -q '^# choose, scheme acyclic' probes.txt
grep -q '{array}' probes.txt
! "$waymark" show --probes nothing program 2>message || false
grep -q "no function is called 'nothing' here" message

# report
says '50.00%             5  path 0  entry -> return' "$waymark" report run.wmraw ./program
says '4  true       if (n % 2)' "$waymark" report run.wmprof ./program
says 'balance: 0 inherited + 10 entries' "$waymark" report --balance ./program run.wmprof
"$waymark" report --json --expand run.wmprof ./program | jq -e '.schema == "waymark.report/1" and
	(.functions[] | select(.name == "choose") | .entries == 10 and (.paths | map(.count) == [5, 5]) and
	 (.paths[0].lines[0] | endswith("program.c:4")) and .paths[0].decisions[0].outcome == "true")' >/dev/null || fail "report --json"
"$waymark" report --html pages run.wmprof ./program
page_data pages/s/*.js | grep -q 'if (n % 2)' || fail "the pages have no source lines"
says 'contains files that are not part of a Waymark report' "$waymark" report --html . run.wmprof ./program

# the manual describes every member of the JSON document
for scheme in acyclic kiter=2 loopcontext context piecewise; do
	"$waymark" cc -O1 -g -fwaymark-scheme=$scheme loop.c -o loop
	rm -f loop.wmraw
	WAYMARK_FILE=loop.wmraw ./loop
	"$waymark" report --json --expand loop.wmraw ./loop >loop.json
	jq -r '(., .units[]?, .functions[], (.functions[].block[] | ., (.decision // {} | ., .outcomes[]?)),
		(.functions[].paths[] | ., .decisions[], .returns[]?)) | keys[]' loop.json
done | sort -u >members.txt
sed -n '/^\.Ss JSON/,$s/^\.\(It \)\{0,1\}Va //p' "$manual" | tr -d ' .' | tr , '\n' | sort -u >described.txt
for member in schema path context returns function units block outcomes to; do
	grep -qx $member members.txt || fail "the documents have no member '$member'"
done
"$waymark" report loop.wmraw ./loop | sed -n 's/^\(piecewise paths across calls in .* call sites are crossed\).*/\1/p' >crossed.txt
[ -s crossed.txt ] || fail "the report does not say how many call sites are crossed"
"$waymark" report --html loop_pages loop.wmraw ./loop
grep -qFf crossed.txt loop_pages/index.html || fail "the start page does not say how many call sites are crossed"
! comm -23 members.txt described.txt | grep -v '^schema$' || fail "the manual does not describe these members"

# separate debug files
if command -v eu-strip >/dev/null; then
	cp program stripped
	eu-strip -f stripped.debug stripped
	says '2 of 2 functions ran' "$waymark" report run.wmprof ./stripped
	mkdir debug
	mv stripped.debug debug
	exits 1 "$waymark" report run.wmprof ./stripped
	says '--debug-dir' "$waymark" report run.wmprof ./stripped
	says '2 of 2 functions ran' "$waymark" report --debug-dir debug run.wmprof ./stripped
fi

# another version of one function: that one is refused, the rest goes on
sed 's/n % 2/n % 2 \&\& n > 3/' program.c >changed.c
mkdir other
cp changed.c other/program.c
(cd other && "$waymark" cc -O1 -g program.c -o program)
says 'function choose: the profile is of another version of its graph; rebuild or re-run' "$waymark" report run.wmprof other/program
says 'main  other/program.c' "$waymark" report run.wmprof other/program
says 'another build of other/program: 1 of its 2 functions' "$waymark" report run.wmprof other/program

# more paths than a double can count
awk 'BEGIN { print "int many(int x)\n{\n\tint s = 0;"; for (i = 0; i < 1200; i++) printf "\tif (x & %d)\n\t\ts += x + %d;\n", 2^(i % 20), i
	print "\treturn s;\n}\nint main(void)\n{\n\treturn many(0);\n}" }' >many.c
"$waymark" cc -O0 many.c -o many
WAYMARK_FILE=many.wmraw ./many
says '2 of 2 functions ran, 22 different paths' "$waymark" report many.wmraw ./many
says ' of 10^361.2 ' "$waymark" report many.wmraw ./many
# fewer, but no number that anybody reads
awk 'BEGIN { print "int many(int x)\n{\n\tint s = 0;"; for (i = 0; i < 40; i++) printf "\tif (x & %d)\n\t\ts += x + %d;\n", 2^(i % 20), i
	print "\treturn s;\n}\nint main(void)\n{\n\treturn many(0);\n}" }' >some.c
"$waymark" cc -O0 some.c -o some
WAYMARK_FILE=some.wmraw ./some
says ' 1 of 10^12.0 ' "$waymark" report some.wmraw ./some
json '.functions[] | select(.name == "many").paths_possible == 1099511627776' "$waymark" report --json some.wmraw ./some
json '.totals.paths_possible_log10 > 361.2 and .totals.paths_possible_log10 < 361.3' "$waymark" report --json many.wmraw ./many
"$waymark" report --html many_pages many.wmraw ./many
grep -q '10^361.2' many_pages/index.html || fail "the pages do not say how many paths are possible"

# mistakes
exits 1 "$waymark" report
exits 1 "$waymark" report run.wmprof
says 'no binary was given' "$waymark" report run.wmprof
says 'no profile was given' "$waymark" report ./program
says 'was not built with `waymark cc`' "$waymark" report run.wmprof /bin/sh
says 'cannot read ./nonesuch' "$waymark" report run.wmprof ./nonesuch
says 'unknown option' "$waymark" report --nonesuch run.wmprof ./program
says "no function is called 'nonesuch'" "$waymark" report --function nonesuch run.wmprof ./program
exits 1 "$waymark" reprot
says "did you mean 'report'" "$waymark" reprot

# show
says 'exact' "$waymark" show ./program
"$waymark" show --json ./program | jq -e '.functions[] | select(.name == "choose") | .status == "exact" and .paths_possible == 2 and
	(.key | test("^[0-9a-f]{16}$")) and (.graph_hash | test("^[0-9a-f]{16}$"))' >/dev/null || fail "show --json"
"$waymark" show --cfg --function choose ./program | "$waymark" number --json - | jq -e '.functions[0].paths == 2' >/dev/null || fail "show --cfg"
says 'digraph' "$waymark" show --dot ./program
"$waymark" cc -O1 -c program.c -o program.o
ar rc program.a program.o
says 'choose' "$waymark" show program.o
says 'choose' "$waymark" show program.a

# all commands treat their options alike
for command in run merge report residual tests show number replay hw export version; do
	name=$command
	case $command in number | replay) name="dev $command" ;; esac
	for help in --help -h --he --help-all; do
		"$waymark" $name $help >help.txt || fail "$command $help"
		grep -q -E "^(usage:|      ) waymark $name " help.txt || fail "$command $help prints no usage"
		[ $command = export ] || [ "$(grep -cE '^  (-., )?--(json|help) ' help.txt)" = 2 ] || fail "$command $help does not list --json and --help"
	done
	"$waymark" $command --help >short.txt
	# what is used rarely is listed by --help-all alone, which lists everything else, too
	[ -z "$(grep -E '^  (-., )?--' short.txt | grep -vxF -f help.txt)" ] || fail "$command --help-all does not list what --help lists"
	! cmp -s short.txt help.txt || ! grep -q '^  --help-all' short.txt || fail "$command --help-all lists nothing more"
	for option in --nonesuch -x; do
		exits 1 "$waymark" $name $option
		says "waymark $command: unknown option '$option'; \`waymark $command --help\` lists the options" "$waymark" $name $option
	done
	[ $command = export ] || says "waymark $command: --json takes no value" "$waymark" $command --json=yes
	# every option that takes a value refuses to be the last word, and an empty value
	for option in $(sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\) [A-Z].*/\2/p' help.txt); do
		exits 1 "$waymark" $command --$option
		says "waymark $command: --$option needs a value" "$waymark" $command --$option
		says "waymark $command: --$option needs a value" "$waymark" $command --$option= x
	done
done
says '--plackett-burman' "$waymark" dev hw --help-all
! "$waymark" hw --help | grep -q -e --plackett-burman || fail "hw --help lists --plackett-burman"
"$waymark" --help >help.txt
! grep -qE '^  (number|replay|spool) ' help.txt || fail "--help lists commands of developers"
for command in number replay spool; do
	"$waymark" dev | grep -q "^  $command " || fail "dev does not list $command"
	"$waymark" $command --help >old.txt || fail "the old name of dev $command does not work"
	"$waymark" dev $command --help | cmp - old.txt || fail "$command and dev $command differ"
done
exits 1 "$waymark" dev report
says "there is no command 'report' under \`waymark dev\`" "$waymark" dev report
[ "$("$waymark" --version)" = "$("$waymark" version | head -n 1)" ] || fail "version"
json '.schema == "waymark.version/1" and (.version | test("^[0-9.]+$")) and .clang == 19 and .formats.map > 0' "$waymark" version --json
exits 1 "$waymark" version now
says "there is no colour 'pink'; valid: auto, always, never" "$waymark" report --colour pink run.wmprof ./program
says "--paths needs a number, not '-1'" "$waymark" report --paths=-1 run.wmprof ./program
says 'cannot read --json' "$waymark" report -- --json

# a value is missing
exits 1 "$waymark" report --html= run.wmprof ./program
says '--html needs a value' "$waymark" report --html= run.wmprof ./program
for option in residual residual= k= cfg; do
	exits 1 "$waymark" cc -fwaymark-$option -c program.c
	says "-fwaymark-${option%=} needs a value: -fwaymark-${option%=}=" "$waymark" cc -fwaymark-$option -c program.c
done

# run
"$waymark" run --quiet -o kept.wmprof -- ./program >quiet.txt
cmp plain.txt quiet.txt || fail "run changed the output"
says '2 of 2 functions ran' "$waymark" report kept.wmprof ./program
exits 7 "$waymark" run -- ./program 7
exits 127 "$waymark" run -- ./nonesuch
says 'choose  program.c' "$waymark" run -- sh -c './program; ./program'
says '42 path executions' "$waymark" run -- sh -c './program >/dev/null; ./program >/dev/null; exit 3'
says 'wrote no profile' "$waymark" run -- true
exits 143 sh -c "\"$waymark\" run --quiet -- sh -c 'kill -TERM \$\$'"
