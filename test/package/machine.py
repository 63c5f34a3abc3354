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
import tempfile
import time

CGROUPS = next((folder for folder in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup") if os.path.exists(folder + "/cgroup.procs")), None)
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Network:
    """A switch with a cable to each of the machines: network namespaces, apart from this machine's own network."""

    def __init__(self, addresses):
        self.addresses, self.prefix = addresses, "reeve-lan-%d-" % os.getpid()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

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

    def path(self, name):
        return "/run/netns/" + self.prefix + name

    def command(self, name, words):
        """A command line that runs in the network of a machine, with the files of this one."""
        return ["nsenter", "--net=" + self.path(name), "--", *words]

    def stop(self):
        for name in ("switch", *self.addresses):
            subprocess.run(["ip", "netns", "delete", self.prefix + name], check=False, stderr=subprocess.DEVNULL)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Machine:
    def __init__(self, image, name, network=None):
        self.image, self.name = image, "reeve-machine-%d-%s" % (os.getpid(), name)
        self.network = "--network-namespace-path=" + network if network else "--private-network"
        self.folder = tempfile.mkdtemp(prefix=self.name + ".")
        self.root = os.path.join(self.folder, "root")
        self.holder = None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for part in ("upper", "work", "root"):
            os.makedirs(os.path.join(self.folder, part))
        subprocess.run(["mount", "-t", "overlay", self.name, "-o", "lowerdir=%s,upperdir=%s/upper,workdir=%s/work" % (self.image, self.folder, self.folder),
                        self.root], check=True)
        # A cgroup of its own: systemds that share one would end each other's units of the same name.
        group = os.path.join(CGROUPS, self.name)
        os.makedirs(group, exist_ok=True)
        nspawn = ["systemd-nspawn", "--quiet", "--directory=" + self.root, "--machine=" + self.name[-60:], "--hostname=reeve", "--register=no", "--keep-unit",
                  "--link-journal=no", "--console=pipe", "--resolv-conf=off", "--timezone=off", self.network, "--boot"]
        with open(os.path.join(self.folder, "console.log"), "w", encoding="utf-8") as log:
            self.holder = subprocess.Popen(["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', group, *nspawn],
                                           env={"PATH": os.environ["PATH"], "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}, stdin=subprocess.DEVNULL,
                                           stdout=log, stderr=log, start_new_session=True, cwd="/")
        deadline = time.monotonic() + 120
        while self.word() not in ("running", "degraded"):
            if self.holder.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the machine does not boot: " + self.console())
            time.sleep(0.3)
        return self

    def console(self):
        with open(os.path.join(self.folder, "console.log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-4000:]

    def word(self):
        """systemd's word for its state."""
        with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
            return self.run("systemctl", "is-system-running", check=False, timeout=10).stdout.strip()
        return "off"

    def init_pid(self):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open("/proc/%d/task/%d/children" % (self.holder.pid, self.holder.pid), encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    with open("/proc/%d/status" % child, encoding="ascii", errors="replace") as status:
                        ids = next(line for line in status if line.startswith("NSpid:")).split()
                    if ids[-1] == "1" and len(ids) > 2:
                        return child
        raise AssertionError("the machine is off: " + self.console())

    def run(self, *words, check=True, **options):
        command = ["nsenter", "-t", str(self.init_pid()), "-m", "-p", "-n", "-u", "-i", "-C", "--", "env", "-i", "HOME=/root", "LANG=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", "PATH=" + PATH, *words]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)
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
        for folder, _, _ in os.walk(os.path.join(CGROUPS or "", self.name), topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
