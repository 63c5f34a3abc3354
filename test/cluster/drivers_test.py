#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""B2: hosts of primaries go away under drivers that have the connection string as the API returns it.

    test/cluster/drivers_test.py [--kills N] [--partitions N] [--report FILE]

Needs what `script/bootstrap --drivers` installs. Every driver has two writers, programs in drivers/ that do what an ordinary
application does: write, and after an error connect again. One writes all the time; of the other a statement is always under way, because
each takes SLOW_S seconds. A writer notes each try in a file:

    ack NUMBER BEGAN ENDED -            it was acknowledged
    err NUMBER BEGAN ENDED SENTENCE     it was not; the number may be there or not, and is never used again

After every fault: each writes again within 30 s, and every number that was ever acknowledged is there.
How node-postgres and pgx connect is taken from docs/how-to/connect-an-application.md.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

import rig
from failover_test import FULL_STRENGTH_S, partition, power_off
from tenant import DATABASE, Tenant, wait_psql

import network  # noqa: E402  (found by rig)
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "drivers")
PAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs/how-to/connect-an-application.md")
POSTGRES_JAR = "/usr/share/java/postgresql.jar"
CLUSTER = "drivers"
STILL_S = 30
SLOW_S = 3
TABLE = "CREATE TABLE IF NOT EXISTS written (writer text, number bigint, PRIMARY KEY (writer, number))"
GO_IMPORTS = '"context"\n"net"\n"syscall"\n"time"\n\n"github.com/jackc/pgx/v4"'


# ---- The programs ----
def code_of_page(language):
    with open(PAGE) as file:
        return re.search(r"^```%s\n(.*?)^```" % language, file.read(), re.M | re.S).group(1)


