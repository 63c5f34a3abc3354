# SPDX-License-Identifier: Apache-2.0
"""What the suites share: counting, failures as sentences, and holding every answer against the OpenAPI document."""
import os
import signal
import sys
import time

from world import make_validator

SHOWN_FAILURES = int(os.environ.get("REEVE_SHOW", "40"))


class Suite:
    """Counts what held and what did not. `finish` prints the line that the runner reads."""

    def __init__(self, name):
        self.name, self.passed, self.failures = name, 0, []
        self.began = time.monotonic()

    def check(self, good, sentence, *values):
        if good:
            self.passed += 1
        else:
            self.fail(sentence % values if values else sentence)
        return bool(good)

    def equal(self, got, wanted, what):
        return self.check(got == wanted, "%s: %r, and %r was expected" % (what, got, wanted))

    def fail(self, sentence):
        self.failures.append(sentence)
        if len(self.failures) <= SHOWN_FAILURES:
            print("  FAILED %s" % sentence, flush=True)

    def say(self, sentence):
        print("  %s" % sentence, flush=True)

    def take(self, passed, failures):
        """Counts of another process."""
        self.passed += passed
        for failure in failures:
            self.fail(failure)

    def finish(self):
        hidden = len(self.failures) - SHOWN_FAILURES
        if hidden > 0:
            print("  … and %d more" % hidden)
        print("%s: %d passed, %d failed (%.0f s)" % (self.name, self.passed, len(self.failures), time.monotonic() - self.began),
              flush=True)
        return 1 if self.failures else 0


class Contract:
    """Holds answers against the OpenAPI document. Equal answers to one operation are looked at once."""

    def __init__(self):
        self.validator = make_validator()
        self.seen = set()
        self.count = 0

    def problems(self, answer):
        self.count += 1
        path = answer.target.partition("?")[0]
        if not path.startswith("/api/svc/"):
            return []
        headers = answer.headers
        key = (answer.method, answer.target, answer.status, headers.get("content-type"), "x-request-id" in headers,
               "www-authenticate" in headers, "retry-after" in headers, answer.body)
        if key in self.seen:
            return []
        self.seen.add(key)
        return self.validator.check(answer.method, answer.target, answer.status, headers, answer.body)


def ends_on_signal():
    """TERM and INT unwind the stack, so that what was started is stopped."""
    def stop(number, _frame):
        sys.exit(128 + number)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
