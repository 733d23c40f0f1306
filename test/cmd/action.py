#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""action.py BUILD: the action of GitHub in .github/actions/waymark, executed step by step as GitHub does it, on a project with a
change, with a server that plays the API of comments of GitHub and GitLab.  apt-get is the only program that is replaced."""
import contextlib, http.server, json, os, pathlib, re, shutil, stat, subprocess, sys, tempfile, threading, urllib.parse

import yaml

build = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path(__file__).resolve().parents[2]
action = root / ".github/actions/waymark"
mark = "<!-- waymark: the comment of this action -->"
token = "token-1.of_a~job"


def check(truth, *words):
    if not truth:
        raise SystemExit("FAILED: " + " ".join(map(str, words)))


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    check(done.returncode == code, "exit code", done.returncode, *command, "\n" + done.stdout)
    return done.stdout


# ---- The services ----------------------------------------------------------------------------------


class Service(http.server.ThreadingHTTPServer):
    """Keeps the comments on one change.  `broken` is the status with which requests are refused, None: they are not."""

    def __init__(self, name, own):
        super().__init__(("127.0.0.1", 0), Handler)
        self.name, self.own, self.comments, self.broken, self.requests = name, own, [], None, []
        self.package = b""
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    def add(self, author, body):
        who = {"user": {"login": author}} if self.name == "github" else {"author": {"username": author}}
        self.comments.append({"id": 1000 + len(self.comments), "body": body, **who})
        return self.comments[-1]

    def bodies(self, author):
        return [c["body"] for c in self.comments if author in (c.get("user", c.get("author"))).values()]

    def answer(self, method, path, query, body):
        """The status and the document."""
        if self.broken:
            return self.broken, {"message": "Resource not accessible"}
        if (method, path) == ("POST", "/graphql"):
            return (200, {"data": {"viewer": {"login": self.own}}}) if "viewer" in body["query"] else (400, {})
        if (method, path) == ("GET", "/user") and self.name == "gitlab":
            return 200, {"username": self.own}
        if path == lists[self.name] and method == "GET":
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[size * (page - 1):size * page]
        if path == lists[self.name] and method == "POST":
            return 201, self.add(self.own, body["body"])
        if method == replaces[self.name][0] and path.startswith(replaces[self.name][1]):
            found = [c for c in self.comments if str(c["id"]) == path.rsplit("/", 1)[1]]
            found[0]["body"] = body["body"]
            return 200, found[0]
        return 404, {"message": "Not Found"}


lists = {"github": "/repos/someone/project/issues/7/comments", "gitlab": "/projects/12/merge_requests/7/notes"}
replaces = {"github": ("PATCH", "/repos/someone/project/issues/comments/"), "gitlab": ("PUT", lists["gitlab"] + "/")}
proofs = {"github": ("Authorization", "Bearer " + token), "gitlab": ("PRIVATE-TOKEN", token)}


class Handler(http.server.BaseHTTPRequestHandler):
    def handle_one(self):
        address = urllib.parse.urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        name, value = proofs[self.server.name]
        status, document = 401, {"message": "Bad credentials"}
        if self.headers.get(name) == value:
            status, document = self.server.answer(self.command, address.path, urllib.parse.parse_qs(address.query), body)
        self.server.requests.append((self.command, address.path, status))
        return status, json.dumps(document).encode()

    def do_GET(self):
        status, content = (200, self.server.package) if self.path == "/waymark.deb" else self.handle_one()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_PATCH = do_PUT = do_GET

    def log_message(self, *_):
        pass


# ---- What GitHub does with an action ---------------------------------------------------------------


class Runner:
    """Executes the steps of the action; `outputs` and `summary` are those of the last run."""

    def __init__(self, work, service):
        self.work, self.workspace, self.service = work, work / "project", service
        self.outputs, self.summary, self.log = {}, "", ""
        self.document = yaml.safe_load((action / "action.yml").read_text())

    def value(self, name, inputs, steps):
        """Of a name in an expression; names that GitHub does not have are defects of the action."""
        words = name.split(".")
        if words[0] == "inputs":
            check(words[1] in self.document["inputs"], "there is no input", name)
            return inputs[words[1]]
        if words[0] == "steps":
            return steps.get(words[1], {}).get(words[3], "")
        return {"github.token": token, "github.event.pull_request.base.sha": self.base}[name]

    def expand(self, text, inputs, steps):
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: self.value(found[1], inputs, steps), str(text))

    def holds(self, condition, inputs, steps):
        def one(term):
            name, operator, literal = re.fullmatch(r"([\w.]+) (==|!=) '(\w*)'", term.strip()).groups()
            return (self.value(name, inputs, steps) == literal) == (operator == "==")
        return all(one(term) for term in condition.split("&&"))

    def environment(self, step, inputs, steps, files):
        event = self.work / "event.json"
        event.write_text(json.dumps({"pull_request": {"number": 7}}))
        return {"PATH": f"{self.work}/bin:{os.environ['PATH']}", "HOME": str(self.work), "RUNNER_TEMP": str(self.work / "temp"),
            "GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(action), "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_API_URL": self.service.url, "GITHUB_GRAPHQL_URL": self.service.url + "/graphql",
            "GITHUB_REPOSITORY": "someone/project", "GITHUB_EVENT_PATH": str(event), **files,
            **{name: self.expand(text, inputs, steps) for name, text in step.get("env", {}).items()}}

    def execute(self, step, inputs, steps):
        files = {"GITHUB_OUTPUT": str(self.work / "output"), "GITHUB_STEP_SUMMARY": str(self.work / "summary")}
        for file in files.values():
            pathlib.Path(file).write_text("")
        script = self.work / "script"
        script.write_text(step["run"])
        done = subprocess.run([step["shell"], "-e", script], cwd=self.workspace, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=self.environment(step, inputs, steps, files))
        self.log += f"--- {step['name']}: {done.returncode}\n{done.stdout}"
        if "id" in step:
            steps[step["id"]] = dict(line.split("=", 1) for line in (self.work / "output").read_text().splitlines())
        self.summary += (self.work / "summary").read_text()
        return done.returncode

    def run(self, failing=None, base="", **given):
        """failing: the step that fails, None: none does."""
        self.base, self.summary, self.log = base, "", ""
        shutil.rmtree(self.work / "temp", ignore_errors=True)
        (self.work / "temp").mkdir()
        steps = {}
        for name in given:
            check(name in self.document["inputs"], "there is no input", name)
        inputs = {name: given.get(name, self.expand(row.get("default", ""), {}, {})) for name, row in self.document["inputs"].items()}
        failed = None
        for step in self.document["runs"]["steps"]:
            if "if" in step and not self.holds(step["if"], inputs, steps):
                continue
            if self.execute(step, inputs, steps) and not step.get("continue-on-error"):
                failed = step["name"]
                break
        check(failed == failing, "the step", failed, "failed, not", failing, "\n" + self.log)
        self.outputs = {name: self.expand(row["value"], inputs, steps) for name, row in self.document["outputs"].items()}


# ---- The project -----------------------------------------------------------------------------------


def commit(workspace, title):
    git = ["git", "-C", workspace, "-c", "user.name=a", "-c", "user.email=a@example.com"]
    run(*git, "add", ".")
    run(*git, "commit", "-qm", title)
    return run(*git, "rev-parse", "HEAD").strip()


def replace(file, old, new):
    text = file.read_text()
    check(old in text, file, "has no", old)
    file.write_text(text.replace(old, new, 1))


def add_test(workspace, name, argument):
    with open(workspace / "CMakeLists.txt", "a") as file:
        file.write(f"add_test(NAME {name} COMMAND app {argument})\n")


def write_program(file, text):
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)


def make_project(work):
    shutil.copytree(root / "test/cmd/ci/project", work / "project")
    (work / "bin").mkdir()
    (work / "bin/waymark").symlink_to(build / "waymark")
    write_program(work / "bin/sudo", 'exec "$@"\n')
    write_program(work / "bin/apt-get", f'echo "$*" >>{work}/apt\ncase $* in *waymark.deb) cp "$4" {work}/installed ;; esac\n')
    # Everyone sees the words of a command; what curl reads its token from must be for this user only.
    write_program(work / "bin/curl", f'''echo "$*" >>{work}/words
[ "$1" != -K ] || stat -c %a "$2" >>{work}/modes
exec {shutil.which("curl")} "$@"
''')
    (work / "project/.gitignore").write_text("build\nkept\n")
    run("git", "init", "-q", "-b", "main", work / "project")
    return commit(work / "project", "first")


how = {"build": "cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug\ncmake --build build", "test": "ctest --test-dir build",
    "binaries": "build/app"}


# ---- Cases -----------------------------------------------------------------------------------------


def is_well_formed(runner):
    """Inputs are no part of scripts, and scripts have no defect that shellcheck finds."""
    run("yamllint", "-d", "{extends: relaxed, rules: {line-length: {max: 140}}}", action / "action.yml")
    run("shellcheck", *(action / name for name in ("judge", "keep", "comment")))
    for step in runner.document["runs"]["steps"]:
        check("${{" not in step["run"], step["name"], "has an expression in its script")
        run("shellcheck", "-s", step["shell"], "-", input=step["run"])
    for workflow in yaml.safe_load((root / "doc/ci/github.yml").read_text())["jobs"].values():
        for step in workflow["steps"]:
            check("${{" not in step.get("run", ""), "a script has an expression:", step)
            if step.get("uses", "").endswith("/waymark"):
                check(set(step["with"]) <= set(runner.document["inputs"]), "doc/ci/github.yml has inputs that do not exist")


def installs_the_package(runner):
    """Of a file, and of a URL."""
    package = runner.work / "some.deb"
    package.write_bytes(b"a package")
    runner.service.package = b"another package"
    for name, content in ((str(package), b"a package"), (runner.service.url + "/waymark.deb", b"another package")):
        runner.run(package=name, **{**how, "build": "exit 4"}, failing="Build")
        check((runner.work / "installed").read_bytes() == content, "it installs something else than", name)
    check("curl git jq" in (runner.work / "apt").read_text(), "it does not install what its scripts use")


def keeps_the_base(runner):
    runner.run(keep="kept", **how)
    kept = runner.workspace / "kept"
    check((kept / "programs/app").exists() and (kept / "tests.wmprof").exists(), "what is kept")
    check(not runner.service.requests and runner.outputs["status"] == "", "without a base it judges")


def leaves_one_comment(runner, base):
    """The first run leaves a comment, the second replaces it; comments of others stay, more than a page of them."""
    theirs = [runner.service.add("mallory", f"{mark}\nnumber {i}")["body"] for i in range(120)]
    replace(runner.workspace / "app.c", "\treturn 0;", "\tif (n == 4)\n\t\treturn 7;\n\treturn 0;")
    add_test(runner.workspace, "three", 3)
    commit(runner.workspace, "change")
    for _ in range(2):
        runner.run(base=base, compare="kept", failing="Gate", **how)
        check(runner.outputs["status"] == "3", "the output status is", runner.outputs["status"])
        ours = runner.service.bodies("github-actions[bot]")
        check(len(ours) == 1 and runner.service.bodies("mallory") == theirs, "comments of others changed, or there are several", ours)
    check([r[0] for r in runner.service.requests if "issues" in r[1] and r[0] != "GET"] == ["POST", "PATCH"], runner.service.requests)
    text = ours[0]
    check(text.split("\n", 1) == [mark, runner.summary], "the comment is not the summary", text)
    for words in ("the gate does not hold", "--fail allows none", "line 7, n == 4: true", "tests that come here: one, three and two", base,
        "<code>main</code> app.c:2", "2 path executions; new: 1 run, 3 path executions",
        # not a part of the item of the list before it
        "\n\nno test for significance"):
        check(words in text, "the comment does not say", words, "\n" + text)
    check(text.count("1 of 2 outcomes of decisions is untested") == 2, "outcomes and paths\n" + text)


def says_what_became_hotter(runner):
    """Between two sets of tests of one program."""
    add_test(runner.workspace, "nine", 9)
    with open(runner.workspace / "CMakeLists.txt", "a") as file:
        file.write("set_tests_properties(nine PROPERTIES WILL_FAIL ON)\n")
    base = commit(runner.workspace, "a test")
    runner.run(keep="kept", **how)
    add_test(runner.workspace, "five", 5)
    commit(runner.workspace, "another test")
    runner.run(base=base, compare="kept", **how)
    text = runner.summary
    check("1 became hotter, 1 became colder" in text and "the gate holds" in text, text)
    check("the gate holds" in runner.service.bodies("github-actions[bot]")[0], "the comment was not replaced")
    (runner.workspace / "kept/commit").write_text("--no-such-commit\n")
    runner.run(base=base, compare="kept", **how)
    check("They could not be compared" in runner.summary, runner.summary)
    runner.run(base=base, compare="nowhere", **how)
    check("No profile of the tests before the change was kept" in runner.summary, runner.summary)


def decides_without_a_comment(runner, base):
    """What goes wrong is one sentence, and the gate decides as with a comment."""
    before = runner.service.bodies("github-actions[bot]")
    for broken, words in ((403, "refused with 403 (Resource not accessible); the job needs `permissions: pull-requests: write`"),
        (500, "failed with 500 (Resource not accessible)")):
        runner.service.broken = broken
        runner.run(base=base, failing="Gate", **how)
        check(words in runner.log, "the log does not say", words, "\n" + runner.log)
    runner.service.broken = None
    requests = len(runner.service.requests)
    runner.run(base=base, failing="Gate", token="", **how)
    check("no token was given" in runner.log and len(runner.service.requests) == requests, runner.log)
    runner.run(base=base, failing="Gate", token='x"\nurl = "http://127.0.0.1:1', **how)
    check("the token contains a character" in runner.log and len(runner.service.requests) == requests, runner.log)
    runner.run(base=base, failing="Gate", comment="false", **how)
    check(len(runner.service.requests) == requests and runner.service.bodies("github-actions[bot]") == before, runner.log)
    url, runner.service.url = runner.service.url, "http://127.0.0.1:1"
    runner.run(base=base, failing="Gate", **how)
    check("http://127.0.0.1:1/graphql cannot be reached" in runner.log, runner.log)
    runner.service.url = url


def says_what_is_wrong(runner, base):
    runner.run(base="0" * 40, failing="Judge", **how)
    check("clone the whole history" in runner.log, runner.log)
    runner.run(base=base, gate="--fail --nonsense", failing="Judge", **how)
    check("nonsense" in runner.log, runner.log)
    runner.run(base=base, gate="", **how)
    check(runner.outputs["status"] == "0" and "the gate holds" in runner.summary, "without a gate nothing fails")


def keeps_the_token(runner):
    words, modes = ((runner.work / name).read_text() for name in ("words", "modes"))
    check(words and token not in words, "the token is on a command line")
    check(set(modes.split()) == {"600"}, "others may read the token", modes)


def comments_on_gitlab(runner):
    """The same script; the text is cut where Markdown goes on as it should."""
    with contextlib.closing(Service("gitlab", "project_12_bot")) as service:
        other = service.add("mallory", mark)
        environment = {"PATH": f"{runner.work}/bin:{os.environ['PATH']}", "GITLAB_CI": "true", "CI_API_V4_URL": service.url,
            "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "7", "TOKEN": token}
        text = runner.work / "text.md"
        pieces = ["<details><summary>path é</summary>\n\n````\n```\n\nint a;\n````\n\n</details>\n\n", "```\nint b;\n\nint c;\n```\n\n"]
        text.write_text("short")
        run(action / "comment", text, env=environment)
        for size in range(0, 120, 11):
            parts = ["x" * size + "\n\n", *pieces * 1000]
            text.write_text("".join(parts))
            run(action / "comment", text, env=environment)
            check(len(service.bodies("project_12_bot")) == 1 and other["body"] == mark, service.comments)
            kept, said = service.bodies("project_12_bot")[0].removeprefix(mark + "\n").rsplit("\n\n", 1)
            kept += "\n"
            longest = [end for end in range(1, len(parts)) if len("".join(parts[:end]).encode()) <= 60000][-1]
            check(kept == "".join(parts[:longest]), "the text is cut elsewhere", kept[-200:])
            check(f"the first {len(kept.encode())} of {len(text.read_bytes())} bytes" in said, said)
        out = run(action / "comment", text, env={**environment, "CI_MERGE_REQUEST_IID": ""}, code=1)
        check("no pull request or merge request" in out, out)
        out = run(action / "comment", text, env={**environment, "TOKEN": "another"}, code=1)
        check("401 (Bad credentials); the token needs the scope `api`" in out, out)
        out = run(action / "comment", text, env={**environment, "GITLAB_CI": ""}, code=1)
        check("no job of GitHub or GitLab" in out, out)


with tempfile.TemporaryDirectory() as directory, contextlib.closing(Service("github", "github-actions[bot]")) as service:
    runner = Runner(pathlib.Path(directory), service)
    first = make_project(runner.work)
    is_well_formed(runner)
    installs_the_package(runner)
    keeps_the_base(runner)
    leaves_one_comment(runner, first)
    decides_without_a_comment(runner, first)
    says_what_is_wrong(runner, first)
    says_what_became_hotter(runner)
    comments_on_gitlab(runner)
    keeps_the_token(runner)
print("action: ok")
