#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_coverage.py BLAME.json DIRECTORY: counts of runs of decisions and lines, against llvm-cov.

DIRECTORY has SIDE.RUN.json and SIDE.RUN.lcov of each run, as `llvm-cov export` prints them."""
import collections, glob, json, os, sys

blame, directory = json.load(open(sys.argv[1])), sys.argv[2]
branches, lines = collections.Counter(), collections.Counter()
regions = set()
for name in glob.glob(directory + "/*.json"):
    side = os.path.basename(name).split(".")[0]
    for function in json.load(open(name))["data"][0]["functions"]:
        for branch in function["branches"]:
            line, column, end_line, end_column, true, false = branch[:6]
            region = (line, column, end_line, end_column)
            regions.add(region)
            branches[side, region, "true"] += true > 0
            branches[side, region, "false"] += false > 0
for name in glob.glob(directory + "/*.lcov"):
    side = os.path.basename(name).split(".")[0]
    for record in open(name):
        if record.startswith("DA:"):
            line, count = record[3:].split(",")[:2]
            lines[side, int(line)] += int(count) > 0

found = {}
for d in blame["decisions"]:
    if d["outcome"] not in ("true", "false"):
        continue
    at = (d["line"], d["column"])
    around = [r for r in regions if r[:2] <= at <= r[2:]]
    after = [r for r in regions if r[0] == d["line"] and at <= r[:2]]  # the decision stands at its statement
    assert around or after, d
    region = max(around) if around else min(after)  # the innermost
    assert (region, d["outcome"]) not in found, d
    found[region, d["outcome"]] = (d["failed_runs"], d["passed_runs"])
expected = {(r, o): (branches["failed", r, o], branches["passed", r, o])
            for r in regions for o in ("true", "false") if branches["failed", r, o]}
assert found == expected, (sorted(found.items()), sorted(expected.items()))
assert len(found) > 8, found
for l in blame["lines"]:
    counts = (lines["failed", l["line"]], lines["passed", l["line"]])
    assert (l["failed_runs"], l["passed_runs"]) == counts, (l, counts)
assert len(blame["lines"]) > 10
