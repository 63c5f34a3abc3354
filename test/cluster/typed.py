# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation that are typed into terminals as they stand, and held against what is seen there.

Of a page's blocks `sh` is typed at the shell's prompt (in the other terminal when the text in front says "In a second
terminal"), `sql` at psql's, and every line of `text` has to be seen behind the block before. Questions are answered as they come.
"""
import os
import re
import subprocess
import sys
import time

from screen import Screen

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("fleet", "cli")]
from patience import PATIENCE  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from terminal import Terminal  # noqa: E402

TOLD_S = 1  # commands that take longer are told one by one
SHELL = ["bash", "--norc", "--noprofile", "--noediting", "-i"]
PROMPTS = {"PS1": "$ ", "PS2": "> ", "HISTFILE": ""}
PSQL_PROMPT = r"^\w+=[>#] $"
BAR = re.compile(r".*[█░]{30} +(\d+)%[^\n]*", re.S)
BLOCK = re.compile(r"((?:[^\n]+\n)*[^\n]*)\n\n```(sh|sql|text)\n(.*?)```", re.S)  # the paragraph before it, what it is, its text
# What differs from run to run, in the page as on the screen. What a step waits for is one of several things.
MASKS = [(re.compile(pattern), word) for pattern, word in (
    (r"\b[0-9a-f]{24}\b", "<id>"), (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<date>"), (r"(?<=-)[a-z]\w{5}(?=-\d\b)", "<set>"), (r"\.\w+(?=\.db\.example\.org)", ".<project>"),
    (r" +\d+(\.\d)? s\b", "  <seconds>"), (r"[⠋⠙⠹⠸⠼⠴⠦⠧] (\S+) .*", r"⠋ \1"), (r"[█░]+ +\d+%", "<bar>"), (r"(?:(?:FLEX|M\d+), )+M\d+…?", "<sizes>"),
    (r" {2,}", "  "))]


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
class Shell(Terminal):
    """bash in a terminal, on the machine that `words` lead to, and what is on its screen. Who sits there (`person`) has a home
    and an environment; `ends` is a file that the shell writes, at `seen_at` for the shell itself when that is another place."""

    def __init__(self, person, words, ends, answers, timeout=240, seen_at=None):
        self.ends, self.answers, self.screen = ends, answers, Screen()
        self.begun, self.frames = 0, []  # of the command that runs: its line on the screen, and what was seen of its bar
        super().__init__(person, *words, columns=120, timeout=timeout * PATIENCE, PROMPT_COMMAND="echo $? >> " + (seen_at or ends))
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
    """A page of which one terminal is typed into, and a second one where it says so."""

    def __init__(self, suite, page, values, others, first, second, secrets_):
        """`values` are for the page's first block; `others` of a run stand for what the page shows."""
        self.suite, self.first, self.second, self.secrets = suite, first, second, secrets_
        self.values, self.blocks = values, blocks_of(page)
        self.of_page = assignments(self.blocks[0][1])
        suite.equal(sorted(self.of_page), sorted(self.values), "values that the page asks for")
        self.theirs = {**{self.values[name]: self.of_page[name] for name in self.values}, **others}
        longest_first = sorted(self.theirs, key=len, reverse=True)
        self.ours = re.compile(r"(?<![\w/])(?:%s)(?!\w)" % "|".join(map(re.escape, longest_first)))
        self.transcript = []

    def as_on_page(self, line):
        """What a run has shown, with the values of the page."""
        return self.ours.sub(lambda found: self.theirs[found[0]], line)

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
                shell.begin(text)  # and it stays there; on a slow machine nobody goes on before it says that it has begun
                shell.wait_for(lambda: "Ctrl-C ends it" in shell.screen.text(shell.begun), text.strip())
            elif language == "sh":
                self.type(text)
        self.suite.equal(len(self.second.statuses()), 2, "prompts of the second terminal: the page shows what is seen there")
        for shell in (self.first, self.second):
            self.suite.check(not any(secret in shell.raw for secret in self.secrets), "secrets are not shown")

    def end_second(self):
        self.second.press("\x03")
        self.second.wait_for(lambda: self.second.ended() == 2, "the prompt behind Ctrl-C")
        self.suite.equal(self.second.statuses()[-1], "130", "status of the command that Ctrl-C ended")

    def close(self):
        for shell in (self.first, self.second):
            shell.__exit__()

    def record(self, own_values=False):
        """What was on the terminals; with values of the page, unless those of the run are wanted."""
        parts = ["---- first terminal", self.first.screen.text(), *self.transcript, "---- second terminal", self.second.screen.text()]
        lines = "\n".join(parts).splitlines()
        return "\n".join(lines if own_values else map(self.as_on_page, lines)) + "\n"
