# SPDX-License-Identifier: Apache-2.0
"""The network of a fleet: a switch and a namespace for every machine. The machine's own network is not touched.

The switch is a bridge in a namespace of its own with one port a machine. Cutting a machine off takes its port out of the
bridge: its link stays up and its packets go nowhere, which is harder to notice than a pulled cable.
"""
import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import time

from state import CLIENT, CONTROL, ETCD, NETWORK, Problem

CLONE_NEWNET = 0x40000000


def ip(*arguments, batch=None):
    result = subprocess.run(["ip", *arguments], input=batch, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Problem("ip %s: %s" % (" ".join(arguments), result.stderr.strip()))
    return result.stdout


def namespace(fleet, machine):
    return fleet.prefix + machine


def path(fleet, machine):
    return "/run/netns/" + namespace(fleet, machine)


def machines(fleet):
    """Every machine with a namespace, and its addresses."""
    plan = {"control": list(CONTROL.values())}
    plan.update({name: [address] for name, address in {**ETCD, **CLIENT}.items()})
    plan.update({name: [host["address"]] for name, host in fleet.hosts.items()})
    return plan


def up(fleet):
    switch = namespace(fleet, "switch")
    ip("netns", "add", switch)
    ip("-n", switch, "-batch", "-", batch="link set lo up\nlink add br0 type bridge\nlink set br0 up\n")
    for machine, addresses in machines(fleet).items():
        own = namespace(fleet, machine)
        ip("netns", "add", own)
        ip("-n", switch, "link", "add", machine, "type", "veth", "peer", "name", "eth0", "netns", own)
        ip("-n", switch, "-batch", "-", batch="link set {0} master br0\nlink set {0} up\n".format(machine))
        ip("-n", own, "-batch", "-", batch="link set lo up\nlink set eth0 up\n")
        add_addresses(fleet, machine, addresses)
    for client in CLIENT:  # where `ip netns exec` finds its resolver
        folder = "/etc/netns/" + namespace(fleet, client)
        os.makedirs(folder, exist_ok=True)
        with open(folder + "/resolv.conf", "w") as file:
            file.write("nameserver %s\noptions timeout:1 attempts:2\n" % CONTROL["control1"])


def add_addresses(fleet, machine, addresses):
    batch = "".join("addr replace %s/%d dev eth0\n" % (address, NETWORK.prefixlen) for address in addresses)
    ip("-n", namespace(fleet, machine), "-batch", "-", batch=batch)


def flush_addresses(fleet, machine):
    """What a power-off does to addresses that members had; the machine's own come back when it boots."""
    ip("-n", namespace(fleet, machine), "addr", "flush", "dev", "eth0")


def nft(fleet, machine, rules):
    """A host has rules of its own by its agent, and nft of an older Debian ends with a fault when it meets sets of a newer one: each uses its own."""
    root = fleet.path("hosts", machine, "root")
    own = ["chroot", root] if os.path.exists(root + "/usr/sbin/nft") else []
    subprocess.run(command(fleet, machine, [*own, "nft", "-f", "-"]), input=rules, text=True, check=True)


def cut(fleet, machine, only=None):
    """Both ways, or `only` what comes "in" or what goes "out"; what the machine says to itself is never cut."""
    if only is None:
        ip("-n", namespace(fleet, "switch"), "link", "set", machine, "nomaster")
        return
    hook, interface = {"in": ("input", "iif"), "out": ("output", "oif")}[only]
    rules = ("add table inet cut\nadd chain inet cut way { type filter hook %s priority 0; policy drop; }\n"
             "add rule inet cut way %s lo accept\n" % (hook, interface))
    nft(fleet, machine, rules)


def heal(fleet, machine):
    ip("-n", namespace(fleet, "switch"), "link", "set", machine, "master", "br0")
    forget = "table inet cut {}\ndelete table inet cut\n"
    nft(fleet, machine, forget)


def is_cut(fleet, machine):
    return " master br0 " not in ip("-n", namespace(fleet, "switch"), "link", "show", "dev", machine)


def command(fleet, machine, arguments):
    """A command line that runs in the machine's network with this machine's files."""
    return ["nsenter", "--net=" + path(fleet, machine), "--", *arguments]


def client_command(fleet, arguments, client="client"):
    """The same for a client, whose resolver is the fleet's PowerDNS."""
    return ["ip", "netns", "exec", namespace(fleet, client), *arguments]


@contextlib.contextmanager
def inside(fleet, machine):
    """Sockets that this thread opens meanwhile are in the machine's network, for as long as they live."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    there = os.open(path(fleet, machine), os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        try:
            yield
        finally:
            if libc.setns(before, CLONE_NEWNET) != 0:
                os._exit(70)  # nothing that runs in a network that it does not expect may go on
    finally:
        os.close(before)
        os.close(there)


def existing(prefix):
    with contextlib.suppress(FileNotFoundError):
        return [name for name in os.listdir("/run/netns") if name.startswith(prefix)]
    return []


def processes(name):
    """None in a namespace that another `down` removed meanwhile."""
    return [int(pid) for pid in ip("netns", "pids", name).split()] if os.path.exists("/run/netns/" + name) else []


def down(prefix):
    """Ends every process that is in a namespace with this prefix, then removes the namespaces."""
    names = existing(prefix)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        left = [pid for name in names for pid in processes(name)]
        if not left:
            break
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    for name in names:
        ip("netns", "delete", name)
    if os.path.isdir("/etc/netns"):
        for name in os.listdir("/etc/netns"):
            if name.startswith(prefix):
                shutil.rmtree("/etc/netns/" + name)


def known_prefixes():
    """Of every fleet that has a namespace now."""
    return sorted({match[1] for name in existing("reeve-") if (match := re.match(r"(reeve-[0-9a-f]{6}-)switch$", name))})

