# SPDX-License-Identifier: Apache-2.0
"""A hostile agent on a live fleet: with a host's own certificate it claims things about members of other hosts, asks for their certificates and goals, and
speaks as an agent from before. What it says about others must change nothing."""
import contextlib
import json
import os
import subprocess
import time

import control
import rig
from etcd_attacks import Thief
from rows import Attack
from state import CONTROL

MARK = "claimed by the red team"
PEER_KEY = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
WATCH = ("DO $$ BEGIN FOR i IN 1..150 LOOP IF EXISTS (SELECT FROM cluster_member WHERE id = decode('%s', 'hex') AND problem = '%s') THEN RAISE NOTICE 'seen'; EXIT; END IF; "
         "PERFORM pg_sleep(0.01); END LOOP; END $$")
FACTS = {"agentVersion": "0.1.0", "patroniVersion": "4.0.7", "postgresVersions": ["17.6"], "cpus": 2, "memoryMb": 24000, "diskGb": 80, "walls": []}
REPORTS, GOALS = "hosts report about their own members only", "goals have a host's own members only"
CERTIFICATES, EPOCHS = "hosts get certificates of their own members only", "agents of an older epoch are refused"
DRILL_REPORTS = "hosts report about their own drills only"
EXPORT_REPORTS = "hosts report about their own exports only"
PEERING_REPORTS = "hosts report about their own peerings only"
SEAT_REPORTS, SEAT_CERTIFICATES = "hosts report about their own seats only", "hosts get certificates of their own seats only"
ADVICE = "hosts advise about their own members only"
OWN_REPORTS = "only repository hosts say that they keep the control plane's database"
VERSIONS = "one host's word about a version restarts nobody"
SUBJECTS = "what a certificate says is decided by who signs it"


