# SPDX-License-Identifier: Apache-2.0
"""Runs on a host, with the Patroni that is installed there: what a member's start.py changes of it, and what it leaves.

    python3 -I patroni_start.py START.PY     a line for each thing that is not as it should be, and `done`
"""
import glob
import os
import runpy
import signal
import sys
import threading
import time
from types import SimpleNamespace

start = runpy.run_path(sys.argv[1])


def check(is_right, what):
    if not is_right:
        print("wrong: " + what, flush=True)


def documents_are_read_alike():
    import yaml
    plain = yaml.safe_load
    start["read_quickly"]()
    import patroni
    files = glob.glob(os.path.join(os.path.dirname(patroni.__file__), "postgresql/available_parameters/*.yml"))
    check(len(files) > 0 and yaml.safe_load is not plain, "C reads the parameters")
    for path in files:
        with open(path) as one, open(path) as other:
            check(plain(one) == yaml.safe_load(other), "%s means the same" % path)


def pauses_grow_and_end():
    began = time.monotonic()
    count, took = len(list(start["growing_pauses"](0.5))), time.monotonic() - began
    check(3 <= count <= 5 and 0.4 < took < 1.5, "%d looks in %.2f s" % (count, took))


def a_server_is_nobodys_child():
    from patroni.postgresql import postmaster
    start["start_directly"]()
    context = postmaster.multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(False)
    process = context.Process(target=postmaster.pg_ctl_start, args=(theirs, ["/bin/sleep", "30"], {"PATH": "/bin"}))
    process.start()
    pid = mine.recv()
    process.join()
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rpartition(")")[2].split()
    for _ in start["growing_pauses"](10):  # the number is known before the program runs
        with open("/proc/%d/cmdline" % pid) as file:
            words = file.read()
        if words.startswith("/bin/sleep"):
            break
    check(words == "/bin/sleep\0" "30\0", "it is what was asked for: %r" % words)
    check(int(fields[1]) != os.getpid() and int(fields[3]) != os.getsid(0), "it is of nobody here, and in a session of its own")
    with open("/proc/%d/status" % pid) as file:
        ignored = int(next(line.split()[1] for line in file if line.startswith("SigIgn:")), 16)
    for word in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        check(not ignored >> (word - 1) & 1, "%s is not ignored: Patroni stops servers with it" % word.name)
    os.kill(pid, signal.SIGKILL)


def assign(confirmed_after):
    """Patroni's own function, on a primary that names the replicas of {name: seconds until it is synchronous}; (what was written to etcd, seconds)."""
    from patroni import ha
    from patroni.collections import CaseInsensitiveSet
    written, began = [], time.monotonic()

    def current_state(_cluster):
        confirmed = [name for name, after in confirmed_after.items() if time.monotonic() - began >= after]
        return SimpleNamespace(active=CaseInsensitiveSet(confirmed_after), sync=CaseInsensitiveSet(), numsync=0, sync_confirmed=CaseInsensitiveSet(confirmed))

    primary = SimpleNamespace(
        cluster=None, _maybe_enable_synchronous_mode=lambda: SimpleNamespace(voters=[], version=1),
        dcs=SimpleNamespace(write_sync_state=lambda _name, who, *_, **__: written.append(sorted(who)) or True),
        state_handler=SimpleNamespace(name="a", reset_cluster_info_state=lambda _: None, sync_handler=SimpleNamespace(
            current_state=current_state, set_synchronous_standby_names=lambda _: None)))
    ha.Ha._process_multisync_replication(primary)
    return written, time.monotonic() - began


def a_replica_is_synchronous_when_it_is():
    from patroni import ha
    start["assign_at_once"]()
    written, took = assign({"b": 0.3})
    check(written == [["b"]] and took < 1.5, "written at once: %s after %.2f s" % (written, took))
    written, took = assign({"b": 60})
    check(written == [] and took >= 1.9, "not written before it is so: %s after %.2f s" % (written, took))
    written, took = assign({"b": 0.1, "c": 0.6})
    check(written == [["b", "c"]] and took < 1.9, "two are waited for: %s after %.2f s" % (written, took))
    written, took = assign({"b": 0.1, "c": 60})
    check(written == [["b"]] and took >= 1.9, "one is written without the other, as late as before: %s after %.2f s" % (written, took))
    began = time.monotonic()
    ha.time.sleep(0.3)
    check(time.monotonic() - began >= 0.3, "others sleep as before")


def members_are_heard_of():
    from patroni.dcs import etcd3
    start["hear_of_members"]()
    encode = etcd3.base64_encode
    dcs = SimpleNamespace(members_path="/reeve/x/members/", member_path="/reeve/x/members/a", sync_path="/reeve/x/sync", event=threading.Event())
    cache = etcd3.KVCache.__new__(etcd3.KVCache)
    cache._dcs, cache._object_cache, cache._object_cache_lock, cache._name = dcs, {}, threading.Lock(), encode("a")
    cache._leader_key, cache._config_key = encode("/reeve/x/leader"), encode("/reeve/x/config")
    cache._optime_key, cache._status_key = encode("/reeve/x/optime/leader"), encode("/reeve/x/status")
    revision = [0]

    def wakes(key, value, kind="PUT"):
        revision[0] += 1
        dcs.event.clear()
        kv = {"key": encode(key), "mod_revision": str(revision[0])}
        cache._process_event({"type": kind, "kv": kv if kind == "DELETE" else {**kv, "value": encode(value)}})
        return dcs.event.is_set()

    wakes("/reeve/x/leader", "a")
    for key, value, is_awake in [
            ("/reeve/x/members/b", '{"state":"starting"}', True), ("/reeve/x/members/b", '{"state":"running","xlog_location":1}', True),
            ("/reeve/x/members/b", '{"state":"running","xlog_location":2}', False),
            ("/reeve/x/members/b", '{"state":"running","replication_state":"streaming"}', True),
            ("/reeve/x/members/b", "nonsense", True), ("/reeve/x/members/b", "nonsense", False),
            ("/reeve/x/members/a", '{"state":"running"}', False), ("/reeve/x/sync", "{}", False), ("/reeve/x/history", "[]", False)]:
        check(wakes(key, value) == is_awake, "the leader %s by %s %s" % ("wakes" if is_awake else "is not woken", key, value))
    wakes("/reeve/x/members/b", '{"state":"running"}')
    check(wakes("/reeve/x/members/b", "", "DELETE"), "the leader wakes when a member goes")
    wakes("/reeve/x/leader", "b")
    check(wakes("/reeve/x/sync", '{"leader":"b"}'), "a replica wakes when somebody became synchronous")
    check(not wakes("/reeve/x/members/c", '{"state":"running"}'), "a replica is not woken by another one")


for each in (documents_are_read_alike, pauses_grow_and_end, a_server_is_nobodys_child, a_replica_is_synchronous_when_it_is, members_are_heard_of):
    each()
print("done")
