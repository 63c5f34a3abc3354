#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drills as a tenant sees them, on real hosts with the whole control plane: asked for and passed, failed and alarmed, passed again. Needs root."""
import sys

import rig
from backup_life_test import Protected

from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

BUNDLE = "ls -t /var/lib/reeve/stanzas/*/repo/backup/*/*/bundle/* | xargs ls -S | head -1"


class Proven(Protected):
    def drill(self):
        """Asks for one, and gives it when it has ended."""
        made = self.ask("POST", "/backup/drills", {})["id"]
        return wait_until(lambda: self.ended(made), "the drill that was asked for", 180)

    def ended(self, drill):
        shown = self.ask("GET", "/backup/drills/" + drill)
        return shown if shown["state"] in ("PASSED", "FAILED", "NOT_RUN") else None

    def alerts(self, status):
        found = self.tenant.ask("GET", self.tenant.of_project("/alerts?status=" + status))["results"]
        return [one["eventTypeName"] for one in found if one["eventTypeName"].startswith("BACKUP_DRILL")]


def it_is_proven(suite, kept):
    kept.create()
    wait_until(lambda: kept.ask("GET", "/backup/window").get("to"), "a window", 120)
    suite.check("lastProven" not in kept.ask("GET", "/backup/window"), "nothing is proven yet")
    kept.tenant.ask("POST", kept.tenant.of_project("/alertConfigs"), {
        "eventTypeName": "BACKUP_DRILL_FAILED", "enabled": True, "notifications": [{"typeName": "WEBHOOK", "webhookUrl": "https://hooks.example.org/a"}]})
    kept.ask("PATCH", "/backup/drillSettings", {"assertions": [{"name": "it answers", "databaseName": "postgres", "sql": "SELECT count(*) > 0 FROM pg_class"}]})
    drill = kept.drill()
    suite.equal((drill["state"], drill["origin"], drill.get("problem")), ("PASSED", "ON_DEMAND", None), "a drill")
    checks = {(check["name"], check.get("databaseName")): check["result"] for check in drill["checks"]}
    suite.equal(checks.get(("assertion it answers", "postgres")), "PASSED", "what the tenant asserts")
    suite.equal(set(checks.values()), {"PASSED"}, "what was looked at")
    proven = kept.ask("GET", "/backup/window")["lastProven"]
    suite.equal((proven["drillId"], proven["recoveryTimeMillis"]), (drill["id"], drill["recoveryTimeMillis"]), "when it was last proven")
    suite.say("restored and ready after %.1f s, up to %s" % (drill["recoveryTimeMillis"] / 1000, drill["recoveryPoint"]))
    suite.equal(kept.on_repository("ls /var/lib/reeve/drills; ls /etc/systemd/system | grep reeve-drill || true"), [], "what is left of it")


def damage_raises_an_alert(suite, kept):
    path = kept.on_repository(BUNDLE)[0]
    kept.on_repository("cp -p {0} /root/whole; printf '\\377\\376\\375' | dd of={0} bs=1 seek=5000 conv=notrunc 2>/dev/null".format(path))
    drill = kept.drill()
    suite.check(drill["state"] == "FAILED" and "pgbackrest" in drill["problem"], "a damaged backup: %s", drill)
    wait_until(lambda: kept.alerts("OPEN") == ["BACKUP_DRILL_FAILED"], "somebody is told", 60)
    kept.on_repository("cp -p /root/whole " + path)
    suite.equal(kept.drill()["state"], "PASSED", "the backup as it was")
    wait_until(lambda: kept.alerts("OPEN") == [], "the alert ends", 60)
    kinds = [one["eventTypeName"] for one in kept.tenant.ask("GET", kept.tenant.of_project("/events?eventType=BACKUP_DRILL_SUCCEEDED&eventType=BACKUP_DRILL_FAILED"))["results"]]
    suite.equal(kinds, ["BACKUP_DRILL_SUCCEEDED", "BACKUP_DRILL_FAILED", "BACKUP_DRILL_SUCCEEDED"], "what happened")


def main():
    suite = Suite("drill life")
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            kept = Proven(fleet)
            for part in (it_is_proven, damage_raises_an_alert):
                part(suite, kept)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
