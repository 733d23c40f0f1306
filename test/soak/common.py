# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts of the soak share."""
import subprocess


class Failure(Exception):
    """What does not hold, in one sentence."""


def must(*command, cwd=None):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"exit code {done.returncode} of {' '.join(map(str, command))[:200]}: {done.stderr[-1000:]}")
    return done.stdout


def balanced(function):
    b = function["balance"]
    return b["inherited"] + b["entries"] + b["restarts"] + b["resumed"] == b["completed"] + b["abandoned"]


def unbalanced(report):
    """The names of the functions and units of a report whose balance does not hold."""
    return [f["name"] for f in report["functions"] + report.get("units", []) if f.get("balance") and not balanced(f)]
