# SPDX-License-Identifier: Apache-2.0
"""A machine to install packages on: Debian with a systemd of its own in a container, with a loopback network and nothing else.

    with Machine(image.path(), "a") as machine:
        machine.run("systemctl", "status")

What it writes goes to a layer above the image, and is gone at the end. Several that talk with each other are in one Network:

    with Network({"a": "10.0.0.1", "b": "10.0.0.2"}) as network, Machine(image.path(), "a", network.path("a")) as machine:
        subprocess.run(network.command("b", ["ping", "-c1", "10.0.0.1"]))
"""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fleet"))
import container  # noqa: E402
from patience import PATIENCE, patient  # noqa: E402


def wait(question, seconds=20):
    """Whether it comes true in time."""
    deadline = time.monotonic() + seconds * PATIENCE
    while not question():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Started:
    """Something that `start` makes and `stop` takes away, also what was half made."""

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()


class Network(Started):
    """A switch with a cable to each of the machines: network namespaces, apart from this machine's own network."""

    def __init__(self, addresses):
        self.addresses, self.prefix = addresses, "reeve-lan-%d-" % os.getpid()

    def start(self):
        switch = self.prefix + "switch"
        ip("netns", "add", switch)
        ip("-n", switch, "link", "add", "br0", "type", "bridge")
        ip("-n", switch, "link", "set", "br0", "up")
        for name, address in self.addresses.items():
            own = self.prefix + name
            ip("netns", "add", own)
            ip("-n", switch, "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", own)
            ip("-n", switch, "link", "set", "dev", name, "master", "br0", "up")
            ip("-n", own, "addr", "add", address + "/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", own, "link", "set", device, "up")
        return self

    def unplug(self, name):
        """Nothing gets through any more, and nobody is told."""
        ip("-n", self.prefix + "switch", "link", "set", "dev", name, "down")

    def plug(self, name):
        """With nothing left of what programs set up: as after a reboot."""
        own = self.prefix + name
        ip("-n", own, "addr", "flush", "dev", "eth0")
        ip("-n", own, "addr", "add", self.addresses[name] + "/24", "dev", "eth0")
        subprocess.run(self.command(name, ["nft", "flush", "ruleset"]), check=True)
        ip("-n", self.prefix + "switch", "link", "set", "dev", name, "up")

    def path(self, name):
        return "/run/netns/" + self.prefix + name

    def command(self, name, words):
        """A command line that runs in the network of a machine, with the files of this one."""
        return ["nsenter", "--net=" + self.path(name), "--", *words]

    def stop(self):
        for name in ("switch", *self.addresses):
            subprocess.run(["ip", "netns", "delete", self.prefix + name], check=False, stderr=subprocess.DEVNULL)


class Machine(Started):
    def __init__(self, image, name, network=None, hostname="reeve", options=()):
        """`options` are systemd-nspawn's: what this machine may do beside the usual."""
        self.image, self.name = image, "reeve-machine-%d-%s" % (os.getpid(), name)
        self.hostname, self.options = hostname, options
        self.network = "--network-namespace-path=" + network if network else "--private-network"
        self.folder = tempfile.mkdtemp(prefix=self.name + ".")
        self.root = os.path.join(self.folder, "root")
        self.holder = None

    def start(self):
        container.mount(self.name, self.image, self.folder)
        self.holder = container.boot(self.name, self.folder, self.hostname, [self.network, *self.options])
        if not wait(self.is_booted, 120):
            raise AssertionError("the machine does not boot: " + self.console())
        return self

    def power_off(self):
        """As a power failure does it: nothing is stopped, the disk is what it is."""
        os.kill(self.init_pid(), signal.SIGKILL)
        self.holder.wait(20)

    def power_on(self):
        """Returns before it has booted."""
        self.holder = container.boot(self.name, self.folder, self.hostname, [self.network, *self.options])

    def is_booted(self):
        if self.holder.poll() is not None:
            raise AssertionError("the machine ended while it booted: " + self.console())
        return self.word() in ("running", "degraded")

    def console(self):
        with open(os.path.join(self.folder, "console.log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-4000:]

    def word(self):
        """systemd's word for its state."""
        with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
            return self.run("systemctl", "is-system-running", check=False, timeout=10).stdout.strip()
        return "off"

    def init_pid(self):
        pid = container.init_pid(self.holder.pid)
        if pid is not None:
            return pid
        raise AssertionError("the machine is off: " + self.console())

    def run(self, *words, check=True, **options):
        command = container.command(self.init_pid(), words, "DEBIAN_FRONTEND=noninteractive")
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **patient(options))
        if check and done.returncode != 0:
            raise AssertionError("%s: %s%s" % (" ".join(words), done.stdout, done.stderr))
        return done

    def shell(self, text, **options):
        return self.run("bash", "-euo", "pipefail", "-c", text, **options)

    def put(self, path, target):
        shutil.copy(path, self.root + target)

    def stop(self):
        if self.holder is not None and self.holder.poll() is None:
            with contextlib.suppress(AssertionError, ProcessLookupError):
                os.kill(self.init_pid(), signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.holder.wait(20)
            if self.holder.poll() is None:
                self.holder.kill()
                self.holder.wait()
        subprocess.run(["umount", "--lazy", self.root], check=False, stderr=subprocess.DEVNULL)
        for folder, _, _ in os.walk(os.path.join(container.CGROUPS or "", self.name), topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
