#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Alerts from real causes on a fleet: connections that are used up, and a replica that is cut off from its primary. Each is raised within 90 s, once, across the
kill of workers, and closed when its cause is gone. A server that does not run raises nothing and closes nothing. Needs root.

Usage: metric_alert_test.py
"""
import os
import signal
import sys
import time

import rig
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from patience import PATIENCE  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "watched"
MOST_S = 90  # from a cause to the alert
NOTIFICATIONS = [{"typeName": "WEBHOOK", "webhookUrl": "https://hooks.example.org/a"}]


def limit(tenant, metric, threshold, **more):
    return tenant.ask("POST", tenant.of_project("/alertConfigs"), {
        "eventTypeName": "OUTSIDE_METRIC_THRESHOLD", "enabled": True, "notifications": NOTIFICATIONS,
        "metricThreshold": {"metricName": metric, "operator": "GREATER_THAN", "threshold": threshold, **more}})["id"]


def alerts(tenant, config, *statuses):
    found = tenant.ask("GET", tenant.of_project("/alerts?itemsPerPage=500"))["results"]
    return [one for one in found if one["alertConfigId"] == config and one["status"] in statuses]


def kill_workers(fleet):
    for worker in control.WORKERS:
        pid = process.pid_of(fleet, worker)
        if pid:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda name=worker: process.pid_of(fleet, name) is None, worker + " is gone", 20, every=0.05)
        process.again(fleet, worker)


def raised(suite, tenant, config, began, what):
    wait_until(lambda: alerts(tenant, config, "OPEN"), what + " is told", 2 * MOST_S, every=0.5)
    took = time.monotonic() - began
    suite.say("%s: an alert after %.1f s" % (what, took))
    suite.check(took <= MOST_S * PATIENCE, "%s: an alert after %.1f s", what, took)
    return alerts(tenant, config, "OPEN")


def closed(suite, tenant, config, what):
    began = time.monotonic()
    wait_until(lambda: not alerts(tenant, config, "OPEN"), what + " is over", 2 * MOST_S, every=0.5)
    suite.say("%s: closed after %.1f s" % (what, time.monotonic() - began))
    suite.equal(len(alerts(tenant, config, "CLOSED")), 1, what + ": it was raised once")


def connections_are_used_up(suite, fleet, tenant, primary):
    config = limit(tenant, "CONNECTIONS", 20)
    time.sleep(30)
    suite.equal(alerts(tenant, config, "OPEN", "TRACKING", "CLOSED"), [], "nothing is wrong yet")
    began = time.monotonic()
    hosts.run(fleet, primary.host, "sh", "-c", "for i in $(seq 30); do nohup psql -X -h /var/lib/reeve/members/%s/run -p 27017 -U postgres -c 'SELECT pg_sleep(3600)' "
              "postgres >/dev/null 2>&1 & done" % primary.id)
    found = raised(suite, tenant, config, began, "thirty sessions")
    suite.equal([(one["metricName"], one["clusterName"], one["hostnameAndPort"].split(".")[0]) for one in found], [("CONNECTIONS", CLUSTER, primary.name)], "the alert")
    suite.check(found[0]["currentValue"]["number"] > 20, "its value: %s", found[0])
    kill_workers(fleet)
    time.sleep(30)
    suite.equal([one["id"] for one in alerts(tenant, config, "OPEN", "CLOSED")], [found[0]["id"]], "the same one after workers were killed")
    rig.superuser(fleet, primary, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()")
    closed(suite, tenant, config, "thirty sessions")


def a_replica_is_cut_off(suite, fleet, tenant, primary):
    config = limit(tenant, "OPLOG_SLAVE_LAG_MASTER_TIME", 10, units="SECO")
    replica = next(one for one in rig.members(fleet, CLUSTER) if one.id != primary.id)
    began = time.monotonic()
    network.nft(fleet, replica.host, "add table inet cut\nadd chain inet cut way { type filter hook output priority 0; }\n"
                "add rule inet cut way ip daddr %s tcp dport 27017 drop\n" % primary.address)
    try:
        for _ in range(3):
            rig.superuser(fleet, primary, "SELECT txid_current()")
        found = raised(suite, tenant, config, began, "a replica that is cut off")
        suite.equal([one["hostnameAndPort"].split(".")[0] for one in found], [replica.name], "whose alert it is")
    finally:
        network.heal(fleet, replica.host)
    closed(suite, tenant, config, "a replica that is cut off")


def what_does_not_run_raises_nothing(suite, fleet, tenant, primary):
    """No data is a state of its own: neither less than something nor more."""
    config = limit(tenant, "CONNECTIONS_MAX", 1)
    raised(suite, tenant, config, time.monotonic(), "every server")
    count = len(alerts(tenant, config, "OPEN"))
    less = tenant.ask("POST", tenant.of_project("/alertConfigs"), {
        "eventTypeName": "OUTSIDE_METRIC_THRESHOLD", "enabled": True, "notifications": NOTIFICATIONS,
        "metricThreshold": {"metricName": "CONNECTIONS_MAX", "operator": "LESS_THAN", "threshold": 1}})["id"]
    hosts.run(fleet, primary.host, "systemctl", "stop", "reeve-agent")
    time.sleep(60)
    suite.equal((len(alerts(tenant, config, "OPEN")), len(alerts(tenant, less, "OPEN", "CLOSED"))), (count, 0), "while nobody measures")
    hosts.run(fleet, primary.host, "systemctl", "start", "reeve-agent")


def main():
    suite = Suite("metric-alerts")
    try:
        with rig.fleet_for(2) as fleet:
            tenant = Tenant(fleet)
            tenant.create_project()
            tenant.create_cluster(CLUSTER, regions={fleet.regions[0]: 2})
            tenant.wait_idle(CLUSTER, 300)
            primary = rig.primary_of(fleet, CLUSTER)
            for part in (connections_are_used_up, a_replica_is_cut_off, what_does_not_run_raises_nothing):
                part(suite, fleet, tenant, primary)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
