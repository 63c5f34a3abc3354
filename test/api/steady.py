#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the API suites pass at the first try on a machine that has no time for them: all of them, some rounds in a row, several side by side,
beside a loop on each processor that never rests.

    make steady                                                       10 rounds, and docs/reports/steady.md; takes hours
    test/api/steady.py --build build --rounds 2 exchanges http        some of them

Rounds are kept in BUILD/steady.tsv with the commit they were made at: a run that was ended goes on where it was. A suite that failed once has failed.
"""
import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import threading
import time

from run_all import ROOT, SUITES

LEFT_OUT = ("soak",)  # it measures memory, and has a target of its own
BUSY = "while True: pass"
RESULT = re.compile(r"^(\S+): (\d+) passed, (\d+) failed \((\d+) s\)", re.M)


class BusyLoops:
    """One on each processor, for as long as it is open."""

    def __enter__(self):
        self.loops = [subprocess.Popen(["taskset", "-c", str(cpu), sys.executable, "-c", BUSY]) for cpu in sorted(os.sched_getaffinity(0))]

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def run_suite(name, build, lanes):
    """(passed, failed, seconds, what it printed). It may take as many times as long as there are others, the loops among them."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, os.path.join(ROOT, "test/api/run_all.py"), name], env={**os.environ, "REEVE_BUILD": build, "REEVE_PATIENCE": str(lanes + 1)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    found = RESULT.search(done.stdout)
    passed, failed = (int(found.group(2)), int(found.group(3))) if found else (0, 1)
    return passed, failed, int(time.monotonic() - began), done.stdout


def read_rows(path, commit):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [(int(number), name, int(passed), int(failed), int(seconds)) for at, number, name, passed, failed, seconds in rows if at == commit]


def write_report(path, rows, names, options):
    lines = ["# The API suites on a busy machine", "", "Written by `make steady`: %d rounds of all suites, %d side by side, beside a loop on each of %d processors. No suite is run a second time."
             % (options.rounds, options.lanes, len(os.sched_getaffinity(0))), "", "| suite | rounds | passed | failed | seconds, shortest to longest |", "|---|---|---|---|---|"]
    for name in names:
        own = [row for row in rows if row[1] == name]
        if own:
            lines.append("| %s | %d | %d | %d | %d to %d |" % (name, len(own), sum(row[2] for row in own), sum(row[3] for row in own), min(row[4] for row in own), max(row[4] for row in own)))
    lines += ["", summary(rows)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def summary(rows):
    return "steady: %d suites run, %d passed, %d failed" % (len(rows), sum(row[2] for row in rows), sum(row[3] for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", help="default: all but " + ", ".join(LEFT_OUT))
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--lanes", type=int, default=3, help="so many suites side by side, besides the loops (default: 3)")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no suite after so long; the next run goes on")
    parser.add_argument("--report")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    names = options.suites or [name for name in SUITES if name not in LEFT_OUT]
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    kept, ends = os.path.join(options.build, "steady.tsv"), time.monotonic() + 60 * options.minutes
    rows = read_rows(kept, commit)
    done = {row[:2] for row in rows}
    waiting = [(number, name) for number in range(1, options.rounds + 1) for name in names if (number, name) not in done]
    writing = threading.Lock()

    def work(number, name):
        if time.monotonic() > ends:
            return
        passed, failed, seconds, text = run_suite(name, options.build, options.lanes)
        with writing:
            rows.append((number, name, passed, failed, seconds))
            with open(kept, "a", encoding="utf-8") as file:
                file.write("%s\t%d\t%s\t%d\t%d\t%d\n" % (commit, *rows[-1]))
            print("round %d  %-14s %d passed, %d failed, %d s" % rows[-1], flush=True)
            if failed:
                print("\n".join(text.splitlines()[-40:]), flush=True)

    with BusyLoops(), concurrent.futures.ThreadPoolExecutor(options.lanes) as lanes:
        going = [lanes.submit(work, *one) for one in waiting]
        try:
            for one in going:
                one.result()
        finally:  # when it is ended, what has begun ends, and nothing else begins
            lanes.shutdown(wait=False, cancel_futures=True)
    if options.report:
        write_report(options.report, rows, names, options)
    print(summary(rows))
    return 1 if any(row[3] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
