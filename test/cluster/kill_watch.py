# SPDX-License-Identifier: Apache-2.0
"""What tests need that kill something in the middle of an operation: where it is, seen from outside without disturbing it (processes of units, files of hosts,
the control database), and who is killed.

Some steps are over before anybody could see them. Every host and worker sleeps there for a moment: SLOW are fail points of the same programs that operators run."""
import contextlib
import json
import os
import re
import signal
import threading

import psycopg2
from container import CGROUPS

import control
import hosts
import process
from state import Problem, wait_until

AGENTS = ["agent:drill:clear:before", "agent:export:clear:before", "agent:restore:move:before", "agent:restore:data:before", "agent:restore:clean:before",
          "agent:gate:start:before", "agent:gate:remove-folder:before"]
# Of units, by the beginning of their names: systemd reads what is in "<beginning>.service.d" for all of them.
UNITS = {"reeve-backup-": ["keep:backup:before", "keep:backup:after", "keep:remove:before", "keep:remove:after"], "reeve-drill-": ["drill:recover:after"],
         "reeve-export-": ["export:dump:before", "export:upload:after-manifest"], "reeve-member-": ["restore:recover:after"]}
SHORT_STEPS = ("open-gate", "replace-lost", "stop", "build", "apply", "publish-names", "new-history", "clean", "finish")
WORKERS = ["job:cluster.restore:%s:before-effect" % step for step in SHORT_STEPS]
SLEEP_MS = 700


def slow(places):
    return "REEVE_FAILPOINTS=" + ",".join("%s=sleep:%d" % (place, SLEEP_MS) for place in places)


class Watch:
    """Looks, and kills."""

    def __init__(self, fleet):
        if fleet.packages:
            raise Problem("workers are killed by their process: use a fleet of the build tree")
        self.fleet, self.lock, self.local, self.turn = fleet, threading.Lock(), threading.local(), 0

    def slow_down(self):
        """Hosts and workers begin anew, and sleep where a step would be too short to be seen."""
        for name in self.fleet.hosts:
            for unit, places in {"reeve-agent": AGENTS, **UNITS}.items():
                hosts.write_file(self.fleet, name, "/etc/systemd/system/%s.service.d/slow.conf" % unit, "[Service]\nEnvironment=%s\n" % slow(places))
            hosts.run(self.fleet, name, "sh", "-c", "systemctl daemon-reload; systemctl restart reeve-agent")
        for name in control.WORKERS:
            known = process.record(self.fleet, name)
            process.stop(self.fleet, name, seconds=10)
            process.start(self.fleet, name, known["machine"], known["arguments"], environment=dict([slow(WORKERS).split("=", 1)]))

    # ---- Where it is ----
    def processes(self, host, unit, *words):
        """[process] of the units whose name matches, with these words in their command lines."""
        found, top = [], os.path.join(CGROUPS, self.fleet.prefix + host, "payload/system.slice")
        for name in os.listdir(top):
            if not re.fullmatch(unit, name):
                continue
            with contextlib.suppress(OSError):
                with open(os.path.join(top, name, "cgroup.procs"), encoding="ascii") as file:
                    found += [pid for pid in map(int, file.read().split()) if all(word in command_line(pid) for word in words)]
        return found

    def path(self, host, path):
        return hosts.folder(self.fleet, host, "root") + path

    def text(self, host, path):
        try:
            with open(self.path(host, path), encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def document(self, host, path):
        try:
            return json.loads(self.text(host, path)) or {}
        except ValueError:
            return {}

    def entries(self, host, path):
        try:
            return sorted(os.listdir(self.path(host, path)))
        except OSError:
            return []

    def sql(self, query, *values):
        """Asked again and again: each thread has a connection of its own."""
        if not hasattr(self.local, "cursor"):
            connection = psycopg2.connect("host=%s user=postgres dbname=reeve" % self.fleet.path("postgres"))
            connection.autocommit = True
            self.local.cursor = connection.cursor()
        self.local.cursor.execute(query, values)
        return self.local.cursor.fetchall()

    # ---- Who is killed ----
    def kill_worker(self, pid=None):
        """That one, or whose turn it is. Whoever looks after it starts it again; the other one goes on with its jobs when their lease has run out."""
        with self.lock:
            self.turn += 1
            name = next((one for one in control.WORKERS if process.pid_of(self.fleet, one) == pid), control.WORKERS[self.turn % len(control.WORKERS)])
            end(process.pid_of(self.fleet, name))
            wait_until(lambda: process.pid_of(self.fleet, name) is None, "%s is gone" % name, 10, every=0.01)
            process.again(self.fleet, name)

    def kill_agent(self, host):
        """systemd starts it again after a second."""
        end(hosts.unit_pid(self.fleet, host, "reeve-agent.service"))


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def end(pid):
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
