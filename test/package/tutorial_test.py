#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The whole path of a new user, from nothing: machines with Debian and the packages, and the commands of docs/tutorial.md, then those of
docs/first-cluster.md, typed into terminals as they stand. Needs root.

  test/package/tutorial_test.py [--packages FOLDER] [--report FILE]

Machines are containers with a systemd of their own in a network of their own, which leads nowhere: what apt installs is in apt's cache
(image.py). Packages are built unless FOLDER, or REEVE_PACKAGES, has them. Which terminal a block is typed into is said in the line in front
of it; tokens and credentials are read from where they are shown and given where they are asked for, as a person does. Only the file that the
page says to copy is copied by this program. What was seen goes to FILE, with the time that each part took.
"""
import argparse
import concurrent.futures
import contextlib
import glob
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
for folder in ("api", "fleet", "cluster"):
    sys.path.insert(0, os.path.join(ROOT, "test", folder))
import container  # noqa: E402
import image  # noqa: E402
from machine import Machine, Network  # noqa: E402
from state import Problem  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402
from typed import BLOCK, PROMPTS, SHELL, Path, Shell, assignments, commands_of, masked  # noqa: E402

HOSTS = ["h1", "h2", "h3"]
ADDRESSES = {"control": "10.0.0.5", "h1": "10.0.0.11", "h2": "10.0.0.12", "h3": "10.0.0.13", "you": "10.0.0.20"}
PACKAGES = {"control": ["reeve-server", "reeve-console"], "you": ["reeve-cli"], **dict.fromkeys(HOSTS, ["reeve-agent"])}
PLACES = {"n the control machine:": ["control"], "n each host:": HOSTS, "n your machine:": ["you"]}
CLUSTER = "A cluster"  # the section that leads to the other page
AUTHORITY = "/etc/reeve/fleet/authority.pem"
WHOLE_S, CLUSTER_S = 900, 240  # after that somebody waits for what does not come
READ_PAGE = "import ssl, sys, urllib.request as u; print(u.urlopen(sys.argv[1], context=ssl.create_default_context(cafile='/root/authority.pem')).read().decode())"
SHOWN_LINES = 24  # of what one command printed, in the report


def read(page):
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        return file.read()


def machines_of(paragraph):
    """Where the block below it is typed; a line may end anywhere in the words that say it."""
    flowing = " ".join(paragraph.split())
    return next((names for words, names in PLACES.items() if flowing.endswith(words)), None)


def sections_of(page):
    """(title, [(machines or None, language, text)])"""
    for section in page.split("\n## ")[1:]:
        title, _, rest = section.partition("\n")
        blocks = [(machines_of(before), language, text) for before, language, text in BLOCK.findall(rest)]
        yield title, blocks


# ---- Machines and terminals ----
class Seat:
    """Somebody in front of a machine, as root."""
    program = "nsenter"

    def __init__(self, machine, home):
        self.machine, self.home = machine, home

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], **more}

    def shell(self, name, answers, timeout=WHOLE_S):
        ends = "/root/.%s.ends" % name
        environment = {**PROMPTS, "TERM": "xterm-256color", "DEBIAN_FRONTEND": "noninteractive", "PROMPT_COMMAND": "echo $? >> " + ends}
        words = container.command(self.machine.init_pid(), ["env", "--chdir=/root", *SHELL],
                                  *("%s=%s" % pair for pair in environment.items()))
        return Shell(self, words[1:], self.machine.root + ends, answers, timeout=timeout, seen_at=ends)


class Place:
    """Five machines in one network, with their packages and nothing else."""

    def __init__(self, stack, packages, say):
        self.network = stack.enter_context(Network(ADDRESSES))
        control, host = image.ensure(say, image.BARE_CONTROL), image.ensure(say, image.BARE_HOST)
        self.machines = {name: Machine(host if name in HOSTS else control, name, self.network.path(name), hostname=name,
                                       options=["--capability=CAP_NET_ADMIN"] if name in HOSTS else []) for name in ADDRESSES}
        for machine in self.machines.values():
            stack.callback(machine.stop)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda machine: machine.start(), self.machines.values()))
        for name, machine in self.machines.items():
            with open(machine.root + "/etc/hosts", "w", encoding="ascii") as file:
                file.write("127.0.0.1 localhost\n%s %s\n" % (ADDRESSES[name], name))
            with open(machine.root + "/etc/resolv.conf", "w", encoding="ascii") as file:
                file.write("nameserver 10.0.0.1\noptions timeout:1 attempts:1\n")  # as the network gave it; nobody is there
            for package in PACKAGES[name]:
                machine.put(glob.glob("%s/%s_*.deb" % (packages, package))[0], "/root/")


# ---- The walk ----
class Walk:
    def __init__(self, suite, place, home):
        self.suite, self.place, self.home = suite, place, home
        self.shells, self.tokens, self.credentials = {}, {}, {}
        self.lines, self.parts = [], []  # of the report
        self.at, self.seen_from = ["control"], {}

    def seat(self, name):
        return Seat(self.place.machines[name], self.home)

    def shell(self, name):
        if name not in self.shells:
            self.shells[name] = self.seat(name).shell("tutorial", {"^token: $": self.tokens.get(name, "")})
        return self.shells[name]

    def section(self, title, blocks):
        began = time.monotonic()
        self.lines += ["", "## " + title]
        for names, language, text in blocks:
            self.at = names or self.at
            if language == "text":
                for name in self.at:
                    self.expect(name, text)
            elif title == CLUSTER:
                self.cluster(assignments(text))
            else:
                for name, record in zip(self.at, self.type_on_all(text)):
                    self.lines += ["", "%s:" % name, "", "```text", *record, "```"]
                self.learn()
        self.parts.append((title, time.monotonic() - began))
        self.suite.say("%5.1f s  %s" % (time.monotonic() - began, title))

    def type_on_all(self, text):
        """Three hosts: a terminal for each, side by side."""
        if len(self.at) == 1:
            return [self.type(self.at[0], text)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            try:
                return list(pool.map(lambda name: self.type(name, text), self.at))
            except BaseException:
                self.close()  # the others' threads see it and end
                raise

    def type(self, name, text):
        """Lines of the report."""
        shell, record = self.shell(name), []
        self.seen_from[name] = len(shell.screen.seen)
        for command in commands_of(text):
            began = time.monotonic()
            status = shell.run(command)
            lines = [line.rstrip() for line in shell.screen.text(shell.begun).splitlines()]
            record += shortened(lines[:-1] if lines[-1] == "$" else lines)
            if not self.suite.check(status == 0, "status %s of `%s` on %s:\n%s", status, command.strip(), name, "\n".join(lines[-40:])):
                raise Problem("the page cannot be followed from here on" + self.why(name))
            if time.monotonic() - began > 1:
                self.suite.say("        %5.1f s  %s: %s" % (time.monotonic() - began, name, command.splitlines()[0]))
        return record

    def why(self, name):
        """What the machine itself says about its services."""
        done = self.place.machines[name].shell("test ! -e /etc/reeve/key || runuser -u reeve -- reeved jobs; systemctl --failed --no-legend --plain; journalctl --no-pager --lines 15 --unit 'reeve-*' "
                                               "--unit etcd --unit pdns --unit 'postgresql*'", check=False, timeout=20)
        return "; %s says:\n%s" % (name, done.stdout)

    def expect(self, name, text):
        shell = self.shell(name)
        seen = {masked(line) for line in shell.shown()[self.seen_from[name]:]}
        wanted = [masked(line.replace("h1", name)) for line in text.splitlines() if line.strip()]
        missing = [line for line in wanted if line not in seen]
        self.suite.check(not missing, "the page shows what was not seen on %s: %s\non the terminal:\n%s", name, missing, shell.screen.text(shell.begun))

    def learn(self):
        """What a person copies from one terminal to the other."""
        screen = self.shell("control").screen.text()
        self.tokens.update(re.findall(r"^Run this on (\S+) within.*?--token (\S+)", screen, re.M | re.S))
        self.credentials.update(re.findall(r"^(clientId|clientSecret|publicKey|privateKey) +(\S+)$", screen, re.M))

    # ---- The other page ----
    def cluster(self, values):
        shutil.copy(self.place.machines["control"].root + AUTHORITY, self.place.machines["you"].root + "/root/authority.pem")
        password, secret = secrets.token_urlsafe(12), self.credentials["clientSecret"]
        self.credentials["password"] = password
        answers = {"^client secret: $": secret, "^password: $": password, "^Password for user app: $": password}
        shells = [self.seat("you").shell(name, answers, CLUSTER_S) for name in ("first", "second")]
        self.shells.update(first=shells[0], second=shells[1])
        values["CLIENT_ID"] = self.credentials["clientId"]
        path = Path(self.suite, read("first-cluster.md"), values, {"/root": "/home/you"}, *shells, [secret, password])
        try:
            path.walk()
        except Problem as problem:
            raise Problem(str(problem) + "".join(map(self.why, ["control", *HOSTS]))) from None
        finally:
            self.lines += ["", "you, in two terminals; of the bar a frame for every change of its figure:",
                           "", "```text", *path.record(own_values=True).splitlines(), "```"]
        for name in HOSTS:
            left = self.place.machines[name].shell("ls /var/lib/reeve/members; pgrep --list-full 'patroni|postgres' || true").stdout.splitlines()
            self.suite.equal(left, [], "what is left on %s of a cluster that was deleted" % name)

    def close(self):
        for shell in self.shells.values():
            if shell.process.poll() is None:
                shell.process.kill()  # who reads there sees its end
                shell.process.wait()

    def report(self, times, whole):
        text = "\n".join(self.lines)
        for secret in [*self.tokens.values(), *(value for name, value in self.credentials.items() if name not in ("clientId", "publicKey"))]:
            text = text.replace(secret, "…")
        rows = ["| %s | %.0f s |" % row for row in [*times, *self.parts]]
        with open("/proc/meminfo", encoding="ascii") as file:
            memory = int(file.readline().split()[1]) / 1024 / 1024
        head = ["# The path of a new user, as it was walked", "",
                "`test/package/tutorial_test.py --report docs/reports/tutorial.md` wrote this: the commands of [From packages to a cluster](../tutorial.md) and",
                "[Ten minutes to a cluster](../first-cluster.md), typed into terminals of machines that had nothing on them but Debian, and what was seen there.",
                "Of long output the middle is left out. Secrets are shown as …. Hosts are joined side by side.", "",
                "All five machines were containers on one machine with %d processors and %.0f GB of memory, which did other work, too. apt found" % (os.cpu_count(), memory),
                "Debian's packages in its cache; Perl, Python and some large libraries were installed before.", "", "| part | took |", "|---|---|", *rows, "| **from the first command to the last** | **%.0f s** |" % whole]
        return "\n".join(head) + "\n" + text + "\n"


def shortened(lines):
    if len(lines) <= SHOWN_LINES:
        return lines
    half = SHOWN_LINES // 4
    return [*lines[:half], "[… %d lines …]" % (len(lines) - 2 * half), *lines[-half:]]


def build(options, folder, suite):
    """The folder with packages, and how long that took."""
    if options.packages:
        return options.packages, []
    began = time.monotonic()
    subprocess.run([os.path.join(ROOT, "script/build-packages"), folder], check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - began
    suite.say("%5.1f s  building the packages" % took)
    return folder, [("building the packages", took)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", default=os.environ.get("REEVE_PACKAGES"))
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("not run: machines need root")
        return 0
    ends_on_signal()
    suite, walk = Suite("tutorial"), None
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        packages, times = build(options, os.path.join(folder, "packages"), suite)
        try:
            began = time.monotonic()
            place = Place(stack, packages, suite.say)
            times.append(("five machines with Debian, from nothing", time.monotonic() - began))
            suite.say("%5.1f s  %s" % (times[-1][1], times[-1][0]))
            began = time.monotonic()
            walk = Walk(suite, place, folder)
            stack.callback(walk.close)
            for title, blocks in sections_of(read("tutorial.md")):
                if blocks:
                    walk.section(title, blocks)
            whole = time.monotonic() - began
            suite.say("%5.1f s  from the first command to the last" % whole)
            suite.check(whole < WHOLE_S, "the whole path took %.0f s", whole)
            done = place.machines["control"].shell("reeve-setup --address 10.0.0.5 --domain db.example.org", check=False, timeout=120)
            suite.check(done.returncode == 0 and "ok     hosts" in done.stdout, "reeve-setup once more: %s%s", done.stdout, done.stderr)
            page = place.machines["you"].run("python3", "-c", READ_PAGE, "https://10.0.0.5:8443/console/clusters", check=False).stdout
            suite.check('<script type="module" src="/console/main-' in page, "the console is there as soon as its package is: %s", page)
            if options.report and not suite.failures:
                with open(options.report, "w", encoding="utf-8") as file:
                    file.write(walk.report(times, whole))
        except (Problem, AssertionError) as problem:
            suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
