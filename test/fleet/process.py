# SPDX-License-Identifier: Apache-2.0
"""Processes of the control side: started in a machine's network, known by name, ended by their own id.

What is written down is the process's id and when it began, so that an id that the kernel gave to somebody else since is
never taken for ours. Output goes to STATE/log/NAME.log.

What is a unit of a package (control_node.py) is started and stopped by the systemd of its machine instead, under the same names.
"""
import json
import os
import signal
import subprocess

import hosts
import network
from state import Problem, wait_until


def record_path(fleet, name):
    return fleet.path("run", name + ".json")


def log_path(fleet, name):
    return fleet.path("log", name + ".log")


def began(pid):
    """When the process began, in ticks since boot; None when there is none, or only what its parent did not collect yet."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[19])


def start(fleet, name, machine, arguments, user=None, environment=None):
    if pid_of(fleet, name):
        raise Problem("%s is running" % name)
    os.makedirs(fleet.path("run"), exist_ok=True)
    os.makedirs(fleet.path("log"), exist_ok=True)
    if user:
        arguments = ["setpriv", "--reuid=" + user, "--regid=" + user, "--init-groups", "--", *arguments]
    with open(log_path(fleet, name), "a") as log:
        process = subprocess.Popen(network.command(fleet, machine, arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True, cwd="/", env={**os.environ, **(environment or {})})
    command = {"pid": process.pid, "began": began(process.pid), "machine": machine, "arguments": arguments,
               "environment": environment or {}}
    with open(record_path(fleet, name), "w") as file:
        json.dump(command, file)
    return process.pid


def start_unit(fleet, name, machine, unit):
    os.makedirs(fleet.path("run"), exist_ok=True)
    with open(record_path(fleet, name), "w") as file:
        json.dump({"unit": unit, "machine": machine}, file)
    hosts.run(fleet, machine, "systemctl", "start", unit)


def record(fleet, name):
    try:
        with open(record_path(fleet, name)) as file:
            return json.load(file)
    except FileNotFoundError:
        raise Problem("there is no process %s; there are %s" % (name, ", ".join(names(fleet)))) from None


def names(fleet):
    folder = fleet.path("run")
    return sorted(entry[:-5] for entry in os.listdir(folder) if entry.endswith(".json")) if os.path.isdir(folder) else []


def pid_of(fleet, name):
    if not os.path.exists(record_path(fleet, name)):
        return None
    known = record(fleet, name)
    if "unit" in known:
        return hosts.unit_pid(fleet, known["machine"], known["unit"])
    return known["pid"] if known["began"] is not None and began(known["pid"]) == known["began"] else None


def again(fleet, name):
    """Starts what was stopped, as it was started before."""
    known = record(fleet, name)
    if "unit" in known:
        return start_unit(fleet, name, known["machine"], known["unit"])
    return start(fleet, name, known["machine"], known["arguments"], environment=known["environment"])


def stop(fleet, name, how=signal.SIGTERM, seconds=20):
    """Asks, waits, and then does not ask."""
    pid = pid_of(fleet, name)
    known = record(fleet, name) if pid else {}
    if pid is None:
        return
    if "unit" in known:  # its ExecStop, its signal
        hosts.run(fleet, known["machine"], "systemctl", "stop", "--no-block", known["unit"])
    else:
        os.kill(pid, how)
    try:
        wait_until(lambda: pid_of(fleet, name) is None, name + " ends", seconds, every=0.05)
    except Problem:
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: pid_of(fleet, name) is None, name + " ends when it is killed", 10, every=0.05)


def wait_ready(fleet, name, condition, seconds):
    """Until `condition` holds; says at once when the process ended instead."""
    def ready():
        if pid_of(fleet, name) is None:
            raise Problem("%s ended at once:\n%s" % (name, tail(fleet, name)))
        return condition()
    wait_until(ready, name + " is ready", seconds, every=0.05)


def tail(fleet, name, lines=15):
    with open(log_path(fleet, name), errors="replace") as file:
        return "".join(file.readlines()[-lines:]).rstrip()
