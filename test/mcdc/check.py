# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `waymark report --mcdc --json` with MC/DC computed by brute force from what a witness prints, and with clang.

    check.py split MARKED PLAIN WITNESS     makes two programs of a marked source
    check.py report MARKED WITNESSED JSON   compares a report with the lines that the witness printed
    check.py clang MARKED WITNESSED EXPORT  compares `llvm-cov export` with them

In a marked source,

    @A0{x@}   is condition 0 of expression A of its function: in the plain program only x; in the witness a call that notes
              the value of x
    @A+ @A-   is the outcome of A, if an evaluation of A is open; the witness prints it
    @A=x;     is the same, where x is the outcome
    =A ...    in a comment on the line of its first condition: A as a formula, and then what clang -fcoverage-mcdc says of A:
              `same`, `none` if it has no record, `longer` if it has further conditions, `shorter`, `differs`; `throws`: an exception
              may leave A
"""
import collections
import itertools
import json
import re
import sys

OPEN = re.compile(r"@([A-Z])(\d)\{|@\}|@([A-Z])([+-])|@([A-Z])=([^;]*);|/\*=.*?\*/(?=\s|$)")


class Expression:
    def __init__(self, line, name, formula, clang, throws):
        self.line, self.name, self.formula, self.clang, self.throws = line, name, formula, clang, throws
        self.conditions = {}  # number: (line, first column, end column, text)

    def count(self):
        return len(self.conditions)

    def value(self, values):
        names = {f"c{i}": value for i, value in enumerate(values)}
        return bool(eval(self.formula, {}, names))

    # Whether condition k decides the evaluation: see core/paths/diagram.h.
    def decides(self, values, k):
        if values[k] is None:
            return False
        free = [i for i, value in enumerate(values) if value is None]
        for choice in itertools.product([False, True], repeat=len(free)):
            changed = list(values)
            for i, value in zip(free, choice):
                changed[i] = value
            outcome = self.value(changed)
            changed[k] = not changed[k]
            if self.value(changed) != outcome:
                return True
        return False

    def outcome(self, values):
        return self.value([bool(value) for value in values])

    def masking(self, evaluations, k):
        decided = [v for v in evaluations if self.decides(v, k)]
        return any(a[k] != b[k] and self.outcome(a) != self.outcome(b) for a, b in itertools.combinations(decided, 2))

    def unique_cause(self, evaluations, k):
        for a, b in itertools.combinations(evaluations, 2):
            differ = [i for i in range(len(a)) if a[i] is not None and b[i] is not None and a[i] != b[i]]
            if differ == [k] and self.outcome(a) != self.outcome(b):
                return True
        return False


def split(marked):
    """Returns the plain text, that of the witness, and the expressions by line and name."""
    plain, witness, found, specs, open_marks = "", "", {}, {}, []
    line = 1
    for text in marked.splitlines(keepends=True):
        for spec in re.finditer(r"/\*=([A-Z]) ([^;]*); (\w+)(; throws)?\*/", text):
            specs[line, spec[1]] = Expression(line, spec[1], spec[2], spec[3], spec[4])
        at, column_start = 0, len(plain)
        for mark in OPEN.finditer(text):
            plain += text[at:mark.start()]
            witness += text[at:mark.start()]
            at = mark.end()
            column = len(plain) - column_start + 1
            if mark[1]:
                open_marks.append((mark[1], int(mark[2]), line, column, len(plain)))
                witness += f"note({line}, '{mark[1]}', {mark[2]}, !!("
            elif mark[0] == "@}":
                name, number, begun, first, offset = open_marks.pop()
                found.setdefault((name, number, begun), (begun, first, column, plain[offset:]))
                witness += "))"
            elif mark[3]:
                witness += f"outcome('{mark[3]}', {int(mark[4] == '+')});"
            elif mark[5]:
                witness += f"outcome('{mark[5]}', !!({mark[6]}));"
        plain += text[at:]
        witness += text[at:]
        line += 1
    # A condition belongs to the last expression of its name that has begun.
    for (name, number, begun), place in sorted(found.items(), key=lambda item: (item[0][2], item[0][1])):
        owner = max((key for key in specs if key[1] == name and key[0] <= begun), default=None)
        if owner is None:
            sys.exit(f"line {begun}: expression {name} has no formula")
        specs[owner].conditions[number] = place
    return plain, witness, specs


def read(path):
    with open(path) as file:
        return file.read()


def witnessed(path, specs):
    """Per expression: how often each evaluation happened."""
    evaluations = {key: collections.Counter() for key in specs}
    for text in read(path).splitlines():
        line, name, values, outcome = text.split()
        expression = specs[int(line), name]
        key = tuple({"T": True, "F": False, "-": None}[c] for c in values[:expression.count()])
        evaluations[int(line), name][key] += 1
        if expression.outcome(key) != (outcome == "1"):
            sys.exit(f"line {line}: the formula of {name} is wrong for {values}")
    return evaluations


def squeeze(text):
    return re.sub(r"\s+", " ", text)


problems = []


def expect(what, got, want):
    if got != want:
        problems.append(f"{what}: {got}, but should be {want}")


missing_count = collections.Counter()


def compare_missing(where, expression, told, kept, seen):
    """The evaluation that is said to show a condition would, with the executed one or as the first of a pair."""
    for k, condition in enumerate(told["conditions"][i] for i in kept):
        missing = condition["missing"]
        if missing is None:
            continue
        missing_count["infeasible" if missing["likely_infeasible"] else "found"] += 1
        expect(f"{where}: missing of a condition that is shown", condition["shown"], False)
        values = tuple(missing["values"][i] for i in kept)
        expect(f"{where}: {values} is new", values in seen, False)
        expect(f"{where}: {values} decides {k}", expression.decides(values, k), True)
        if missing["pair_with"] is None:
            expect(f"{where}: evaluations that {k} decides", [v for v in seen if expression.decides(v, k)], [])
            continue
        partner = tuple(told["evaluations"][missing["pair_with"]]["values"][i] for i in kept)
        expect(f"{where}: {values} and {partner} show {k}", expression.masking([values, partner], k), True)


def negations_before(condition, place):
    """A condition without text is the expression at its column: how many ! stand between that and the condition as it is marked."""
    begun, first, _, text = place
    if not condition["text"].startswith("column ") or condition["line"] != begun:
        return 0
    return len(re.findall("!(?!=)", text[:max(condition["column"] - first, 0)]))


def as_marked(told, kept, expression):
    """The values of a report without text may be those of what a negation is about."""
    turned = {i for i, place in zip(kept, (expression.conditions[k] for k in range(expression.count())))
              if negations_before(told["conditions"][i], place) % 2}
    for evaluation in told["evaluations"]:
        evaluation["values"] = [v if i not in turned or v is None else not v for i, v in enumerate(evaluation["values"])]
    for i, condition in enumerate(told["conditions"]):
        missing = condition["missing"]
        if missing:
            missing["values"] = [v if k not in turned or v is None else not v for k, v in enumerate(missing["values"])]
        if i in turned and condition["shown"]:
            condition["pair"] = condition["pair"][::-1]


def compare(expression, told, evaluations):
    where = f"line {expression.line}, {expression.name}"
    kept = [i for i, condition in enumerate(told["conditions"]) if condition["kind"] != "constant"]
    conditions = [told["conditions"][i] for i in kept]
    expect(where + ": conditions", len(conditions), expression.count())
    if len(conditions) != expression.count():
        return
    as_marked(told, kept, expression)
    for k, condition in enumerate(conditions):
        want = squeeze(expression.conditions[k][3])
        if condition["source_text"]:
            if re.match(r"\(v\[0\], ", want) and not re.match(r"\(*v\[0\], ", condition["text"]):
                want = want.split(", ")[1]  # the value of a comma is that of its last operand
            expect(f"{where}: text of {k}", condition["text"].strip("() "), want.strip("() "))
    unseen = [k for k, condition in enumerate(conditions) if condition["kind"] == "not observed"]
    seen = {v: n for v, n in evaluations.items() if all(v[k] is None for k in unseen)}
    got = collections.Counter()
    for evaluation in told["evaluations"]:
        values = tuple(evaluation["values"][i] for i in kept)
        got[values] += evaluation["count"]
        expect(f"{where}: outcome of {values}", evaluation["outcome"], expression.outcome(values))
    expect(where + ": evaluations", dict(got), dict(seen))
    expect(where + ": observed", told["observed"], sum(seen.values()))
    if expression.throws:
        expect(where + ": begun more often than ended", told["begun"] >= sum(evaluations.values()), True)
    else:
        expect(where + ": begun", told["begun"], sum(evaluations.values()))
    for k, condition in enumerate(conditions):
        expect(f"{where}: {condition['text']} shown", condition["shown"], expression.masking(seen, k))
        expect(f"{where}: {condition['text']} by unique cause", condition["unique_cause"],
               expression.unique_cause(seen, k))
        if condition["shown"]:
            pair = [tuple(told["evaluations"][i]["values"][j] for j in kept) for i in condition["pair"]]
            expect(f"{where}: values of the pair", [pair[0][k], pair[1][k]], [False, True])
            expect(f"{where}: pair of {k}", all(expression.decides(v, k) for v in pair) and
                   expression.outcome(pair[0]) != expression.outcome(pair[1]), True)
    compare_missing(where, expression, told, kept, seen)
    for condition in told["conditions"]:
        if condition["kind"] in ("constant", "not observed"):
            expect(f"{where}: {condition['text']} shown", condition["shown"], False)


def owner(specs, plain, line, column):
    for key, expression in specs.items():
        begun, first, end, text = expression.conditions[0]
        if begun == line and first <= column < (end if "\n" not in text else 1000):
            nested = [k for k, e in specs.items() if k != key and e.conditions[0][0] == line and
                      first < e.conditions[0][1] and e.conditions[0][1] <= column < e.conditions[0][2]]
            return nested[0] if nested else key
    # The arguments of a macro have the position of the macro.
    # The condition of a loop may have that of its statement.
    if not re.match(r"[A-Z]+\(|(while|for) ", plain.splitlines()[line - 1][column - 1:]):
        return None
    after = [key for key, e in specs.items() if e.conditions[0][0] == line and e.conditions[0][1] > column]
    return min(after, key=lambda key: specs[key].conditions[0][1], default=None)


def check_report(plain, specs, evaluations, report):
    told = {}
    for function in report["functions"]:
        for expression in function.get("mcdc", {}).get("expressions", []):
            key = owner(specs, plain, expression["line"], expression["column"])
            if key:
                expect(f"line {expression['line']}: two expressions", key in told, False)
                told[key] = expression
    for key, expression in specs.items():
        if key not in told:
            problems.append(f"line {key[0]}: {key[1]} is not in the report")
            continue
        expect(f"line {key[0]}: {key[1]} is not analysed because", told[key]["not_analysed_because"], None)
        compare(expression, told[key], evaluations[key])
    return len(told)


def check_clang(_, specs, evaluations, export):
    records = {}
    for function in export["data"][0]["functions"]:
        for record in function.get("mcdc_records", []):
            records[record[0], record[1]] = record
    compared = 0
    for key, expression in specs.items():
        begun, first, _, _ = expression.conditions[0]
        near = [r for (line, column), r in records.items() if line == begun and column <= first]
        record = max(near, key=lambda r: r[1], default=None)
        shown = record[-1] if record else None
        want = [expression.unique_cause(evaluations[key], k) for k in range(expression.count())]
        verdict = ("none" if shown is None else "longer" if len(shown) > len(want) else
                   "shorter" if len(shown) < len(want) else
                   "same" if shown == want else "differs")
        compared += 1
        if verdict != expression.clang:
            problems.append(f"line {key[0]}: {key[1]}: clang: {verdict} {shown}, {want}; expected {expression.clang}")
    return compared


def main():
    command, marked = sys.argv[1], read(sys.argv[2])
    plain, witness, specs = split(marked)
    if command == "split":
        for path, text in zip(sys.argv[3:], [plain, witness]):
            with open(path, "w") as file:
                file.write(text)
        return
    evaluations = witnessed(sys.argv[3], specs)
    other = json.loads(read(sys.argv[4]))
    count = (check_report if command == "report" else check_clang)(plain, specs, evaluations, other)
    for problem in problems[:20]:
        print(problem)
    if problems:
        sys.exit(1)
    if not count:
        sys.exit("nothing was compared")
    if command == "report" and len(sys.argv) > 5 and not missing_count["found"]:
        sys.exit("no path that would show a condition was found")


main()
