import json, sys

walks, graphs = {}, {}
for text in open("walk.txt"):
    word = text.split()
    if word[0] == "E":
        edge = [int(x) for x in word[4:]]
        graphs[word[2]] = (int(word[3]), list(zip(edge[::2], edge[1::2])))
        walks[word[1]] = (word[2], [])
    else:
        walks[word[1]][1].append(int(word[2]))


def simple_paths(count, edges):
    successors = {b: sorted({t for f, t in edges if f == b}) for b in range(count)}
    reached, todo = {0}, [0]
    while todo:
        for to in successors[todo.pop()]:
            if to not in reached:
                reached.add(to)
                todo.append(to)
    todo = [(b,) for b in sorted(reached)]
    while todo:
        path = todo.pop()
        yield path
        if len(path) > 1 and path[0] == path[-1]:
            continue
        todo += [path + (to,) for to in successors[path[-1]] if to not in path or to == path[0]]


def primes(count, edges):
    paths = set(simple_paths(count, edges))
    parts = set()
    for path in paths:
        parts.add(path[1:])
        parts.add(path[:-1])
    return {path for path in paths if path not in parts}


def occurrences(path, walk):
    return sum(tuple(walk[i:i + len(path)]) == path for i in range(len(walk) - len(path) + 1))


report = json.load(open(sys.argv[1]))
compared = exact = covered = undecided = 0
for function in report["functions"]:
    if function["name"] not in graphs:
        continue
    told = function["prime_paths"]
    assert told["left_out_because"] is None, told
    expected = primes(*graphs[function["name"]])
    assert {tuple(p["blocks"]) for p in told["paths"]} == expected, function["name"]
    assert told["count"] == len(expected) == len(told["paths"])
    own = [walk for name, walk in walks.values() if name == function["name"]]
    states = {"covered": 0, "undecided": 0, "not covered": 0, "likely infeasible": 0}
    for path in told["paths"]:
        want = sum(occurrences(tuple(path["blocks"]), walk) for walk in own)
        what = (function["name"], path, want)
        assert path["count"] == want if path["exact"] else path["count"] <= want, what
        assert (path["state"] == "covered") == (path["count"] > 0), what
        assert path["state"] != "likely infeasible" or want == 0, what
        assert path["state"] != "undecided" or not path["exact"], what
        assert path["state"] != "not covered" or want == 0, what
        states[path["state"]] += 1
        compared += 1
        exact += path["exact"]
        covered += want > 0
        undecided += path["state"] == "undecided"
    assert [told[k] for k in ("covered", "undecided", "not_covered", "likely_infeasible")] == list(states.values()), told
print(compared, exact, covered, undecided)
