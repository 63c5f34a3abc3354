# SPDX-License-Identifier: Apache-2.0
"""A control database that was restored from a backup: it is older than what hosts have heard, and gives numbers a second time. After
`reeved fleet restored` each host gets its goal anew, and nothing that it did before the restore counts as done."""
import os
import subprocess
import sys

from agents import Fleet
from agents_test import member_report
from node import PATIENCE
from suite import Suite, ends_on_signal
from world import sql

SUPER = os.environ.get("REEVE_TEST_SUPER_DSN", "")


def dump(path):
    with open(path, "wb") as file:
        subprocess.run(["pg_dump", "--format=custom", "--dbname", SUPER], stdout=file, check=True)


def restore(path):
    elsewhere = SUPER.replace("dbname=reeve", "dbname=postgres")
    sql("DROP DATABASE reeve WITH (FORCE)", elsewhere)
    sql("CREATE DATABASE reeve OWNER reeve", elsewhere)
    subprocess.run(["pg_restore", "--exit-on-error", "--dbname", SUPER, path], check=True)


def touch(cluster):
    return int(sql("BEGIN; SET LOCAL reeve.service = 'on'; SELECT cluster_touch('\\x%s'); COMMIT" % cluster))


def numbers(member):
    return [int(one) for one in sql("SELECT applied_goal, applied_access FROM cluster_member WHERE id = '\\x%s'" % member).split("|")]


def test_restored(suite, fleet):
    host = fleet.join("h1")
    fleet.command("address", "add", "--host", "h1", "127.1.1.1-127.1.1.20")
    organization, project = fleet.make_project()
    cluster = fleet.make_cluster(project, organization, "orders")
    member = fleet.place(cluster, 0)
    sql("UPDATE cluster_member SET desired = 'RUNNING'")
    path = fleet.path("night.dump")
    dump(path)

    # What happens after the backup: two changes of the cluster, which the host makes true.
    for _ in range(2):
        reached = touch(cluster)
    goal = host.goal()[1]
    suite.equal(goal["clusters"][0]["goalGeneration"], reached, "the generation that the host is told")
    host.report([member_report(member, goalGeneration=reached, accessGeneration=1)], version=goal["version"])
    suite.equal(numbers(member)[0], reached, "what the host has reached")

    fleet.node.stop()
    restore(path)
    # Two changes again, other ones: the same numbers.
    for _ in range(2):
        again = touch(cluster)
    fleet.node.start()
    suite.equal(again, reached, "the numbers are given a second time")
    suite.equal(int(sql("SELECT version FROM host_goal_version")), goal["version"], "the version, too")
    try:
        answer = host.goal(after=goal["version"], timeout=3)
        suite.fail("the host is told something: %r" % (answer,))
    except OSError:
        suite.check(True, "without the command the host hears nothing of the other goal")

    said = fleet.command("restored", "--json")
    suite.check('"hosts":"1"' in said.replace(" ", "") and '"clusters":"1"' in said.replace(" ", ""), "what the command says: %s", said)
    status, told = host.goal(after=goal["version"], timeout=10 * PATIENCE)
    suite.equal(status, 200, "the host is told its goal")
    suite.check(told["version"] > goal["version"] + 1000, "its version is past all that was: %r", told["version"])
    suite.check(told["clusters"][0]["goalGeneration"] > reached + 1000, "and the generation: %r", told["clusters"][0])
    suite.equal([one["id"] for one in told["members"]], [member], "members of the goal")
    # A late word about what was done before the restore counts for nothing.
    host.report([member_report(member, goalGeneration=reached, accessGeneration=1)], version=goal["version"])
    suite.check(numbers(member)[0] < told["clusters"][0]["goalGeneration"], "what was reached before counts as done")
    host.report([member_report(member, goalGeneration=told["clusters"][0]["goalGeneration"], accessGeneration=told["clusters"][0]["accessGeneration"])],
                version=told["version"])
    suite.equal(numbers(member), [told["clusters"][0]["goalGeneration"], told["clusters"][0]["accessGeneration"]], "what is reached now")

    # A host that joined after the backup is unknown, and joins again.
    dump(path)
    late = fleet.join("h2")
    suite.equal(late.report()[0], 200, "a host that joined after the backup")
    fleet.node.stop()
    restore(path)
    fleet.command("restored")
    fleet.node.start()
    answer = late.report()
    suite.equal((answer[0], answer[1].get("errorCode")), (403, "CERTIFICATE_NOT_ACCEPTED"), "it is unknown after the restore")
    suite.equal(fleet.join("h2").report()[0], 200, "it joins again")
    suite.equal(host.report(version=1)[0], 200, "the other one goes on")


def main():
    ends_on_signal()
    suite = Suite("restored")
    with Fleet() as fleet:
        test_restored(suite, fleet)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
