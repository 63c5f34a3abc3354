# SPDX-License-Identifier: Apache-2.0
"""Logs in a bucket of a real store, written with a role: every line once, whatever happens to the store or to the agent in between; and keys where they belong."""
import contextlib
import gzip
import re
import time

import buckets
import control
import hosts
from state import wait_until

NAME = re.compile(r"^checkout/reeve/logs/[a-z0-9-]+(\.[a-z0-9.-]+)?/(postgres|audit|patroni)/\d{4}/\d\d/\d\d/\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}\.log\.gz$")
OVERRIDE = "/etc/systemd/system/reeve-agent.service.d/failpoint.conf"
WRITTEN_S = 100  # a line is a minute old when it is written


def lines(store):
    """(name of the object, line) of everything."""
    found = []
    for name, path in store.objects(buckets.TENANTS).items():
        with contextlib.suppress(OSError, EOFError), gzip.open(path, "rt", encoding="utf-8") as file:  # it may be written just now
            found += [(name, line.rstrip("\n")) for line in file]
    return found


def with_word(store, word):
    return [one for one in lines(store) if word in one[1] and "ERROR:" in one[1]]


def arrives(store, word, seconds=WRITTEN_S):
    wait_until(lambda: with_word(store, word), "%s is in the bucket" % word, seconds)


def state_of(tenant):
    shown = tenant.ask("GET", tenant.of_project("/pushBasedLogExport"))
    return shown["state"], shown.get("lastError", "")


def run_agent(fleet, host, environment):
    """With a fail point, or without any."""
    if environment:
        hosts.write_file(fleet, host, OVERRIDE, "[Service]\nEnvironment=%s\n" % environment)
    else:
        hosts.run(fleet, host, "rm", "-f", OVERRIDE)
    hosts.run(fleet, host, "systemctl", "daemon-reload", timeout=30)
    hosts.run(fleet, host, "systemctl", "reset-failed", "reeve-agent", timeout=30, check=False)
    hosts.run(fleet, host, "systemctl", "restart", "reeve-agent", timeout=30)


def assume(suite, fleet, tenant, store):
    role = tenant.ask("POST", tenant.of_project("/cloudProviderAccess"), {"providerName": "AWS"})
    suite.equal(store.add("west")[0], 0, "the store is added")
    status, said, why = store.reeved("fleet", "store-roles", "add", "west/checkout", "--external-id", role["serviceAssumedRoleExternalId"], "--bucket", buckets.TENANTS,
                                     "--prefix", "checkout/", "--keys", fleet.path("store/keys"))
    suite.check(status == 0 and "arn:reeve:s3::west:role/checkout" in said, "the role is added: %s%s", said, why)
    tenant.ask("PATCH", tenant.of_project("/cloudProviderAccess/" + role["roleId"]), {"providerName": "AWS", "iamAssumedRoleArn": "arn:reeve:s3::west:role/checkout"})
    return role["roleId"]


def check_keys(suite, fleet, tenant, host):
    """They are in the goal of the host that writes, and nowhere else."""
    goal = hosts.run(fleet, host, "cat", "/var/lib/reeve/agent/goal.json")
    suite.check(buckets.SECRET in goal, "the host that writes has the key")
    journal = hosts.run(fleet, host, "journalctl", "-o", "cat", "--no-pager", timeout=60)
    suite.check(buckets.SECRET not in journal, "no key in the journal of the host")
    shown = [tenant.ask("GET", tenant.of_project(path)) for path in ("/pushBasedLogExport", "/cloudProviderAccess", "/events")]
    stored = control.superuser(fleet, "SELECT r::text FROM resource r UNION ALL SELECT s::text FROM store_role s UNION ALL SELECT h.facts::text FROM host h")
    suite.check(not any(buckets.SECRET in str(one) for one in (*shown, *stored)), "no key in an answer, an event or a row")


def run(suite, fleet, tenant, host, provoke):
    store = buckets.Store(fleet)
    store.tell_host(host)
    role = assume(suite, fleet, tenant, store)
    suite.equal(state_of(tenant), ("UNCONFIGURED", ""), "the state at first")
    before = provoke()
    time.sleep(2.1)  # it begins with the second in which it is made
    tenant.ask("POST", tenant.of_project("/pushBasedLogExport"), {"bucketName": buckets.TENANTS, "iamRoleId": role, "prefixPath": "reeve/"})
    suite.equal(state_of(tenant), ("INITIATING", ""), "the state before anything was written")
    words = [provoke()]
    arrives(store, words[0])
    wait_until(lambda: state_of(tenant) == ("ACTIVE", ""), "it is active", 30)
    suite.equal(with_word(store, before), [], "what was written before is not in the bucket")
    odd = [name for name in store.objects(buckets.TENANTS) if not NAME.match(name) and "reeve-probe" not in name]
    suite.equal(odd, [], "names of objects")
    check_keys(suite, fleet, tenant, host)

    with store.answers(503):  # the store is away, and the agent is killed meanwhile
        words.append(provoke())
        wait_until(lambda: state_of(tenant)[0] == "BUCKET_VERIFICATION_FAILED", "the failure is told", WRITTEN_S)
        suite.check("503" in state_of(tenant)[1], "why: %s", state_of(tenant)[1])
        hosts.run(fleet, host, "systemctl", "kill", "-s", "KILL", "reeve-agent", timeout=30)
        words.append(provoke())
    arrives(store, words[-1])
    arrives(store, words[-2], 5)

    # Killed when everything is written and nothing is written down: what is written once more is the same object.
    run_agent(fleet, host, "REEVE_FAILPOINTS=agent:logs:written=kill")
    words.append(provoke())
    arrives(store, words[-1])
    words.append(provoke())
    run_agent(fleet, host, "")
    words.append(provoke())
    arrives(store, words[-1])
    suite.equal([len(with_word(store, word)) for word in words], [1] * len(words), "how often each line is in the bucket")
    lone = [line for _, line in lines(store) if "ERROR:" in line]
    suite.equal(len(lone), len(set(lone)), "no line twice")

    suite.equal(store.reeved("fleet", "store-roles", "remove", "west/checkout")[0], 0, "the operator takes the role away")
    wait_until(lambda: state_of(tenant)[0] == "ASSUME_ROLE_FAILED", "it is told", 30)
    wait_until(lambda: buckets.SECRET not in hosts.run(fleet, host, "cat", "/var/lib/reeve/agent/goal.json"), "the key leaves the host", 30)
    count = len(store.objects(buckets.TENANTS))
    provoke()
    time.sleep(70)
    suite.equal(len(store.objects(buckets.TENANTS)), count, "nothing more is written")
    tenant.ask("DELETE", tenant.of_project("/pushBasedLogExport"))
    suite.equal(state_of(tenant), ("UNCONFIGURED", ""), "the state in the end")
