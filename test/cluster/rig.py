# SPDX-License-Identifier: Apache-2.0
"""What tests of clusters share: a fleet for as long as the test runs, and looking behind the API at what is really there."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("fleet", "api")]
sys.dont_write_bytecode = True

import agents  # noqa: E402
import control  # noqa: E402
import hosts  # noqa: E402
import image  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import ETCD, ROOT, Fleet, Problem, wait_until  # noqa: E402

FLEET = os.path.join(ROOT, "test/fleet/fleet")
LOAD_PER_PROCESSOR = 4  # what a fleet on one machine causes by itself while a cluster is made


@contextlib.contextmanager
def fleet_for(host_count=3, regions=1, zones=3, repositories=0, relays=0):
    """The fleet that REEVE_FLEET names, or one that lives as long as the block. After a failure its logs are kept."""
    if os.environ.get("REEVE_FLEET"):
        yield Fleet.load(os.environ["REEVE_FLEET"])
        return
    folder = tempfile.mkdtemp(prefix="reeve-fleet.")
    failed = True
    words = [FLEET, "up", "--dir", folder, "--hosts", str(host_count), "--regions", str(regions), "--zones", str(zones),
             "--repositories", str(repositories), "--relays", str(relays)]
    up = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: end_at_once(up, folder))
    try:
        if up.wait() != 0:
            raise Problem("the fleet did not come up")
        yield Fleet.load(folder)
        failed = False
    finally:
        if failed and os.path.exists(os.path.join(folder, "fleet.json")):
            keep_logs(Fleet.load(folder))
        subprocess.run([FLEET, "down", "--dir", folder], check=False)


def end_at_once(up, folder):
    """Whoever ends a test wants its fleet gone, and not to wait for its threads."""
    if up.returncode is None:
        os.kill(up.pid, signal.SIGKILL)
    subprocess.run([FLEET, "down", "--dir", folder], check=False)
    os._exit(143)


def keep_logs(fleet):
    """Logs of the control side and the journal of every host, where the fleet's folder was."""
    kept = fleet.folder + "-failed"
    os.makedirs(kept, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        subprocess.run(["cp", "-a", fleet.path("log"), kept], check=False)
    for name in fleet.hosts:
        with open(os.path.join(kept, name + ".journal"), "w") as file, contextlib.suppress(Problem, subprocess.TimeoutExpired):
            file.write(hosts.run(fleet, name, "journalctl", "--no-pager", check=False, timeout=30))
    print("logs are kept in " + kept, file=sys.stderr, flush=True)


# ---- Members, as the control plane knows them and as they are ----
class Member:
    def __init__(self, row):
        self.id, self.host, self.address, self.port, self.name, self.role, self.running, self.applied_goal, self.applied_access = row


def members(fleet, cluster_name):
    """Of a cluster, by ordinal. Also when the control plane is of a version that knew one port only."""
    rows = control.superuser(fleet, """
        SELECT encode(m.id, 'hex'), h.name, host(a.address), coalesce(to_jsonb(c) ->> 'port', '27017'), member_name(c.set_name, m.ordinal),
               m.role, m.running, m.applied_goal, m.applied_access
        FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id JOIN host h ON h.id = m.host_id
        JOIN host_address a ON a.member_id = m.id WHERE c.name = '%s' ORDER BY m.ordinal""" % cluster_name)
    return [Member(row) for row in rows]


def at_full_strength(fleet, cluster_name, count):
    """True when PostgreSQL itself says so: one primary, every other member streams from it, one of them synchronously."""
    found = members(fleet, cluster_name)
    if len(found) != count or sorted(one.role for one in found).count("PRIMARY") != 1:
        return False
    primary = next(one for one in found if one.role == "PRIMARY")
    try:
        rows = superuser(fleet, primary, "SELECT count(*) FILTER (WHERE state = 'streaming'), count(*) FILTER (WHERE sync_state IN "
                                         "('sync', 'quorum')) FROM pg_stat_replication WHERE application_name = ANY ('{%s}')" % ",".join(one.name for one in found))
    except (Problem, subprocess.TimeoutExpired):
        return False
    streaming, synchronous = map(int, rows[0])
    return streaming == count - 1 and (synchronous >= 1 or count == 1)


def superuser(fleet, member, statement, database="postgres"):
    """Rows of a statement on a member, through the socket on its host."""
    output = hosts.run(fleet, member.host, "psql", "-X", "-q", "-At", "-F", "\x1f", "-U", "postgres", "-h",
                       "/var/lib/reeve/members/%s/run" % member.id, "-p", member.port, "-d", database, "-c", statement, timeout=10)
    return [line.split("\x1f") for line in output.splitlines()]


def wait_full_strength(fleet, cluster_name, count, seconds):
    wait_until(lambda: at_full_strength(fleet, cluster_name, count), "%s is at full strength" % cluster_name, seconds, every=0.3)


def primary_of(fleet, cluster_name):
    """The one that is primary by what PostgreSQL says on the hosts that run, not by what was reported last."""
    for member in members(fleet, cluster_name):
        with contextlib.suppress(Problem, subprocess.TimeoutExpired):
            if not network.is_cut(fleet, member.host) and superuser(fleet, member, "SELECT pg_is_in_recovery()") == [["f"]]:
                return member
    raise Problem("no member of %s is a primary" % cluster_name)


def replace(fleet, name):
    """A new machine in the place of one that was lost and given up, under the same name."""
    folder = hosts.folder(fleet, name)
    wait_until(lambda: subprocess.run(["umount", os.path.join(folder, "root")], capture_output=True, check=False).returncode == 0, "unmounting " + name, 20)
    shutil.rmtree(folder)
    hosts.create(fleet, name, image.ensure(fleet.say))
    agents.install(fleet, name)
    hosts.start(fleet, name)
    hosts.wait_booted(fleet, name)
    agents.join(fleet, name)
    agents.wait_seen(fleet, [name])


# ---- What is left behind ----
LEFT_IN_DATABASE = {
    "members": "SELECT encode(id, 'hex') FROM cluster_member",
    "clusters": "SELECT name FROM cluster",
    "addresses that are taken": "SELECT host(address) FROM host_address WHERE member_id IS NOT NULL",
    "reservations": "SELECT name FROM host WHERE used_cpus <> 0 OR used_memory_mb <> 0 OR used_disk_gb <> 0",
    "names": "SELECT name FROM dns_record",
    "members' certificates in force": "SELECT serial FROM certificate WHERE kind = 'MEMBER' AND revoked_at IS NULL",
    "jobs that did not finish": "SELECT kind || ' ' || step FROM job WHERE state NOT IN ('DONE', 'CANCELLED')",
}


# Processes by the user: of members, or the one that all of them ran as once.
OF_MEMBERS = """ps -eo uid=,user:20=,args= | awk '($1 >= 70000 && $1 < 90000) || $2 == "postgres"'"""


def left_behind(fleet, lost=()):
    """Everything of deleted clusters that is still anywhere, but on hosts that are lost: sentences."""
    found = ["%s: %s" % (what, row[0]) for what, query in LEFT_IN_DATABASE.items() for row in control.superuser(fleet, query)]
    keys = control.etcdctl(fleet, next(iter(ETCD)), "get", "--prefix", "--keys-only", "/")
    found += ["key in etcd: " + key for key in keys.split()]
    found += ["user of etcd: " + user for user in control.etcdctl(fleet, next(iter(ETCD)), "user", "list").split() if user != "root"]
    found += ["role of etcd: " + role for role in control.etcdctl(fleet, next(iter(ETCD)), "role", "list").split() if role != "root"]
    for name, host in fleet.hosts.items():
        if name in lost:
            continue
        units = hosts.run(fleet, name, "sh", "-c", "ls /etc/systemd/system | grep '^reeve-member-[0-9a-f]' || true")
        folders = hosts.run(fleet, name, "sh", "-c", "ls /var/lib/reeve/members 2>/dev/null || true")
        addresses = hosts.run(fleet, name, "sh", "-c", "ip -4 -o address show dev eth0 | awk '{print $4}'").split()
        processes = hosts.run(fleet, name, "sh", "-c", OF_MEMBERS)
        found += ["unit on %s: %s" % (name, one) for one in units.split()] + ["files on %s: %s" % (name, one) for one in folders.split()]
        found += ["address on %s: %s" % (name, one) for one in addresses if one.split("/")[0] != host["address"]]
        found += ["process on %s: %s" % (name, one) for one in processes.splitlines()]
    return found


# ---- The control plane ----
def stop_control_plane(fleet):
    for name in control.REEVE:
        process.stop(fleet, name, seconds=10)


def start_control_plane(fleet):
    for name in control.REEVE:
        process.again(fleet, name)
    control.wait_reeve(fleet)


# ---- Reports ----
def machine():
    """What figures depend on, as a sentence."""
    with open("/proc/loadavg") as file:
        load = file.read().split()[:3]
    return "one machine with %d processors for everything: hosts, control plane, etcd and clients; load %s" % (
        os.cpu_count(), " ".join(load))


def judge_time(suite, took, limit_s, what):
    """Figures in seconds are only held against the goal when nobody else uses the processors."""
    with open("/proc/loadavg") as file:
        load = float(file.read().split()[0])
    suite.say("%s: %.1f s" % (what, took))
    if took > limit_s and load > LOAD_PER_PROCESSOR * os.cpu_count():
        suite.say("not judged, the goal is %g s: the load is %.1f on %d processors" % (limit_s, load, os.cpu_count()))
        return
    # Other programs may use the processors without a load that shows it: what fails a test is twice the goal.
    suite.check(took <= 2 * PATIENCE * limit_s, "%s: %.1f s", what, took)
    if took > limit_s:
        suite.say("the goal of %g s is missed" % limit_s)


def write_report(path, title, lines):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write("# %s\n\n%s\n" % (title, "\n".join(lines)))
