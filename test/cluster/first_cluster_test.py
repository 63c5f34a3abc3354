#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of docs/first-cluster.md into terminals of a client of a fleet, as they stand, and holds what is
seen there against what the page shows. Needs root.

    test/cluster/first_cluster_test.py [--transcript FILE]

Of the page's blocks `sh` is typed at the shell's prompt (in the other terminal when the text in front says "In a second
terminal"), `sql` at psql's, and every line of `text` has to be seen behind the block before. Values of the page's first block
are the fleet's instead; questions are answered as they come. --transcript keeps what a reader saw, with frames of the bars.
"""
import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

import rig
from screen import Screen
from tenant import client_address

import control  # noqa: E402  (found by rig)
import network  # noqa: E402
from state import CONTROL, DOMAIN, PROVIDER, ROOT, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

sys.path.append(os.path.join(ROOT, "test/cli"))
from terminal import Reeve, Terminal  # noqa: E402

PAGE = os.path.join(ROOT, "docs/first-cluster.md")
WHOLE_PATH_S = 60
TOLD_S = 1  # commands that take longer are told one by one
PSQL_PROMPT = r"^\w+=[>#] $"
BAR = re.compile(r".*[█░]{30} +(\d+)%[^\n]*", re.S)
BLOCK = re.compile(r"([^\n]*)\n\n```(sh|sql|text)\n(.*?)```", re.S)
# What differs from run to run, in the page as on the screen. What a step waits for is one of several things.
MASKS = [(re.compile(pattern), word) for pattern, word in (
    (r"\b[0-9a-f]{24}\b", "<id>"), (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<date>"), (r"\b\w{6}(?=-shard-)", "<set>"), (r"\.\w+(?=\.db\.example\.org)", ".<project>"),
    (r" +\d+(\.\d)? s\b", "  <seconds>"), (r"[⠋⠙⠹⠸⠼⠴⠦⠧] (\S+) .*", r"⠋ \1"), (r"[█░]+ +\d+%", "<bar>"), (r" {2,}", "  "))]


def masked(line):
    for pattern, word in MASKS:
        line = pattern.sub(word, line)
    return line.rstrip()


# ---- The page ----
def blocks_of(page):
    """(language, text, whether it is about the second terminal)."""
    return [(language, text, "second terminal" in before) for before, language, text in BLOCK.findall(page)]


def commands_of(text):
    """A shell's commands, whole: quotes and here-documents may go over several lines."""
    found, part = [], ""
    for line in text.splitlines(keepends=True):
        part += line
        tried = subprocess.run(["bash", "-n", "-c", part], stderr=subprocess.PIPE, check=False)
        if tried.returncode == 0 and not tried.stderr and not part.endswith("\\\n"):
            found.append(part)
            part = ""
    if part:
        raise Problem("a command of the page has no end: " + part)
    return found


def assignments(text):
    return dict(re.findall(r"(?:^|(?<= ))([A-Z_]+)=(\S+)", text, re.M))


# ---- Terminals ----
class Person(Reeve):
    """Somebody at a client's machine, with nothing in his home."""

    def __init__(self, fleet, home):
        super().__init__(fleet.build, home)
        self.fleet = fleet
        os.makedirs(os.path.join(home, "bin"))
        os.symlink(self.program, os.path.join(home, "bin/reeve"))
        self.program = "ip"

    def environment(self, **more):
        path = os.path.join(self.home, "bin") + ":" + os.environ["PATH"]
        return super().environment(PATH=path, LANG="C.UTF-8", PS1="$ ", PS2="> ", HISTFILE="", **more)


class Shell(Terminal):
    """bash in a terminal on the client's machine, and what is on its screen."""

    def __init__(self, person, name, answers, timeout=240):
        self.ends, self.answers, self.screen = os.path.join(person.home, name + ".ends"), answers, Screen()
        self.begun, self.frames = 0, []  # of the command that runs: its line on the screen, and what was seen of its bar
        words = network.client_command(person.fleet, ["bash", "--norc", "--noprofile", "--noediting", "-i"])[1:]
        super().__init__(person, *words, columns=120, timeout=timeout, PROMPT_COMMAND="echo $? >> " + self.ends)
        self.wait_for(lambda: self.ended() == 1, "the shell's prompt")

    def read(self):
        before = len(self.raw)
        there = super().read()
        if len(self.raw) > before:
            self.screen.feed(self.raw[before:])
            frame = BAR.match(self.screen.text(self.begun)) if self.screen.row == len(self.screen.lines) - 1 else None  # a whole one
            if frame and frame[0] not in self.frames[-1:]:
                self.frames.append(frame[0])
        return there

    def statuses(self):
        try:
            with open(self.ends) as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def ended(self):
        """How many commands have, when the shell waits for one; the first prompt counts, too."""
        return len(self.statuses()) if self.screen.lines[-1] == "$ " else 0

    def wait_for(self, condition, what):
        while not condition():
            if time.monotonic() > self.deadline or not self.read():
                raise Problem("%s did not come; the terminal shows:\n%s" % (what, self.screen.text()[-3000:]))

    def at(self, question):
        return re.search(question, self.screen.lines[-1]) is not None

    def begin(self, command):
        self.begun, self.frames = self.screen.row, []
        *first, last = command.splitlines(keepends=True)
        for line in first:
            row = self.screen.row
            self.press(line)
            self.wait_for(lambda: self.screen.row > row and self.screen.lines[-1] == "> ", "the shell's second prompt")
        self.press(last)

    def run(self, command):
        """Types a command and answers what it asks; its status, or None when it is psql, which goes on."""
        before, answered = len(self.statuses()), set()
        self.begin(command)

        def done():
            for question, answer in self.answers.items():
                if self.at(question) and self.screen.row not in answered:
                    answered.add(self.screen.row)
                    self.press(answer + "\n")
            return self.ended() > before or self.at(PSQL_PROMPT)
        self.wait_for(done, command)
        return int(self.statuses()[-1]) if self.ended() > before else None

    def statement(self, line):
        """At psql's prompt, until the next one."""
        row, before = self.screen.row, len(self.statuses())
        self.press(line + "\n")
        self.wait_for(lambda: self.screen.row > row and (self.at(PSQL_PROMPT) or self.ended() > before), line)

    def shown(self):
        return [*self.screen.seen, *self.screen.lines]


# ---- The path ----
class Path:
    def __init__(self, suite, fleet, home, page):
        self.suite, self.fleet, self.home = suite, fleet, home
        self.secret, self.password = fleet.record["credentials"]["clientSecret"], secrets.token_urlsafe(12)
        self.values = {"SERVER": "https://%s:%d" % (CONTROL["control1"], control.API_PORT), "AUTHORITY": fleet.path("tls/authority.pem"),
                       "CLIENT_ID": fleet.record["credentials"]["clientId"], "ADDRESS": client_address().split("/")[0],
                       "PROVIDER": PROVIDER, "REGION": fleet.regions[0], "SIZE": control.SIZES[0][0]}
        self.blocks = blocks_of(page)
        self.of_page = assignments(self.blocks[0][1])
        suite.equal(sorted(self.of_page), sorted(self.values), "values that the page asks for")
        self.learn_values()
        person = Person(fleet, home)
        # Whoever asks is answered as a person would: by what stands there.
        answers = {"^client secret: $": self.secret, "^password: $": self.password, "^Password for user app: $": self.password}
        self.first, self.second = Shell(person, "first", answers), Shell(person, "second", answers)
        self.transcript = []

    def as_on_page(self, line):
        """What a run has shown, with the values of the page."""
        return self.ours.sub(lambda found: self.theirs[found[0]], line)

    def learn_values(self):
        pairs = [(self.values[name], self.of_page[name]) for name in self.values]
        pairs += [(DOMAIN, "db.example.org"), (self.home, "/home/you"), (control.SIZES[1][0], "M20"), (control.SIZES[2][0], "M30")]
        self.theirs = dict(pairs)
        longest_first = sorted(self.theirs, key=len, reverse=True)
        self.ours = re.compile(r"(?<![\w/])(?:%s)(?!\w)" % "|".join(map(re.escape, longest_first)))

    def expect(self, shell, text, first=0):
        """Every line of the text has been on the terminal's screen, or comes there soon."""
        wanted = [masked(line) for line in text.splitlines() if line.strip()]

        def missing():
            shell.read()
            seen = {masked(self.as_on_page(line)) for line in set(shell.shown()[first:])}
            return [line for line in wanted if line not in seen]
        try:
            wait_until(lambda: not missing(), "what the page shows", 10, every=0.1)
        except Problem:
            pass
        self.suite.check(not missing(), "the page shows what was not seen: %s\non the terminal:\n%s", missing(), shell.screen.text(shell.begun))

    def type(self, text):
        for command in commands_of(text):
            began = time.monotonic()
            status = self.first.run(command)
            if time.monotonic() - began > TOLD_S:
                self.suite.say("%5.1f s  %s" % (time.monotonic() - began, command.splitlines()[0]))
            self.suite.check(status in (0, None), "status %s of %s: %s", status, command, self.first.screen.text(self.first.begun))
            self.judge_bar(command, self.first.frames)

    def judge_bar(self, command, frames):
        self.suite.equal("--wait" in command, bool(frames), "whether %s draws a bar" % command.strip())
        if not frames:
            return
        percents = [int(BAR.match(frame)[1]) for frame in frames]
        self.suite.check(percents == sorted(percents) and percents[-1] == 100 and len(set(percents)) > 1, "the bar moves to its end: %s", percents)
        self.suite.check("·" not in frames[-1] and "✓" in frames[-1], "every step has its sign at the end:\n%s", frames[-1])
        self.transcript += ["---- frames of the bar: %d" % len(frames)]
        self.transcript += [frame for number, frame in enumerate(frames) if percents[number] not in percents[number + 1:]]

    def walk(self):
        block_began = 0
        for number, (language, text, elsewhere) in enumerate(self.blocks):
            shell = self.second if elsewhere else self.first
            if language == "text":
                self.expect(shell, text, 0 if elsewhere else block_began)
                if elsewhere:
                    self.end_second()
                continue
            block_began = len(self.first.screen.seen)
            if number == 0:
                for name, value in self.of_page.items():
                    text = text.replace("%s=%s" % (name, value), "%s=%s" % (name, self.values[name]))
            if language == "sql" and self.suite.check(shell.at(PSQL_PROMPT), "psql's prompt is there for %s", text):
                began = time.monotonic()
                for line in text.splitlines():
                    shell.statement(line)
                self.suite.say("%5.1f s  at psql's prompt" % (time.monotonic() - began))
            elif language == "sh" and elsewhere:
                shell.begin(text)  # and it stays there
            elif language == "sh":
                self.type(text)
        self.suite.equal(len(self.second.statuses()), 2, "prompts of the second terminal: the page shows what is seen there")
        for shell in (self.first, self.second):
            self.suite.check(self.secret not in shell.raw and self.password not in shell.raw, "secrets are not shown")

    def end_second(self):
        self.second.press("\x03")
        self.second.wait_for(lambda: self.second.ended() == 2, "the prompt behind Ctrl-C")
        self.suite.equal(self.second.statuses()[-1], "130", "status of the command that Ctrl-C ended")

    def close(self):
        for shell in (self.first, self.second):
            shell.__exit__()

    def record(self):
        parts = ["---- first terminal", self.first.screen.text(), *self.transcript, "---- second terminal", self.second.screen.text()]
        return "\n".join(self.as_on_page(line) for line in "\n".join(parts).splitlines()) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcript", metavar="FILE")
    arguments = parser.parse_args()
    suite, home = Suite("first cluster"), tempfile.mkdtemp(prefix="reeve-you.")
    try:
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        with rig.fleet_for(3) as fleet:
            path = Path(suite, fleet, home, page)
            try:
                began = time.monotonic()
                path.walk()
                rig.judge_time(suite, time.monotonic() - began, WHOLE_PATH_S, "from logging in to nothing left, all commands of the page")
            finally:
                path.close()
                if arguments.transcript:
                    with open(arguments.transcript, "w", encoding="utf-8") as file:
                        file.write(path.record())
    except Problem as problem:
        suite.fail(str(problem))
    finally:
        shutil.rmtree(home)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
