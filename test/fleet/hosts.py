# SPDX-License-Identifier: Apache-2.0
"""Hosts: Debian 13 with its own systemd in a container, the files of the image below a layer of its own.

What a host writes stays in STATE/hosts/NAME/upper and is there after kill and boot, as a disk is. systemd-nspawn is not
registered anywhere: the container's name, its cgroup and its mount carry the fleet's id, which is all that `down` needs.
"""
import contextlib
import os
import signal
import subprocess
import time

import container
import network
from container import CGROUPS
from patience import patient
from state import Problem, wait_until


def folder(fleet, name, *parts):
    return fleet.path("hosts", name, *parts)


def mounts(prefix):
    """Mount points of overlays that carry the prefix, the last one first."""
    with open("/proc/self/mounts") as file:
        rows = [line.split() for line in file]
    return [row[1] for row in reversed(rows) if row[2] == "overlay" and row[0].startswith(prefix)]


def create(fleet, name, image):
    """The host's disk. Nothing runs yet."""
    container.mount(fleet.prefix + name, image, folder(fleet, name))
    os.makedirs(folder(fleet, name, "root", "etc"), exist_ok=True)
    with open(folder(fleet, name, "root", "etc", "hosts"), "w") as file:
        file.write("127.0.0.1 localhost\n%s %s\n" % (fleet.host(name)["address"], name))


def write_file(fleet, name, path, content, mode=0o644):
    """Before the host boots, or while it runs: it is the same file."""
    full = folder(fleet, name, "root") + path
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w") as file:
        file.write(content)
    os.chmod(full, mode)


def start(fleet, name):
    """Powers the host on; returns before it has booted."""
    if init_pid(fleet, name):
        raise Problem("%s is running" % name)
    host = fleet.host(name)
    network.add_addresses(fleet, name, [host["address"]])
    network.heal(fleet, name)
    process = container.boot(fleet.prefix + name, folder(fleet, name), name,
                             ["--capability=CAP_NET_ADMIN", "--network-namespace-path=" + network.path(fleet, name),
                              "--bind-ro=%s:/opt/reeve" % fleet.build, *container.loop_devices(), *container.tunnel_device()])
    with open(folder(fleet, name, "nspawn.pid"), "w") as file:
        file.write(str(process.pid))
    return process


def nspawn_pid(fleet, name):
    """Of the process that holds the container, if it is still that one."""
    try:
        with open(folder(fleet, name, "nspawn.pid")) as file:
            pid = int(file.read())
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            words = file.read()
        # None for a moment: the program is being changed for another one.
        return pid if ("--machine=" + fleet.prefix + name).encode() in words or (not words and not is_zombie(pid)) else None
    except (FileNotFoundError, ValueError, ProcessLookupError):
        return None


def init_pid(fleet, name):
    """Process 1 of the host as this machine sees it; None when the host is off."""
    holder = nspawn_pid(fleet, name)
    if holder is None:
        return None
    return container.init_pid(holder)


def command(fleet, name, arguments):
    pid = init_pid(fleet, name)
    if pid is None:
        raise Problem("%s is not running" % name)
    return container.command(pid, arguments)


def run(fleet, name, *arguments, check=True, **options):
    result = subprocess.run(command(fleet, name, arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False, **patient(options))
    if check and result.returncode != 0:
        raise Problem("%s on %s: %s" % (" ".join(arguments), name, (result.stderr or result.stdout).strip()))
    return result.stdout


def unit_pid(fleet, name, unit):
    """The main process of a unit as this machine sees it: of those in its cgroup, the child of process 1."""
    pid = init_pid(fleet, name)
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        with open(os.path.join(CGROUPS, fleet.prefix + name, "payload/system.slice", unit, "cgroup.procs")) as file:
            for one in file.read().split():
                with open("/proc/%s/status" % one) as status:
                    if "\nPPid:\t%d\n" % pid in status.read():
                        return int(one)
    return None


def state(fleet, name):
    """systemd's word: running, degraded, starting …, also when it has no time to say so; `off` when there is no process 1."""
    try:
        return run(fleet, name, "systemctl", "is-system-running", check=False, timeout=10).strip() or "starting"
    except subprocess.TimeoutExpired:
        return "starting"
    except Problem:
        return "off"


def wait_booted(fleet, name, seconds=180):
    """Booted is when the host has done all that its units ask for; `degraded` too, and it says which failed."""
    def booted():
        word = state(fleet, name)
        if word == "off" and nspawn_pid(fleet, name) is None:
            raise Problem("%s ended while it booted; see %s" % (name, folder(fleet, name, "console.log")))
        return word if word in ("running", "degraded") else None
    word = wait_until(booted, name + " boots", seconds)
    if word == "degraded":
        failed = run(fleet, name, "systemctl", "list-units", "--failed", "--plain", "--no-legend")
        raise Problem("%s has units that failed:\n%s" % (name, failed))


def kill(fleet, name):
    """Power-off: from one moment to the next nothing of the host is there, neither on the network nor as a process."""
    pid = init_pid(fleet, name)
    holder = nspawn_pid(fleet, name)
    network.cut(fleet, name)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: holder is None or not os.path.exists("/proc/%d/ns/net" % holder) or is_zombie(holder),
               name + " is off", 20, every=0.01)
    network.flush_addresses(fleet, name)


def is_zombie(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def holders(prefix):
    """Every systemd-nspawn of the fleet, found by the name of its machine."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                with open("/proc/%s/cmdline" % entry, "rb") as file:
                    words = file.read().split(b"\0")
                if words[0].endswith(b"systemd-nspawn") and any(w.startswith(b"--machine=" + prefix.encode()) for w in words):
                    found.append(int(entry))
    return found


def down(prefix):
    """After network.down: no process of a host is left, only the ones that held them, mounts and cgroups."""
    end = time.monotonic() + 20
    while (left := holders(prefix)) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    for point in mounts(prefix):
        wait_until(lambda: subprocess.run(["umount", point], capture_output=True, check=False).returncode == 0,
                   "unmounting " + point, 20)
    remove_cgroups(prefix)


def remove_cgroups(prefix):
    groups = [os.path.join(CGROUPS, entry) for entry in os.listdir(CGROUPS) if entry.startswith(prefix)]
    for group in groups:
        for below, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(FileNotFoundError):
                wait_until(lambda: remove_empty(below), "removing " + below, 10)


def remove_empty(cgroup_folder):
    try:
        os.rmdir(cgroup_folder)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True
