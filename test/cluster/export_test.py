#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Exports of snapshots on real hosts, through the whole control plane, to a real server that speaks S3 (object_store/): what is in the bucket is imported with
pg_restore, or loaded from CSV, and is what the snapshot has; a schedule has its snapshots exported once; killed in the middle it goes on, and sends nothing twice; a store that refuses or is away is told as such; who uploads
reaches the store and nothing else. Needs root."""
import collections
import contextlib
import datetime
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys

import rig
from backup_life_test import CLUSTER, Protected, gone_with_the_cluster
from tenant import DATABASE, client_address, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import node_packages  # noqa: E402
import process  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "object_store")
BUCKET, KEY, SECRET, PORT = "exports", "EXPORTER", "correct-horse/battery+staple=", 9000
TABLES, ROWS = 300, 50
OBJECT = "._S3rver_object"
LEFT = "ls /var/lib/reeve/drills /etc/systemd/system | grep -E 'reeve-export|^[0-9a-f]{24}'; nft list set inet reeve confined | grep elements; true"
FILL = """DO $$ BEGIN FOR i IN 1..%d LOOP EXECUTE format('CREATE TABLE t%%s (n int PRIMARY KEY, words text)', i);
    EXECUTE format('INSERT INTO t%%s SELECT g, md5(g::text || %%L) FROM generate_series(1, %d) g', i, i); END LOOP; END $$;
    CREATE TABLE "a b/../c" (n int); INSERT INTO "a b/../c" VALUES (7)""" % (TABLES, ROWS)
# What must not be run by somebody who reads: it would end the export.
TRAPS = """CREATE FUNCTION trap() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the code of the tenant was run'; END $$;
    CREATE TABLE guarded (n int DEFAULT trap(), words text); INSERT INTO guarded VALUES (1, E'two\nlines, "and more"'), (2, ''), (3, NULL);
    ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON guarded USING (trap() = n); CREATE VIEW looks AS SELECT trap() AS n;
    CREATE TABLE parts (n int) PARTITION BY RANGE (n); CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (10); CREATE TABLE high PARTITION OF parts FOR VALUES FROM (10) TO (20);
    INSERT INTO parts VALUES (1), (11), (12); CREATE TABLE numbered (n serial PRIMARY KEY); INSERT INTO numbered SELECT nextval('numbered_n_seq') FROM generate_series(1, 5);
    CREATE TABLE "../../etc\n/passwd" (n int); INSERT INTO "../../etc\n/passwd" VALUES (8)"""
MORE_TABLES = 6  # beside those with numbers
SUM = "SELECT md5(string_agg(s, ',' ORDER BY s)) FROM (SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) AS s FROM (%s) t GROUP BY i) x" % (
    " UNION ALL ".join("SELECT %d AS i, n, words FROM t%d" % (i, i) for i in range(1, TABLES + 1)))


class Store:
    """The server, and what is in its bucket."""

    def __init__(self, fleet):
        self.fleet, self.folder, self.address = fleet, fleet.path("objects"), control.RECEIVER[0]
        self.url = "https://%s:%d" % (self.address, PORT)
        node_packages.install(HERE)
        os.makedirs(self.folder, exist_ok=True)
        with open(fleet.path("objects.json"), "w", encoding="utf-8") as file:
            json.dump({"address": self.address, "port": PORT, "certificate": fleet.path("tls/control/certificate.pem"), "key": fleet.path("tls/control/key.pem"),
                       "folder": self.folder, "buckets": [BUCKET], "keys": {KEY: SECRET}}, file)
        if process.pid_of(fleet, "objects"):
            process.stop(fleet, "objects")
        with contextlib.suppress(FileNotFoundError):
            os.truncate(process.log_path(fleet, "objects"), 0)  # of an earlier run on the same fleet
        process.start(fleet, "objects", "control", ["node", os.path.join(HERE, "server.js"), fleet.path("objects.json")])
        process.wait_ready(fleet, "objects", lambda: subprocess.run(process.network.command(fleet, "control", ["curl", "-sk", self.url]), check=False,
                                                                    capture_output=True).returncode == 0, 30)

    def signal(self, name):
        subprocess.run(["kill", "-" + name, str(process.pid_of(self.fleet, "objects"))], check=True)

    @contextlib.contextmanager
    def silent_after(self, count):
        """So many objects were written since, and then the server says nothing for as long as the block takes."""
        before = sum(number for (method, _), number in self.requests().items() if method == "PUT")
        wait_until(lambda: sum(number for (method, _), number in self.requests().items() if method == "PUT") >= before + count, "%d objects are written" % count, 180, every=0.01)
        self.signal("STOP")
        try:
            yield
        finally:
            self.signal("CONT")

    def requests(self):
        """How often each method was answered with 200, of each object."""
        counts = collections.Counter()
        with open(process.log_path(self.fleet, "objects"), encoding="utf-8") as file:
            for words in map(str.split, file):
                if len(words) == 3 and words[2] == "200":
                    counts[words[0], words[1]] += 1
        return counts

    def objects(self, prefix):
        """Path below the prefix: file."""
        top = os.path.join(self.folder, BUCKET, prefix)
        found = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names if name.endswith(OBJECT)]
        return {os.path.relpath(path, top)[:-len(OBJECT)]: path for path in found}


class Exporter(Protected):
    def __init__(self, fleet):
        super().__init__(fleet)
        self.store = Store(fleet)
        self.password = self.tenant.create_user()
        self.tenant.allow(client_address())
        self.snapshot = self.bucket = None

    def dsn(self):
        return self.tenant.dsn(self.tenant.cluster(CLUSTER), "app", self.password)

    def register(self, **changes):
        return self.tenant.ask("POST", self.tenant.of_project("/backup/exportBuckets"), {
            "bucketName": BUCKET, "cloudProvider": "AWS", "serviceUrl": self.store.url, "accessKeyId": KEY, "secretAccessKey": SECRET, **changes})["_id"]

    def begin(self, bucket, **more):
        return self.ask("POST", "/backup/exports", {"exportBucketId": bucket, "snapshotId": self.snapshot, "customData": [{"key": "ticket", "value": "4711"}], **more})["id"]

    def exports(self):
        return self.ask("GET", "/backup/exports")["results"]

    def shown(self, export):
        return self.ask("GET", "/backup/exports/" + export)

    def wait_ended(self, export, seconds=240):
        wait_until(lambda: self.shown(export)["state"] not in ("Queued", "InProgress"), "the export is over", seconds, every=0.3)
        return self.shown(export)

    def on_host(self, command):
        return hosts.run(self.fleet, self.repository, "sh", "-c", command)

    def kill_while_active(self, stage):
        """Whether its unit ran, and was killed."""
        unit = "'reeve-export-*-%s.service'" % stage
        return "killed" in self.on_host("systemctl is-active --quiet %s && systemctl kill --signal=KILL %s && echo killed; true" % (unit, unit))

    def uploader(self):
        """Process of the unit that uploads; empty: it does not run."""
        return self.on_host("systemctl show --property=MainPID --value 'reeve-export-*-upload.service' | grep -v '^0$' || true").strip()


def a_snapshot_is_there(suite, made):
    made.create()
    wait_psql(made.fleet, made.dsn(), "SELECT 1", 60)
    for statements in (FILL, TRAPS):
        status, _, said = psql(made.fleet, made.dsn(), statements)
        suite.equal((status, said), (0, ""), "rows")
    made.sum = psql(made.fleet, made.dsn(), SUM)[1].strip()
    suite.check(len(made.sum) == 32, "their checksum: %s", made.sum)
    wait_until(lambda: [one["status"] for one in made.snapshots()] == ["completed"], "the first snapshot", 90)
    made.snapshot = made.ask("POST", "/backup/snapshots", {"description": "for export", "retentionInDays": 1})["id"]
    wait_until(lambda: made.ask("GET", "/backup/snapshots/" + made.snapshot)["status"] == "completed", "a snapshot with the rows", 120)
    psql(made.fleet, made.dsn(), "DROP TABLE t1")  # what happens later is not part of it
    made.bucket = made.register()


def killed_in_the_middle_it_goes_on(suite, made):
    export = made.begin(made.bucket)
    wait_until(lambda: made.kill_while_active("dump"), "it is killed while it dumps", 120, every=0.02)
    with made.store.silent_after(20):
        wait_until(lambda: made.shown(export)["state"] == "InProgress", "it is known to be under way", 30)
        made.on_host("systemctl kill --signal=KILL 'reeve-export-*-upload.service'")
    there = [key for (method, key), count in made.store.requests().items() if method == "PUT"]
    suite.check(0 < len(there) < TABLES, "objects when it was killed: %d", len(there))
    done = made.wait_ended(export)
    suite.equal((done["state"], done.get("stateReason")), ("Successful", None), "an export that was killed")
    suite.equal(done["exportStatus"], {"exportedCollections": TABLES + MORE_TABLES, "totalCollections": TABLES + MORE_TABLES}, "its tables")
    requests = made.store.requests()
    twice = [key for (method, key), count in requests.items() if method == "PUT" and count > 1]
    suite.check(len(twice) <= 1, "what was sent twice is at most what was under way: %s", twice)
    suite.check(len([key for key in there if ("HEAD", key) in requests]) >= len(there) - 1, "what was there is looked at only")
    suite.equal(made.on_host(LEFT).split(), [], "what is left on the repository host")
    return done


def everything_is_in_the_bucket(suite, made, done, form):
    objects = made.store.objects(done["prefix"])
    with open(objects["manifest.json"], encoding="utf-8") as file:
        manifest = json.load(file)
    suite.equal((manifest["snapshotId"], manifest["exportId"], manifest["clusterName"], manifest["customData"], (manifest["format"], manifest["compression"])),
                (made.snapshot, done["id"], CLUSTER, [{"key": "ticket", "value": "4711"}], form), "the manifest")
    listed = {one["path"]: one for one in manifest["files"]}
    suite.equal(sorted(listed), sorted(set(objects) - {"manifest.json", ".complete"}), "files of the manifest")
    wrong = [path for path, one in listed.items() if (os.path.getsize(objects[path]), hashlib.sha256(open(objects[path], "rb").read()).hexdigest()) != (one["bytes"], one["sha256"])]
    suite.equal(wrong, [], "objects that are not what the manifest says")
    order = [line.split()[1] for line in open(process.log_path(made.fleet, "objects"), encoding="utf-8") if line.startswith("PUT ")]
    suite.check(order[-2].endswith("manifest.json") and order[-1].endswith(".complete"), "the manifest and .complete come last: %s", order[-2:])
    suite.check("EXPORTER" not in json.dumps(manifest) and "PASSWORD" not in open(objects["roles.sql"], encoding="utf-8").read(), "nothing secret is in the bucket")
    return objects, manifest


def pg_restore(folder, _):
    return "/usr/lib/postgresql/17/bin/pg_restore $PLACE --no-owner --no-privileges -d fresh %s" % folder


def load_csv(folder, files):
    """As the guide says."""
    lines = ["psql -X -q -v ON_ERROR_STOP=1 $PLACE -d fresh -f %s/schema.sql" % folder]
    for one in files:
        if "table" in one:
            name = ".".join('"%s"' % one[part].replace('"', '""') for part in ("schema", "table"))
            lines.append("zcat %s/%s | psql -X -q -v ON_ERROR_STOP=1 $PLACE -d fresh -c %s" % (folder, one["path"].partition("/")[2], shlex.quote("COPY %s FROM STDIN (FORMAT csv, HEADER)" % name)))
    lines.append("psql -X -q -v ON_ERROR_STOP=1 $PLACE -d fresh -f %s/sequences.sql -f %s/constraints.sql" % (folder, folder))
    return " && ".join(lines)


def it_can_be_imported(suite, made, objects, manifest, load):
    """Into a database of its own, with the programs that users have."""
    member = rig.primary_of(made.fleet, CLUSTER)
    source = next(one["folder"] for one in manifest["databases"] if one["name"] == DATABASE)
    target = hosts.folder(made.fleet, member.host, "root", "var/tmp/exported")
    shutil.rmtree(target, ignore_errors=True)
    for path, file in objects.items():
        if path.startswith(source + "/"):
            copy = os.path.join(target, path[len(source) + 1:])
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(file, copy)
    place = "-U postgres -h /var/lib/reeve/members/%s/run -p 5432" % member.id
    with open(os.path.join(target, "load.sh"), "w", encoding="utf-8") as file:
        file.write("PLACE='%s'\npsql -X -q $PLACE -d postgres -c 'CREATE DATABASE fresh' && %s\n" % (
            place, load("/var/tmp/exported", [one for one in manifest["files"] if one["path"].startswith(source + "/")])))
    said = hosts.run(made.fleet, member.host, "sh", "-c", "sh /var/tmp/exported/load.sh 2>&1", timeout=240, check=False)
    suite.check("error" not in said.lower(), "%s: %s", load.__name__, said[-2000:])
    found = rig.superuser(made.fleet, member, SUM, "fresh")
    suite.equal(found, [[made.sum]], "the checksum of all rows, of a table too that was dropped meanwhile")
    suite.equal(rig.superuser(made.fleet, member, 'SELECT n FROM "a b/../c" UNION ALL SELECT n FROM "../../etc\n/passwd"', "fresh"), [["7"], ["8"]], "tables with odd names")
    suite.equal(rig.superuser(made.fleet, member, "SELECT string_agg(n || ':' || coalesce(to_json(words)::text, 'null'), ' ' ORDER BY n) FROM guarded", "fresh"),
                [['1:"two\\nlines, \\"and more\\"" 2:"" 3:null']], "texts as they were")
    suite.equal(rig.superuser(made.fleet, member, "SELECT (SELECT count(*) FROM parts), (SELECT count(*) FROM high), nextval('numbered_n_seq') > 5", "fresh"), [["3", "2", "t"]],
                "partitions, and sequences, which go on 32 numbers later after a recovery")
    hosts.run(made.fleet, member.host, "sh", "-c", "psql -X -q %s -d postgres -c 'DROP DATABASE fresh'; rm -r /var/tmp/exported" % place)


def as_csv(suite, made):
    done = made.wait_ended(made.begin(made.bucket, format="CSV"))
    suite.equal((done["state"], done["format"], done.get("stateReason")), ("Successful", "CSV", None), "an export as CSV")
    suite.equal(done["exportStatus"], {"exportedCollections": TABLES + MORE_TABLES, "totalCollections": TABLES + MORE_TABLES}, "its tables")
    objects, manifest = everything_is_in_the_bucket(suite, made, done, ("csv", "gzip"))
    rows = {one["table"]: one["rows"] for one in manifest["files"] if "table" in one}
    suite.equal((len(rows), rows["t1"], rows["guarded"], rows["high"], rows["numbered"]), (TABLES + MORE_TABLES, ROWS, 3, 2, 5), "rows in the manifest")
    suite.check(not [path for path in objects if ".." in path or "\n" in path or "etc" in path], "no name leads anywhere: %s", sorted(objects)[:10])
    it_can_be_imported(suite, made, objects, manifest, load_csv)


def by_the_schedule(suite, made):
    """A monthly rule that is due in the next minute: its snapshot is exported, once."""
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=80)
    last = (due + datetime.timedelta(days=1)).day == 1
    if due.day > 28 and not last:
        suite.say("no monthly rule is due on the %dth" % due.day)
        return
    monthly = {"frequencyType": "monthly", "frequencyInterval": 40 if last else due.day, "retentionUnit": "days", "retentionValue": 3}
    made.ask("PATCH", "/backup/schedule", {
        "referenceHourOfDay": due.hour, "referenceMinuteOfHour": due.minute, "policies": [{"policyItems": [monthly]}],
        "autoExportEnabled": True, "export": {"exportBucketId": made.bucket, "frequencyType": "monthly", "format": "CSV"}})
    before = {one["id"] for one in made.exports()}
    wait_until(lambda: [one for one in made.snapshots() if one.get("frequencyType") == "monthly" and one["status"] == "completed"], "a monthly snapshot", 240)
    snapshot = next(one["id"] for one in made.snapshots() if one.get("frequencyType") == "monthly")
    wait_until(lambda: {one["id"] for one in made.exports()} - before, "an export that nobody asked for", 60)
    export = next(one for one in made.exports() if one["id"] not in before)
    done = made.wait_ended(export["id"])
    suite.equal((done["state"], done["snapshotId"], done["format"]), ("Successful", snapshot, "CSV"), "an export by the schedule")
    suite.check(".complete" in made.store.objects(done["prefix"]), "all of it is in the bucket")
    swept = made.sql("SELECT succeeded_at FROM sweep WHERE name = 'backup-exports'")
    wait_until(lambda: made.sql("SELECT succeeded_at FROM sweep WHERE name = 'backup-exports'") != swept, "the sweep comes again", 60)
    suite.equal(len({one["id"] for one in made.exports()} - before), 1, "it is exported once")
    made.tenant.ask("DELETE", made.tenant.of_project("/backup/exportBuckets/" + made.bucket), expect=(409,))
    made.ask("PATCH", "/backup/schedule", {"autoExportEnabled": False})


def who_uploads_reaches_the_store_alone(suite, made):
    export = made.begin(made.bucket)
    with made.store.silent_after(20):
        pid = made.uploader()
        user = made.on_host("stat -c %%u /proc/%s" % pid).strip()
        suite.check(70000 <= int(user) < 90000, "its user: %s", user)
        tries = {"the store": (control.RECEIVER[0], PORT, True), "the control plane": (control.RECEIVER[0], 8444, False), "its own host": ("127.0.0.1", 22, False),
                 "a member": (rig.members(made.fleet, CLUSTER)[0].address, 5432, False), "names": ("10.78.0.2", 53, False)}
        for what, (address, port, is_open) in tries.items():
            said = made.on_host("setpriv --reuid=%s --regid=%s --clear-groups timeout 3 bash -c 'exec 3<>/dev/tcp/%s/%d' 2>&1 && echo OPEN; true" % (user, user, address, port))
            suite.equal("OPEN" in said, is_open, "%s: %s" % (what, said))
        seen = made.on_host("tr '\\0' '\\n' < /proc/%s/environ; ls /proc/%s/root/var/lib/reeve /proc/%s/root/var/lib/reeve/drills/*; ls /proc/%s/root/var/lib/reeve/stanzas 2>&1; true" % (
            pid, pid, pid, pid))
        suite.check("No such file" in seen and "data" not in seen.split(), "what it sees: %s", seen)
        made.on_host("systemctl kill --signal=KILL reeve-agent; systemctl start reeve-agent")
    suite.equal(made.wait_ended(export)["state"], "Successful", "a store that was silent for a while, and an agent that was killed")


def a_store_that_refuses_ends_it(suite, made):
    for what, changes, word in (("another key", {"accessKeyId": "SOMEBODY"}, "403 InvalidAccessKeyId"), ("a wrong secret", {"secretAccessKey": "wrong"}, "403 SignatureDoesNotMatch"),
                                ("no such bucket", {"bucketName": "elsewhere"}, "404 NoSuchBucket")):
        bucket = made.register(**changes)
        done = made.wait_ended(made.begin(bucket))
        reason = done.get("stateReason", {})
        suite.check(done["state"] == "Failed" and reason["errorCode"] == "EXPORT_BUCKET_REFUSED" and word in reason["message"] and "Check" in reason["message"], "%s: %s", what, done)
        suite.check(SECRET not in json.dumps(done) and "wrong" not in json.dumps(done), "no key is told")
        made.tenant.ask("DELETE", made.tenant.of_project("/backup/exportBuckets/" + bucket))
    kinds = [one["eventTypeName"] for one in made.tenant.ask("GET", made.tenant.of_project("/events?eventType=BACKUP_EXPORT_SUCCEEDED&eventType=BACKUP_EXPORT_FAILED"))["results"]]
    wait_until(lambda: len(made.tenant.ask("GET", made.tenant.of_project("/events?eventType=BACKUP_EXPORT_FAILED"))["results"]) == 3, "somebody is told: %s" % kinds, 60)
    suite.equal(made.on_host(LEFT).split(), [], "what is left on the repository host")


def main():
    suite = Suite("exports")
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            made = Exporter(fleet)
            a_snapshot_is_there(suite, made)
            done = killed_in_the_middle_it_goes_on(suite, made)
            objects, manifest = everything_is_in_the_bucket(suite, made, done, ("pg_dump directory", "zstd"))
            it_can_be_imported(suite, made, objects, manifest, pg_restore)
            as_csv(suite, made)
            by_the_schedule(suite, made)
            who_uploads_reaches_the_store_alone(suite, made)
            a_store_that_refuses_ends_it(suite, made)
            gone_with_the_cluster(suite, made)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
