#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a shell as one member's system user tries against another member on the same host, and against the host (S2, S10).

A row is a name, a function that tries it, and how the wall that stands there is taken down: with that, the attack has to succeed, or it is
none. This file runs on the host, inside of the member's unit, so it imports nothing of the tests. Functions return what they got hold of, as a
sentence; None, or an error, is a wall that held.

    walls_attacks.py '{"victim": …}' NAME…      prints {"NAME": "what came through" or null, …}
"""
import ctypes
import glob
import json
import os
import signal
import socket
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
KEY = 0x52454556       # of the segment that stands for the victim's, in the host's own IPC namespace
NAME = "reeve-victim"  # of files, and of a message queue
LOOPBACK_PORT, HOST_PORT, IMPOSTER_PORT = 5555, 5556, 5557
PATRONI_PORT, POSTGRES_PORT = 8008, 5432


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def first_line(path):
    with open(path, "rb") as file:
        return "%s: %r" % (path, file.read(80))


def connect(address, port, seconds=2):
    with socket.create_connection((address, port), timeout=seconds):
        return "connected to %s:%d" % (address, port)


def connect_unix(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(2)
        one.connect(path)
        return "connected to " + path


# ---- Files ----
def data_by_path(facts):
    return first_line(facts["folder"] + "/data/PG_VERSION")


def data_by_proc(facts):
    return first_line("/proc/%d/root%s/data/PG_VERSION" % (facts["pid"], facts["folder"]))


def data_by_working_folder(facts):
    return first_line("/proc/%d/cwd/PG_VERSION" % facts["pid"])


def key_of_victim(facts):
    return first_line(facts["folder"] + "/tls/member.key")


def key_of_host(facts):
    return first_line("/var/lib/reeve/agent/host.key")


def goal_of_host(facts):
    return first_line("/var/lib/reeve/agent/goal.json")


def key_of_peering(facts):
    """With the private key of a tunnel somebody is the host to a tenant's network."""
    found = os.listdir("/var/lib/reeve/agent/peerings")
    return first_line("/var/lib/reeve/agent/peerings/%s/key" % found[0])


def image_of_victim(facts):
    return first_line("/var/lib/reeve/volumes/%s/data/data.img" % os.path.basename(facts["folder"]))


def disk_of_victim(facts):
    """A loop device, past the file system and its owners."""
    found = [path for path in glob.glob("/dev/loop[0-9]*") if os.path.exists("/sys/block/%s/loop" % os.path.basename(path))]
    return first_line(found[0]) if found else None


def names_of_members(facts):
    return "%d folders" % len(os.listdir("/var/lib/reeve/members")) if os.path.exists(facts["folder"]) else None


def temporary_files(facts):
    return first_line("/tmp/" + NAME)


def other_temporary_files(facts):
    return first_line("/var/tmp/" + NAME)


def journal(facts):
    found = [path for path in glob.glob("/var/log/journal/*/*") + glob.glob("/run/log/journal/*/*") if os.access(path, os.R_OK)]
    return "%d files of the journal" % len(found) if found else None


# ---- Processes ----
def command_lines(facts):
    return first_line("/proc/%d/cmdline" % facts["pid"])


def environment(facts):
    return first_line("/proc/%d/environ" % facts["pid"])


def own_pids():
    return {int(pid) for pid in os.listdir("/proc") if pid.isdigit()}


def list_of_processes(facts):
    return "process %d is there" % facts["pid"] if facts["pid"] in own_pids() else None


def cgroup(facts):
    return first_line("/sys/fs/cgroup/system.slice/%s/cgroup.procs" % facts["unit"])


def signals(facts):
    os.kill(facts["pid"], 0)
    return "may signal %d" % facts["pid"]


def signal_by_descriptor(facts):
    descriptor = os.pidfd_open(facts["pid"])
    signal.pidfd_send_signal(descriptor, 0)
    return "may signal %d" % facts["pid"]


def memory_map(facts):
    line = first_line("/proc/%d/maps" % facts["pid"])
    return line if not line.endswith("b''") else None


def memory(facts):
    with open("/proc/%d/maps" % facts["pid"]) as file:
        start = int(file.readline().split("-")[0], 16)
    with open("/proc/%d/mem" % facts["pid"], "rb", buffering=0) as file:
        file.seek(start)
        return "memory: %r" % file.read(16)