def run(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        raise Problem("%s: %s" % (" ".join(words), done.stdout))


def build(folder):
    """driver: the words that start its writer."""
    go, node = os.path.join(folder, "go"), os.path.join(folder, "node")
    for name in ("go", "node"):
        shutil.copytree(os.path.join(SOURCES, name), os.path.join(folder, name))
    with open(os.path.join(go, "connect.go"), "w") as file:
        file.write("package main\n\nimport (\n%s\n)\n\n%s" % (GO_IMPORTS, code_of_page("go")))
    with open(os.path.join(node, "connect.js"), "w") as file:
        file.write(code_of_page("js"))
    run("npm", "ci", "--ignore-scripts", "--silent", cwd=node)
    run("javac", "-d", folder, os.path.join(SOURCES, "java", "Writer.java"))
    run("go", "build", "-o", os.path.join(folder, "pgx"), "writer.go", "connect.go", cwd=go,
        env={**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""})
    return {
        "psycopg": ["/usr/bin/python3", os.path.join(SOURCES, "writer.py")],
        "jdbc": ["java", "-Xmx128m", "-XX:+UseSerialGC", "-cp", folder + ":" + POSTGRES_JAR, "Writer"],
        "node": ["node", os.path.join(node, "writer.js")],
        "pgx": [os.path.join(folder, "pgx")],
    }


def fill(fleet, string, user, password):
    """What a tenant puts into a string: who they are, which database, and whom they trust. Nothing else."""
    string = string.replace("/postgres?", "/%s?" % DATABASE)
    string = string.replace("<DB_USER>", quote(user, safe="")).replace("<DB_PASSWORD>", quote(password, safe=""))
    return string + "&sslrootcert=" + quote(fleet.path("tls/authority.pem"), safe="")


class Writer:
    def __init__(self, fleet, driver, words, string, sleep_s):
        self.driver, self.sleep_s = driver, sleep_s
        self.name = "%s-%s" % (driver, "slow" if sleep_s else "quick")
        self.path = fleet.path(self.name + ".written")
        self.errors = open(fleet.path(self.name + ".err"), "w")
        self.process = subprocess.Popen(network.client_command(fleet, [*words, self.name, self.path, str(sleep_s)]), env={**os.environ, "WRITER_DSN": string},
                                        stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors, start_new_session=True)

    def tries(self):
        """(kind, number, began, ended, rest) of every try so far."""
        if self.process.poll() is not None:
            with open(self.errors.name) as file:
                raise Problem("%s ended: %s" % (self.name, file.read()[-2000:]))
        if not os.path.exists(self.path):
            return []
        with open(self.path) as file:
            rows = [line.rstrip("\n").split(" ", 4) for line in file if line.endswith("\n")]
        return [(kind, int(number), float(began), float(ended), rest) for kind, number, began, ended, rest in rows]

    def acknowledged(self):
        return [row for row in self.tries() if row[0] == "ack"]

    def writes_after(self, moment):
        return any(row[2] >= moment for row in self.acknowledged())

    def still(self, since, until):
        """The longest time without an acknowledgement, but for what a statement itself takes."""
        moments = [since] + [row[3] for row in self.acknowledged() if since <= row[3] <= until] + [until]
        return max(after - before for before, after in zip(moments, moments[1:])) - self.sleep_s

    def caught(self, moment):
        """Whether a statement was under way then and was not acknowledged."""
        return any(row[0] == "err" and row[2] <= moment <= row[3] for row in self.tries())

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()


# ---- The scene ----
class Scene:
    def __init__(self, fleet, programs):
        self.fleet, tenant = fleet, Tenant(fleet)
        tenant.create_project()
        user, password = "app", tenant.create_user("app")
        tenant.allow("10.78.0.0/16")
        tenant.create_cluster(CLUSTER)
        strings = tenant.wait_idle(CLUSTER, 180)["connectionStrings"]
        drivers = strings["drivers"]
        self.dsn = fill(fleet, strings["standard"], user, password)
        wait_psql(fleet, self.dsn, TABLE, 30)
        rig.wait_full_strength(fleet, CLUSTER, 3, FULL_STRENGTH_S)
        given = {"psycopg": [strings["standard"]], "jdbc": [drivers["jdbc"]], "pgx": [drivers["pgx"]], "node": drivers["node"]}
        self.writers = [Writer(fleet, driver, words, "\n".join(fill(fleet, one, user, password) for one in given[driver]), sleep_s)
                        for driver, words in programs.items() for sleep_s in (0, SLOW_S)]

    def wait_all(self, moment, seconds):
        wait_until(lambda: all(writer.writes_after(moment) for writer in self.writers), "every driver writes", seconds, every=0.5)

    def missing(self):
        """writer: how many of its acknowledged numbers are not there."""
        acknowledged = {writer.name: {row[1] for row in writer.acknowledged()} for writer in self.writers}
        there = {}
        for line in wait_psql(self.fleet, self.dsn, "SELECT writer, number FROM written", 60).splitlines():
            name, number = line.split("|")
            there.setdefault(name, set()).add(int(number))
        return {name: len(numbers - there.get(name, set())) for name, numbers in acknowledged.items()}

    def stop(self):
        for writer in self.writers:
            writer.stop()


def one_fault(scene, suite, kind, make):
    """{writer: seconds that it stood still}, and those of which a statement was under way that got no answer."""
    primary = rig.primary_of(scene.fleet, CLUSTER)
    began = time.time()
    undo = make(scene.fleet, primary.host)
    done = time.time()
    try:
        scene.wait_all(done + 0.5, 120)
        until = time.time()
    finally:
        undo()
    still = {writer.name: writer.still(began, until) for writer in scene.writers}
    for writer in scene.writers:
        suite.check(still[writer.name] <= STILL_S, "%s: %s stood still for %.1f s", kind, writer.name, still[writer.name])
    rig.wait_full_strength(scene.fleet, CLUSTER, 3, FULL_STRENGTH_S)
    missing = scene.missing()
    suite.check(not any(missing.values()), "%s of %s: acknowledged writes are lost: %s", kind, primary.host, missing)
    suite.say("%-9s of %s: %s" % (kind, primary.host, ", ".join("%s %.1f s" % pair for pair in still.items())))
    return still, {writer.name for writer in scene.writers if writer.caught(done)}


def lines_of_report(scene, seen, missing):
    kinds = sorted({kind for kind, _ in seen})
    lines = ["- " + rig.machine(),
             "- %s, each while every driver wrote with the string as it is returned, a statement always under way in the slow ones"
             % ", ".join("%d times a %s of the primary's host" % (sum(1 for one, _ in seen if one == kind), kind) for kind in kinds),
             "- acknowledged writes: %d, lost: %d" % (sum(len(writer.acknowledged()) for writer in scene.writers), sum(missing.values())),
             "", "Seconds without an acknowledged write, in the median and at worst; of the slow ones without the %d s that a statement takes:" % SLOW_S, "",
             "| driver | acknowledged | " + " | ".join(kinds) + " |", "|---|---|" + "---|" * len(kinds)]
    for writer in scene.writers:
        cells = []
        for kind in kinds:
            values = [still[writer.name] for one, still in seen if one == kind]
            cells.append("%.1f, %.1f" % (statistics.median(values), max(values)))
        lines.append("| %s | %d | %s |" % (writer.name, len(writer.acknowledged()), " | ".join(cells)))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--partitions", type=int, default=3)
    parser.add_argument("--report", metavar="FILE")
    options = parser.parse_args()
    suite = Suite("drivers")
    faults = [("power-off", power_off)] * options.kills + [("partition", partition)] * options.partitions
    folder = tempfile.mkdtemp(prefix="reeve-drivers.")
    try:
        programs = build(folder)
        with rig.fleet_for(3) as fleet:
            scene = Scene(fleet, programs)
            try:
                scene.wait_all(0, 60)
                seen, caught = [], {}
                for kind, make in faults:
                    still, under_way = one_fault(scene, suite, kind, make)
                    seen.append((kind, still))
                    caught[kind] = caught.get(kind, set()) | under_way
                # Between two statements there are 50 ms: that one is under way is nearly always so, and is seen for each driver.
                for kind, names in caught.items():
                    missed = {writer.name for writer in scene.writers if writer.sleep_s} - names
                    suite.check(not missed, "%s: no statement of %s was under way that got no answer", kind, sorted(missed))
                lines = lines_of_report(scene, seen, scene.missing())
            finally:
                scene.stop()
        for line in lines:
            suite.say(line)
        rig.write_report(options.report, "Drivers that lose a host", lines)
    except Problem as problem:
        suite.fail(str(problem))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
