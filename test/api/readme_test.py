#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README.md as they stand: `make run` in one shell, the curl commands in another. What `make run` says is looked at,
too: it must lead on to clusters, and must not be buried in the logs of migrations (finding B3).

  test/api/readme_test.py [--build DIR]

Every fenced `sh` block of the section "Try it" is taken; `script/bootstrap` and `make` are not repeated here.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def readme_blocks():
    with open(os.path.join(ROOT, "README.md")) as readme:
        section = readme.read().split("## Try it", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```sh\n(.*?)```", section, re.S)


def start(build):
    """`make run`, until it has said everything, and what it said. In a group of its own, so that it can be ended as a whole."""
    process = subprocess.Popen(["make", "run", f"BUILD={build}"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, start_new_session=True)
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Ctrl-C ends"):
            return process, "".join(lines)
    process.wait()
    raise SystemExit("make run did not start:\n" + "".join(lines))


def stop(process):
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def documents(text):
    """The JSON documents that stand behind each other in a text."""
    decoder, at = json.JSONDecoder(), 0
    while (at := next((i for i in range(at, len(text)) if text[i] == "{"), len(text))) < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    arguments = parser.parse_args()
    blocks = readme_blocks()
    assert blocks[0].startswith("script/bootstrap") and "make run" in blocks[0], "the first block starts the server"
    started = time.monotonic()
    process, said = start(arguments.build)
    print(f"make run answered after {time.monotonic() - started:.1f} s")
    failed = 0
    try:
        answers = []
        # One shell for all of them: the second block uses what the first one sourced.
        result = subprocess.run(["bash", "-e", "-c", "\n".join(blocks[1:])], cwd=ROOT, text=True, capture_output=True)
        answers = list(documents(result.stdout))
        checks = [
            ("every command succeeded", result.returncode == 0),
            ("Digest shows who is calling", len(answers) > 0 and answers[0].get("caller", {}).get("type") == "API_KEY"),
            ("a bearer token creates a project", len(answers) > 1 and answers[1].get("name") == "storefront"),
            # Not every line of JSON: a machine that is busy may rightly be told that Redis did not answer in time.
            ("no log of migrations stands between what make run says", '"event":"migrated"' not in said),
            ("make run says in one line what became of the schema", len(re.findall(r"^\d+ migrations applied", said, re.M)) == 1),
            ("make run says what it is, and that make demo comes next", re.search(r"no worker.*no hosts.*make demo", said, re.S) is not None),
            ("the project is listed", len(answers) > 2 and answers[2].get("totalCount") == 1),
        ]
        for line in said.splitlines():
            if line.startswith("{"):
                print(f"logged: {line}")
        for name, good in checks:
            print(f"{'ok' if good else 'FAILED'}: {name}")
            failed += not good
        if failed:
            print(said, result.stdout, result.stderr)
    finally:
        stop(process)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