def memory_by_call(facts):
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    buffer = ctypes.create_string_buffer(16)
    here, there = Vector(ctypes.addressof(buffer), 16), Vector(facts["start"], 16)
    checked(LIBC.process_vm_readv(facts["pid"], ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
    return "memory: %r" % buffer.raw


def trace(facts):
    checked(LIBC.ptrace(0x4206, facts["pid"], None, None))  # PTRACE_SEIZE
    LIBC.ptrace(17, facts["pid"], None, None)
    return "traced %d" % facts["pid"]


# ---- Shared memory and queues ----
def system_v(facts):
    return "segment %d" % checked(LIBC.shmget(KEY, 0, 0))


def semaphores(facts):
    return "semaphores %d" % checked(LIBC.semget(KEY, 0, 0))


def posix_memory(facts):
    return first_line("/dev/shm/" + NAME)


def posix_queue(facts):
    with open("/dev/mqueue/" + NAME, "rb"):
        return "the queue is there"


# ---- Sockets ----
def socket_of_victim(facts):
    return connect_unix("%s/run/.s.PGSQL.%d" % (facts["folder"], POSTGRES_PORT))


def bus(facts):
    return connect_unix("/run/dbus/system_bus_socket")


def sockets_of_the_system(facts):
    for folder, _, files in os.walk("/run"):
        for name in files:
            try:
                return connect_unix(os.path.join(folder, name))
            except OSError:
                pass
    return None


def loopback(facts):
    return connect("127.0.0.1", LOOPBACK_PORT)


def loopback_elsewhere(facts):
    return connect("127.9.9.9", LOOPBACK_PORT)


def service_of_host(facts):
    return connect(facts["host"], HOST_PORT)


def patroni_of_victim(facts):
    return connect(facts["address"], PATRONI_PORT)


def other_port_of_victim(facts):
    return connect(facts["address"], HOST_PORT)


def imposter(facts):
    """Somebody on the host knocks at this address of the victim's all the time."""
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((facts["address"], IMPOSTER_PORT))
        door.listen()
        door.settimeout(4)
        one, _ = door.accept()
        one.close()
        return "took a connection for " + facts["address"]


def list_of_connections(facts):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as one:  # NETLINK_SOCK_DIAG
        request = struct.pack("=BBBxI48s", socket.AF_INET, socket.IPPROTO_TCP, 0, 0xffffffff, b"\xff" * 48)
        one.settimeout(2)
        one.send(struct.pack("=IHHII", 16 + len(request), 20, 0x301, 1, 0) + request)
        return "%d bytes about connections" % len(one.recv(65536))


# ---- The kernel ----
def user_namespace(facts):
    checked(LIBC.unshare(0x10000000))
    return "a user namespace"


def mount_namespace(facts):
    checked(LIBC.unshare(0x10000000 | 0x00020000))
    return "mounts of its own"


def locks(facts):
    return first_line("/proc/locks")


def raw_packets(facts):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW):
        return "raw packets"


# ---- What root uses of the attacker's own folder (S10) ----
def swap_folder_of_keys(facts):
    os.rename(facts["own"] + "/tls", facts["own"] + "/tls-away")
    os.rename(facts["own"] + "/tls-away", facts["own"] + "/tls")
    return "the folder that root writes keys into was swapped"


def swap_folder_of_sockets(facts):
    os.rename(facts["own"] + "/run", facts["own"] + "/run-away")
    os.rename(facts["own"] + "/run-away", facts["own"] + "/run")
    return "the folder that root connects in was swapped"


def own_rules(facts):
    with open(facts["own"] + "/pg_hba.conf", "a"):
        return "who may connect was written"


def own_configuration(facts):
    os.rename(facts["own"] + "/patroni.yml", facts["own"] + "/patroni.away")
    os.rename(facts["own"] + "/patroni.away", facts["own"] + "/patroni.yml")
    return "what Patroni reads was moved away"


def swap(facts, name):
    os.rename(facts["own"] + "/" + name, facts["own"] + "/away")
    os.rename(facts["own"] + "/away", facts["own"] + "/" + name)
    return name + " was moved away"


def own_larger_disk(facts):
    """What its disk could grow by: whoever can remove it has eight times what their cluster pays for."""
    return swap(facts, ".later")


def own_reserve(facts):
    return swap(facts, ".reserve")


# ---- The table. Taking a wall down is leaving out lines of the unit that begin so, and adding others; or a command as root before. ----
class Row:
    def __init__(self, attack, without=(), also=(), before=None, seccomp=False, plain=False):
        self.attack, self.without, self.also, self.before = attack, without, also, before
        self.plain = plain      # the victim's own user namespace is a wall, too: without it is a process of its user that has none
        self.seccomp = seccomp  # it is held by the filter of system calls, which nsenter does not bring along
        self.name = attack.__name__.replace("_", " ")


AS_VICTIM = ("User={victim_user}", "Group={victim_user}")
HIDDEN = ("TemporaryFileSystem=/var/lib/reeve", "BindPaths")
PROC = ("ProtectProc",)
CALLS = ("SystemCall", "RestrictNamespaces", "NoNewPrivileges", "RestrictAddressFamilies")
NO_RULES = "systemctl stop reeve-agent; nft delete table inet reeve"
OWN_FOLDER = "systemctl stop reeve-agent; chown {own_user} {own} {own}/*; chmod 0700 {own}"
ROWS = [
    Row(data_by_path, HIDDEN, AS_VICTIM),
    Row(data_by_proc, ("PrivateUsers", *PROC), AS_VICTIM, plain=True),
    Row(data_by_working_folder, ("PrivateUsers", *PROC), AS_VICTIM, plain=True),
    Row(key_of_victim, HIDDEN, AS_VICTIM),
    Row(key_of_host, (*HIDDEN, "PrivateUsers", "CapabilityBoundingSet"), ("User=root", "Group=root")),
    Row(goal_of_host, (*HIDDEN, "PrivateUsers", "CapabilityBoundingSet"), ("User=root", "Group=root")),
    Row(key_of_peering, (*HIDDEN, "PrivateUsers", "CapabilityBoundingSet"), ("User=root", "Group=root")),
    Row(image_of_victim, (*HIDDEN, "PrivateUsers", "CapabilityBoundingSet"), ("User=root", "Group=root")),
    Row(disk_of_victim, ("PrivateDevices", "PrivateUsers", "CapabilityBoundingSet"), ("User=root", "Group=root")),
    Row(names_of_members, HIDDEN),
    Row(temporary_files, ("PrivateTmp",)),
    Row(other_temporary_files, ("PrivateTmp",)),
    Row(journal, ("InaccessiblePaths", "PrivateUsers"), ("SupplementaryGroups=systemd-journal",)),
    Row(command_lines, PROC),
    Row(environment, ("PrivateUsers", *PROC), AS_VICTIM, plain=True),
    Row(list_of_processes, PROC),
    Row(cgroup, ("InaccessiblePaths",)),
    Row(signals, ("PrivateUsers",), AS_VICTIM),
    Row(signal_by_descriptor, ("PrivateUsers",), AS_VICTIM),
    Row(memory_map, ("PrivateUsers", *PROC), AS_VICTIM, plain=True),
    Row(memory, ("PrivateUsers", *PROC), AS_VICTIM, plain=True),
    Row(memory_by_call, ("PrivateUsers", *CALLS), AS_VICTIM, plain=True),
    Row(trace, ("PrivateUsers", *CALLS), AS_VICTIM, plain=True),
    Row(system_v, ("PrivateIPC", "PrivateUsers"), AS_VICTIM),
    Row(semaphores, ("PrivateIPC", "PrivateUsers"), AS_VICTIM),
    Row(posix_memory, ("TemporaryFileSystem=/dev/shm", "PrivateUsers"), AS_VICTIM),
    Row(posix_queue, ("PrivateIPC", "PrivateUsers", "PrivateDevices"), AS_VICTIM),
    Row(socket_of_victim, HIDDEN, AS_VICTIM),
    Row(bus, ("TemporaryFileSystem=/run",)),
    Row(sockets_of_the_system, ("TemporaryFileSystem=/run",)),
    Row(loopback, before=NO_RULES),
    Row(loopback_elsewhere, before=NO_RULES),
    Row(service_of_host, before=NO_RULES),
    Row(patroni_of_victim, before=NO_RULES),
    Row(other_port_of_victim, before=NO_RULES),
    Row(imposter, before=NO_RULES),
    Row(list_of_connections, ("RestrictAddressFamilies",), seccomp=True),
    Row(user_namespace, CALLS, seccomp=True),
    Row(mount_namespace, CALLS, seccomp=True),
    Row(locks, ("InaccessiblePaths",)),
    Row(raw_packets, (*CALLS, "PrivateUsers", "CapabilityBoundingSet"), ("AmbientCapabilities=CAP_NET_RAW",)),
    Row(swap_folder_of_keys, before=OWN_FOLDER),
    Row(swap_folder_of_sockets, before=OWN_FOLDER),
    Row(own_rules, before=OWN_FOLDER),
    Row(own_configuration, before=OWN_FOLDER),
    Row(own_larger_disk, before=OWN_FOLDER),
    Row(own_reserve, before=OWN_FOLDER),
]


def try_alone(row, facts):
    """In a process of its own: what one attack changes about itself does not help the next."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            got = row.attack(facts)
        except OSError:
            got = None
        os.write(there, (got or "").encode())
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as answer:
        got = answer.read().decode()
    os.waitpid(child, 0)
    return got or None


def main():
    facts, wanted = json.loads(sys.argv[1]), sys.argv[2:]
    print(json.dumps({row.name: try_alone(row, facts) for row in ROWS if not wanted or row.name in wanted}))


if __name__ == "__main__":
    main()