class Hostile:
    """The agent of a host that has no member of the cluster `apart`."""

    def __init__(self, ground):
        self.fleet = ground.fleet
        apart = rig.members(self.fleet, ground.apart)[0]
        self.own = next(one for one in rig.members(self.fleet, ground.names["thief"]) if one.host != apart.host)
        self.apart, self.thief = apart, Thief(self.fleet, self.own, os.path.join(ground.folder, "hostile"))
        everyone = rig.members(self.fleet, ground.names["thief"]) + rig.members(self.fleet, ground.names["victim"]) + [apart]
        self.others = [one for one in everyone if one.host != self.own.host]
        self.host_id, self.epoch = control.superuser(self.fleet, "SELECT encode(id, 'hex'), epoch FROM host WHERE name = '%s'" % self.own.host)[0]
        self.other_host = control.superuser(self.fleet, "SELECT encode(id, 'hex') FROM host WHERE name = '%s'" % apart.host)[0][0]
        self.csr = subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null", "-subj",
                                   "/O=reeve-host/CN=" + self.other_host, "-addext", "subjectAltName=DNS:%s,IP:%s" % (apart.name, apart.address)],
                                  check=True, capture_output=True, text=True).stdout

    def ask(self, method, path, body=None, node="control1"):
        """Answers are read whole: a goal is long."""
        return self.thief.ask(CONTROL[node], control.AGENT_PORT, "host", method, path, None if body is None else json.dumps(body), seconds=20, most=1 << 22)

    def report(self, epoch=None, **changes):
        return self.ask("POST", "/agent/v1/report", {"epoch": int(self.epoch) if epoch is None else epoch, "version": 1, "bootId": "x", "facts": FACTS, "members": [],
                                                     "tasks": [], "logs": [], "strays": [], **changes})

    # ---- Attempts ----
    def claim(self, member, **changes):
        """The agent of its host says soon how it really is: so somebody watches meanwhile."""
        watch = subprocess.Popen(["psql", "-X", "-q", "-h", self.fleet.path("postgres"), "-U", "postgres", "-d", "reeve", "-c", WATCH % (member.id, MARK)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        self.report(members=[{"id": member.id, "unit": "active", "role": "PRIMARY", "running": "running", "timeline": 9, "lagBytes": 0, "version": "17.6", "goalGeneration": 1,
                              "accessGeneration": 1, "restartNonce": 0, "pendingRestart": False, "problem": MARK, **changes}])
        return "taken over" if "seen" in watch.communicate()[1] else None

    def claim_task(self, member):
        task = os.urandom(12).hex()
        control.superuser(self.fleet, "INSERT INTO host_task (id, org_id, host_id, member_id, kind) SELECT decode('%s', 'hex'), org_id, host_id, id, 'RED' FROM cluster_member "
                                      "WHERE id = decode('%s', 'hex')" % (task, member.id))
        try:
            self.report(tasks=[{"id": task, "outcome": "DONE", "detail": MARK}])
            found = control.superuser(self.fleet, "SELECT to_jsonb(t) FROM host_task t WHERE id = decode('%s', 'hex')" % task)
            return "taken over" if MARK in str(found) else None
        finally:
            control.superuser(self.fleet, "DELETE FROM host_task WHERE id = decode('%s', 'hex')" % task)

    @contextlib.contextmanager
    def seat_elsewhere(self):
        """Backups of another tenant's cluster, on another host. No agent knows of them: nobody but the attacker says anything about them."""
        stanza, seat = os.urandom(12).hex(), os.urandom(12).hex()
        control.superuser(self.fleet, "INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, state, cipher) SELECT decode('%s', 'hex'), "
                                      "c.org_id, c.project_id, c.id, c.name, 99, c.set_name || '-99', '17', 'FROZEN', '' FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id "
                                      "WHERE m.id = decode('%s', 'hex')" % (stanza, self.apart.id))
        # On a host that has no agent, which would have to make something of it.
        control.superuser(self.fleet, "INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb) SELECT decode('%s', 'hex'), 'red-%s', provider, region, zone, "
                                      "'REPOSITORY', 1, 1, 1 FROM host WHERE id = decode('%s', 'hex')" % (seat, seat, self.other_host))
        control.superuser(self.fleet, "INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb) SELECT decode('%s', 'hex'), s.org_id, s.id, decode('%s', 'hex'), 0, 0 "
                                      "FROM backup_stanza s WHERE s.id = decode('%s', 'hex')" % (seat, seat, stanza))
        try:
            yield seat
        finally:
            control.superuser(self.fleet, "DELETE FROM stanza_seat WHERE id = decode('%s', 'hex')" % seat)
            control.superuser(self.fleet, "DELETE FROM backup_stanza WHERE id = decode('%s', 'hex')" % stanza)
            control.superuser(self.fleet, "DELETE FROM host WHERE id = decode('%s', 'hex')" % seat)

    def claim_seat(self, **changes):
        with self.seat_elsewhere() as seat:
            self.report(seats=[{"id": seat, "unit": "failed", "problem": MARK, "spans": [], "snapshots": [], **changes}])
            found = control.superuser(self.fleet, "SELECT problem FROM stanza_seat WHERE id = decode('%s', 'hex') UNION ALL SELECT label FROM snapshot_copy WHERE seat_id = decode('%s', 'hex') "
                                                  "UNION ALL SELECT ended_by FROM wal_span WHERE seat_id = decode('%s', 'hex')" % (seat, seat, seat))
            return "taken over" if MARK in str(found) else None

    def claim_first_seat(self):
        """As the host that has copies of the same backups. They are on their way out, so that its own agent makes nothing of them."""
        with self.seat_elsewhere() as seat:
            copy = os.urandom(12).hex()
            control.superuser(self.fleet, "INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, is_copy, reserved_gb, desired) SELECT decode('%s', 'hex'), t.org_id, t.stanza_id, decode('%s', 'hex'), 1, "
                                          "true, 0, 'REMOVED' FROM stanza_seat t WHERE t.id = decode('%s', 'hex')" % (copy, self.host_id, seat))
            try:
                self.report(seats=[{"id": one, "unit": "failed", "problem": MARK, "spans": [], "snapshots": []} for one in (copy, seat)])
                found = control.superuser(self.fleet, "SELECT problem FROM stanza_seat WHERE id = decode('%s', 'hex')" % seat)
                return "taken over" if MARK in str(found) else None
            finally:
                control.superuser(self.fleet, "DELETE FROM stanza_seat WHERE id = decode('%s', 'hex')" % copy)

    def claim_drill(self):
        """That another's backups are proven, when they are not."""
        with self.seat_elsewhere() as seat:
            control.superuser(self.fleet, "INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, seat_id, origin, state, given_at) SELECT t.id, t.org_id, z.project_id, z.cluster_id, z.id, t.id, "
                                          "'ON_DEMAND', 'RUNNING', now() FROM stanza_seat t JOIN backup_stanza z ON z.id = t.stanza_id WHERE t.id = decode('%s', 'hex')" % seat)
            self.report(seats=[{"id": seat, "unit": "active", "spans": [], "drill": {"id": seat, "state": "PASSED", "problem": MARK}}])
            found = control.superuser(self.fleet, "SELECT problem FROM drill WHERE id = decode('%s', 'hex')" % seat)
            return "taken over" if MARK in str(found) else None

    def claim_export(self):
        """That another's snapshot is in its bucket, when it is not."""
        with self.seat_elsewhere() as seat:
            control.superuser(self.fleet, "INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, seat_id, snapshot_id, snapshot_at, bucket_id, prefix, state, given_at) SELECT t.id, t.org_id, "
                                          "z.project_id, z.cluster_id, z.id, t.id, t.id, now(), t.id, 'p', 'RUNNING', now() FROM stanza_seat t JOIN backup_stanza z ON z.id = t.stanza_id WHERE t.id = decode('%s', 'hex')" % seat)
            self.report(seats=[{"id": seat, "unit": "active", "spans": [], "export": {"id": seat, "state": "SUCCEEDED", "problem": MARK}}])
            found = control.superuser(self.fleet, "SELECT problem FROM export_job WHERE id = decode('%s', 'hex')" % seat)
            control.superuser(self.fleet, "DELETE FROM export_job WHERE id = decode('%s', 'hex')" % seat)
            return "taken over" if MARK in str(found) else None

    def claim_peering(self):
        """Whoever puts a key of theirs among the ends of another's tunnel is sent what is for the members."""
        row = self.apart.id
        control.superuser(self.fleet, "INSERT INTO network_container (id, org_id, project_id, provider, region, block) SELECT m.id, c.org_id, c.project_id, h.provider, h.region, "
                                      "host(a.address)::cidr FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id JOIN host h ON h.id = m.host_id JOIN host_address a ON "
                                      "a.member_id = m.id WHERE m.id = decode('%s', 'hex')" % row)
        control.superuser(self.fleet, "INSERT INTO network_peer (id, org_id, project_id, container_id, provider, region, port, public_key, blocks) SELECT n.id, n.org_id, n.project_id, "
                                      "n.id, n.provider, n.region, 55915, '%s', '{192.168.7.0/24}' FROM network_container n WHERE n.id = decode('%s', 'hex')" % (PEER_KEY, row))
        self.report(peerings=[{"id": row, "state": "OPEN", "publicKey": PEER_KEY}])
        found = control.superuser(self.fleet, "SELECT encode(host_id, 'hex') FROM network_peer_gateway WHERE peer_id = decode('%s', 'hex')" % row)
        control.superuser(self.fleet, "DELETE FROM network_container WHERE id = decode('%s', 'hex')" % row)
        return "its key is among them" if [self.host_id] in [list(one) for one in found] else None

    def store_elsewhere(self):
        """Where it is and its sealed keys would come together."""
        with self.seat_elsewhere() as seat:
            control.superuser(self.fleet, "INSERT INTO object_store (name, endpoint, bucket, region, keys) VALUES ('red', 'https://%s', 'b', 'r', '\\x00')" % MARK)
            control.superuser(self.fleet, "UPDATE stanza_seat SET object_store = 'red' WHERE id = decode('%s', 'hex')" % seat)
            try:
                return "it is there" if MARK in (self.goal() or "") else None
            finally:
                control.superuser(self.fleet, "UPDATE stanza_seat SET object_store = NULL WHERE object_store = 'red'")
                control.superuser(self.fleet, "DELETE FROM object_store WHERE name = 'red'")

    def claim_advice(self, member):
        """That another's member lacks something, and would need an index. Its own agent says within a minute how it really is."""
        shape = {"database": "shop", "text": MARK, "command": "SELECT", "table": "", "calls": 1, "ms": 1, "rows": 1, "bytes": 1}
        self.ask("POST", "/agent/v1/members/%s/advice" % member.id, {"at": int((time.time() + 3600) * 1000), "missing": MARK, "shapes": [shape], "slow": []})
        found = control.superuser(self.fleet, "SELECT missing FROM member_advice WHERE member_id = decode('%s', 'hex') UNION ALL SELECT text FROM query_shape WHERE text = '%s'" % (member.id, MARK))
        control.superuser(self.fleet, "DELETE FROM query_shape WHERE text = '%s'" % MARK)
        control.superuser(self.fleet, "DELETE FROM member_advice WHERE missing = '%s'" % MARK)
        return "taken over" if MARK in str(found) else None

    def claim_own_database(self):
        """That all is well with the control plane's own backups, when a host of databases cannot have any."""
        self.report(ownDatabase={"id": self.host_id, "unit": "active", "problem": MARK, "windowTo": "2099-01-01T00:00:00Z"})
        found = control.superuser(self.fleet, "SELECT problem FROM own_backup WHERE host_id = decode('%s', 'hex')" % self.host_id)
        self.report(ownDatabase={"id": self.host_id, "unit": "absent"})  # what was taken over once would stand
        return "taken over" if MARK in str(found) else None

    def claim_version(self):
        """That a version is here which no other host has: a rollout would restart members of clusters that are also elsewhere."""
        major = control.superuser(self.fleet, "SELECT major_version FROM cluster LIMIT 1")[0][0]
        self.report(facts={**FACTS, "postgresVersions": [major + ".999"]})
        found = control.superuser(self.fleet, "SELECT f.name FROM fleet_versions f WHERE f.verdict = 'BEHIND' AND f.installed LIKE '%.999' AND f.members > 1")
        self.report()  # the host's own agent says soon how it really is
        return "a rollout would update %s" % found if found else None

    def seat_certificate(self):
        with self.seat_elsewhere() as seat:
            return self.certificate("/agent/v1/seats/%s/certificate" % seat, ("subject",))

    def speak_for_host(self, **more):
        self.report(strays=[MARK], **more)
        found = control.superuser(self.fleet, "SELECT to_jsonb(h)::text FROM host h WHERE id = decode('%s', 'hex')" % self.other_host)
        return "taken over" if MARK in str(found) else None

    def certificate(self, path, wrong, **more):
        status, answer = self.ask("POST", path, {"csr": self.csr, **more})
        if status != 200:
            return None
        shown = subprocess.run(["openssl", "x509", "-noout", "-subject", "-ext", "subjectAltName"], input=json.loads(answer)["certificate"], check=False,
                               capture_output=True, text=True).stdout
        return next(("it says " + shown for word in wrong if word in shown), None)

    def goal(self, epoch=None):
        status, answer = self.ask("GET", "/agent/v1/goal?after=0&epoch=%s" % (self.epoch if epoch is None else epoch))
        return answer if status == 200 else None


def of_goals(hostile, ground):
    secret = [row[0] for row in control.superuser(hostile.fleet, "SELECT set_name FROM cluster WHERE name = '%s'" % ground.apart)]
    with_apart = {"the cluster": secret[0], "its member": hostile.apart.id, "its address": hostile.apart.address}

    def has(word):
        goal = hostile.goal()
        if goal is None:
            raise AssertionError("no goal")
        return "it is there" if word in goal else None
    for what, word in with_apart.items():
        yield "goal: %s of a cluster that has no member here" % what, GOALS, lambda w=word: has(w)

    def members():
        found = {one["id"] for one in json.loads(hostile.goal())["members"]} & {one.id for one in hostile.others}
        return "members of other hosts: %s" % found if found else None
    yield "goal: members of other hosts", GOALS, members
    yield "goal: the object store of another's seat", GOALS, hostile.store_elsewhere


def rows_of(hostile, ground):
    for one in hostile.others:
        for role in ("PRIMARY", "NONE"):
            yield "report: %s is %s" % (one.name, role), REPORTS, lambda o=one, r=role: hostile.claim(o, role=r)
        yield "report: %s stands still" % one.name, REPORTS, lambda o=one: hostile.claim(o, unit="failed", running="stopped")
        yield "report: %s is gone" % one.name, REPORTS, lambda o=one: hostile.claim(o, unit="absent", running="absent", role="NONE")
        yield "report: %s runs another version" % one.name, REPORTS, lambda o=one: hostile.claim(o, version="17.1")
        yield "report: a task of %s is done" % one.name, REPORTS, lambda o=one: hostile.claim_task(o)
        yield "advice: about %s" % one.name, ADVICE, lambda o=one: hostile.claim_advice(o)
        for purpose in ("CLUSTER", "MEMBER", "ETCD", None):
            yield ("certificate: %s of %s" % (purpose, one.name), CERTIFICATES,
                   lambda o=one, p=purpose: hostile.certificate("/agent/v1/members/%s/certificate" % o.id, ("subject",), **({"purpose": p} if p else {})))
    yield "report: another's seat has failed", SEAT_REPORTS, hostile.claim_seat
    yield "report: the first seat of what it has copies of has failed", SEAT_REPORTS, hostile.claim_first_seat
    yield "report: another's drill has passed", DRILL_REPORTS, hostile.claim_drill
    yield "report: another's export is done", EXPORT_REPORTS, hostile.claim_export
    yield "report: a key among those of another's peering", PEERING_REPORTS, hostile.claim_peering
    yield "report: a version that no other host has", VERSIONS, hostile.claim_version
    yield "report: the control plane's database is kept here", OWN_REPORTS, hostile.claim_own_database
    yield ("report: another's seat has a snapshot", SEAT_REPORTS,
           lambda: hostile.claim_seat(problem=None, snapshots=[{"id": os.urandom(12).hex(), "state": "COMPLETED", "label": MARK, "needs": [], "policyItems": []}]))
    yield ("report: another's seat has a gap", SEAT_REPORTS,
           lambda: hostile.claim_seat(problem=None, spans=[{"ordinal": 0, "fromLsn": "0/1", "toLsn": "0/2", "fromTimeline": 1, "toTimeline": 1, "fromAt": "2026-01-01", "toAt": "2026-01-02", "endedBy": MARK}]))
    yield "certificate: of another's seat", SEAT_CERTIFICATES, hostile.seat_certificate
    for more in ({"hostId": hostile.other_host}, {"host": hostile.other_host}, {"hostName": hostile.apart.host}):
        yield "report: as another host, %s" % next(iter(more)), REPORTS, lambda m=more: hostile.speak_for_host(**m)
    yield from of_goals(hostile, ground)
    for what, epoch in (("older", int(hostile.epoch) - 1), ("newer", int(hostile.epoch) + 1), ("zero", 0), ("negative", -1)):
        yield "goal: %s epoch" % what, EPOCHS, lambda e=epoch: hostile.goal(e) and "a goal"
        yield "report: %s epoch" % what, EPOCHS, lambda e=epoch: None if hostile.report(epoch=e)[0] != 200 else "taken over"
    yield "certificate: of another host's name", SUBJECTS, lambda: hostile.certificate("/agent/v1/certificate", (hostile.other_host, hostile.apart.name))
    for purpose in ("CLUSTER", "MEMBER", "ETCD"):
        yield ("certificate: %s of its own member with another's names" % purpose, SUBJECTS,
               lambda p=purpose: hostile.certificate("/agent/v1/members/%s/certificate" % hostile.own.id, (hostile.other_host, hostile.apart.name, hostile.apart.address), purpose=p))
    for token in ("", "x", "reeve_join_" + "A" * 49, "reeve_join_" + "A" * 49 + ":" + "0" * 64):
        yield ("join: with the token %s" % token[:12], "hosts join with a token that was made for them",
               lambda t=token: None if hostile.ask("POST", "/agent/v1/join", {"token": t, "csr": hostile.csr, "facts": FACTS})[0] != 201 else "joined")


def attacks(ground):
    ground.hostile = hostile = Hostile(ground)
    for name, wall, attempt in rows_of(hostile, ground):
        yield Attack("hostile agent, " + name, "certificate", wall, attempt, alone=True)
