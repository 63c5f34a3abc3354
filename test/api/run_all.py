# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of this folder, each with a PostgreSQL and a Redis of its own, and says how they went.

    /usr/bin/python3 test/api/run_all.py              all of them
    /usr/bin/python3 test/api/run_all.py body kill    these
    REEVE_BUILD=build-asan …                          the build folder under test (default: build)
    REEVE_SHOW=1000 …                                 how many failures of a suite are shown (default: 40)
    REEVE_PATIENCE=4 …                                how many times as long everything may take: for a machine that others use, too
                                                      (default: 1; with sanitizers it is three times that)

With a build that has sanitizers, everything that a suite starts writes their reports into one folder, whoever it runs as and wherever its
output goes. A report fails the suite.

The exit status is 0 when nothing failed.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

from node import sanitizer_libraries

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# name: (file, seconds that it may take)
SUITES = {
    "exchanges": ("exchange_test.py", 180),
    "http": ("http_test.py", 300),
    "body": ("body_matrix.py", 300),
    "nodes": ("nodes_test.py", 180),
    "fair": ("fair_test.py", 180),
    "kill": ("kill_test.py", 300),
    "kill-requests": ("kill_requests_test.py", 240),
    "streams": ("streams_test.py", 180),
    "alerts": ("alerts_test.py", 180),
    "webhooks": ("webhooks_test.py", 600),
    "jobs": ("jobs_test.py", 180),
    "sessions": ("session_test.py", 240),
    "takes-along": ("takes_along_test.py", 180),
    "support": ("support_test.py", 120),
    "operator-sessions": ("operator_session_test.py", 120),
    "sessions-browser": ("session_browser_test.py", 120),
    "devices": ("device_test.py", 180),
    "provider-sign-in": ("provider_sign_in_test.py", 240),
    "provider-browser": ("provider_browser_test.py", 240),
    "saml-sign-in": ("saml_sign_in_test.py", 300),
    "saml-browser": ("saml_browser_test.py", 240),
    "users": ("users_test.py", 240),
    "groups": ("groups_test.py", 300),
    "effects": ("effects_test.py", 240),
    "federation": ("federation_test.py", 300),
    "programs": ("programs_test.py", 300),
    "invitations": ("invitations_test.py", 180),
    "rebinding": ("rebinding_test.py", 180),
    "soak": ("soak_test.py", 600),
    "access": ("access_matrix.py", 420),
    "abuse": ("abuse_test.py", 300),
    "limits": ("limits_test.py", 420),
    "canary": ("canary_test.py", 180),
    "agents": ("agents_test.py", 600),
    "points": ("points_test.py", 120),
    "downloads": ("downloads_test.py", 180),
    "names": ("names_test.py", 120),
    "restored": ("restored_test.py", 120),
    "missing": ("missing_table_test.py", 240),
    "lost": ("lost_statement_test.py", 300),
    "check": ("check_test.py", 120),
    "operator": ("operator_test.py", 240),
    "figures": ("figures_test.py", 240),
    "tools": ("tools_test.py", 240),
    "push": ("push_test.py", 240),
    "scaling": ("scaling_test.py", 300),
    "stateful": ("stateful_test.py", 300),
}
RESULT = re.compile(r"^.+: (\d+) passed, (\d+) failed")
BUILD = os.path.join(ROOT, os.environ.get("REEVE_BUILD", "build"))
SANITIZED = bool(sanitizer_libraries(os.path.join(BUILD, "src/http/ngx_http_reeve_module.so")))
PATIENCE = float(os.environ.get("REEVE_PATIENCE", "1")) * (3 if SANITIZED else 1)
SHOWN_REPORT = 4000  # characters


def sanitizer_options(folder):
    """Of programs that a suite starts: workers of nginx are another user, and the standard error of others goes nowhere."""
    if not SANITIZED:
        return {}
    os.chmod(folder, 0o1777)
    place = "log_path=%s/report" % folder
    return {"ASAN_OPTIONS": place, "UBSAN_OPTIONS": place + ":print_stacktrace=1", "TSAN_OPTIONS": place}


def show_reports(folder):
    """How many there are."""
    reports = sorted(os.listdir(folder))
    for report in reports:
        with open(os.path.join(folder, report), encoding="utf-8", errors="replace") as text:
            print("  FAILED a sanitizer reports:\n" + text.read()[:SHOWN_REPORT], flush=True)
    return len(reports)


def run(name):
    """(passed, failed); one that ends without its line has failed."""
    with tempfile.TemporaryDirectory(prefix="reeve-reports-") as folder:
        passed, failed = run_suite(name, dict(os.environ, REEVE_PATIENCE=str(PATIENCE), **sanitizer_options(folder)))
        return passed, failed + show_reports(folder)


def run_suite(name, environment):
    file, seconds = SUITES[name]
    seconds *= PATIENCE
    command = [os.path.join(ROOT, "script", "with-services"), "/usr/bin/python3", os.path.join(HERE, file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=environment)
    deadline, passed, failed, ended = time.monotonic() + seconds, 0, 0, False
    try:
        for line in process.stdout:
            result = RESULT.match(line)
            if result:
                passed, failed, ended = int(result.group(1)), int(result.group(2)), True
            else:
                print(line, end="", flush=True)
            if time.monotonic() > deadline:
                print("  %s took longer than %d s" % (name, seconds))
                failed += 1
                break
        else:
            process.wait(60)
    finally:
        if process.poll() is None:
            process.terminate()  # with-services ends what it started
            process.wait(60)
    if not ended or (process.returncode != 0 and failed == 0):
        print("  %s ended with status %s" % (name, process.returncode))
        failed += 1
    return passed, failed


def main():
    names = sys.argv[1:] or list(SUITES)
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print("there is no suite %s; there are %s" % (", ".join(unknown), ", ".join(SUITES)), file=sys.stderr)
        return 2
    results = []
    for name in names:
        began = time.monotonic()
        print("%s …" % name, flush=True)
        passed, failed = run(name)
        results.append((name, passed, failed))
        print("%s: %d passed, %d failed (%.0f s)" % (name, passed, failed, time.monotonic() - began), flush=True)
    if len(results) > 1:
        print("\n" + "\n".join("%s: %d passed, %d failed" % result for result in results))
    return 1 if any(failed for _, _, failed in results) else 0


if __name__ == "__main__":
    sys.exit(main())
