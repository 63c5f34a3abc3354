# SPDX-License-Identifier: Apache-2.0
"""Debian with a systemd of its own in a container: the files of an image below a layer of its own, a cgroup of its own, and commands
inside. Hosts of a fleet and machines that packages are installed on are made of this.

systemd-nspawn is not registered anywhere: whoever starts one finds it again by its name.
"""
import contextlib
import os
import stat
import subprocess

CGROUPS = next((folder for folder in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup") if os.path.exists(folder + "/cgroup.procs")), None)
LOOP_DEVICES = 64  # of the machine, shared by all containers on it
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def mount(name, image, folder):
    """The disk: the image as it is seen in FOLDER/root, and what is written there in FOLDER/upper. Nothing runs yet."""
    for part in ("upper", "work", "root"):
        os.makedirs(os.path.join(folder, part))
    subprocess.run(["mount", "-t", "overlay", name, "-o", "lowerdir=%s,upperdir=%s/upper,workdir=%s/work" % (image, folder, folder),
                    os.path.join(folder, "root")], check=True)


def loop_devices():
    """Options that let it in to the machine's loop devices, of which volumes are made, and to how much of theirs may be unwritten, as on a machine
    of its own. The kernel makes one when its node is opened."""
    if not os.path.exists("/dev/loop-control"):
        return []
    for number in range(LOOP_DEVICES):
        with contextlib.suppress(FileExistsError):
            os.mknod("/dev/loop%d" % number, stat.S_IFBLK | 0o660, os.makedev(7, number))
    bounds = "/sys/devices/virtual/bdi"
    return ["--bind=/dev/loop-control", *(["--bind=" + bounds] if os.path.isdir(bounds) else []), *("--bind=/dev/loop%d" % number for number in range(LOOP_DEVICES))]


def tunnel_device():
    """Options that let it in to the device that wireguard-go makes tunnels of, where the kernel has no module for them."""
    return ["--bind=/dev/net/tun"] if os.path.exists("/dev/net/tun") else []


def boot(name, folder, hostname, options):
    """Powers it on and returns before it has booted: the process that holds it. What it says goes to FOLDER/console.log."""
    # A cgroup of its own: systemds that share one would end each other's units of the same name.
    group = os.path.join(CGROUPS, name)
    os.makedirs(group, exist_ok=True)
    nspawn = ["systemd-nspawn", "--quiet", "--directory=" + os.path.join(folder, "root"), "--machine=" + name, "--hostname=" + hostname, "--register=no",
              "--keep-unit", "--link-journal=no", "--console=pipe", "--resolv-conf=off", "--timezone=off", *options, "--boot"]
    with open(os.path.join(folder, "console.log"), "a", encoding="utf-8") as log:
        return subprocess.Popen(["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', group, *nspawn],
                                env={"PATH": os.environ["PATH"], "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/")


def init_pid(holder):
    """Process 1 of it as this machine sees it; None when it is off."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        with open("/proc/%d/task/%d/children" % (holder, holder), encoding="ascii") as file:
            for child in map(int, file.read().split()):
                with open("/proc/%d/status" % child, encoding="ascii", errors="replace") as status:
                    ids = next(line for line in status if line.startswith("NSpid:")).split()
                if ids[-1] == "1" and len(ids) > 2:
                    return child
    return None


def command(pid, arguments, *environment):
    """A command line that runs inside, given its process 1."""
    return ["nsenter", "-t", str(pid), "-m", "-p", "-n", "-u", "-i", "-C", "--", "env", "-i", "HOME=/root", "LANG=C.UTF-8", *environment,
            "PATH=" + PATH, *arguments]
