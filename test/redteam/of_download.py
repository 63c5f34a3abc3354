# SPDX-License-Identifier: Apache-2.0
"""Files of snapshots: two tenants have one each, and one that was withdrawn. Whoever gets as far as the repository host, which is not there, has come through. What a real one
withstands (absurd ranges, a thousand slow readers, certificates of others) is in test/cluster/download_test.py."""
from client import Bearer
from rows import Attack
from world import PREFIX, connect, new_id, sql

HELD = (401, 403, 404, 405, 410, 429)


class File:
    """A download that is there, and its address."""

    def __init__(self, ground, project, cluster, owner, flex=False):
        self.id, kind = new_id(), "flexClusters" if flex else "clusters"
        sql("DELETE FROM restore_job WHERE delivery = 'DOWNLOAD' AND project_id = decode('%s', 'hex') AND cluster_name = '%s'" % (project, cluster))
        sql("INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, snapshot_at, is_last, delivery, state, "
            "finished_at) SELECT decode('%s', 'hex'), s.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, 'l', 'SNAPSHOT', n.id, now(), false, 'DOWNLOAD', 'DONE', now() "
            "FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id JOIN snapshot n ON n.stanza_id = s.id AND n.hidden_at IS NULL "
            "WHERE s.project_id = decode('%s', 'hex') AND s.cluster_name = '%s' LIMIT 1" % (self.id, project, cluster))
        sql("INSERT INTO download (restore_id, org_id, seat_id, host_id, port, reserved_gb, expires_at) SELECT id, org_id, seat_id, host_id, coalesce((SELECT max(port) FROM download), 27199) + 1, 0, "
            "now() + interval '1 day' FROM restore_job WHERE id = decode('%s', 'hex')" % self.id)
        self.job = PREFIX + "/groups/%s/%s/%s/backup/restoreJobs/%s" % (project, kind, cluster, self.id)
        with connect(ground.node) as connection:
            shown = connection.ask("GET", self.job, Bearer(owner)).json()
        url = shown["snapshotUrl"] if flex else shown["deliveryUrl"][0]
        self.path = "/api/" + url.partition("/api/")[2]
        self.token = self.path.split("/")[4]

    def withdraw(self):
        sql("UPDATE download SET ended_at = now() WHERE restore_id = decode('%s', 'hex')" % self.id)
        return self


def attacks(ground):
    facts = ground.facts
    owner, stranger = facts["owner"]["token"], facts["callers"]["stranger"]["token"]
    own, gone = File(ground, facts["p"], "c1", owner), File(ground, facts["p"], "c2", owner).withdraw()
    theirs, small = File(ground, facts["q"], "c1-b", stranger), File(ground, facts["p"], "small", owner, flex=True)

    def fetch(path, caller=None, method="GET"):
        with connect(ground.node) as connection:
            answer = connection.ask(method, path, caller and Bearer(caller))
        return None if answer.status in HELD else "%d %s" % (answer.status, answer.body[:120].decode(errors="replace"))

    def see(path, caller):
        with connect(ground.node) as connection:
            answer = connection.ask("GET", path, Bearer(caller))
        return "the address" if b"reeve_dl_" in answer.body else None

    def at(download, token, name=None):
        return "/api/downloads/%s/%s/%s.tar.gz" % (download, token, name or download)
    wall = "downloads are for whoever has their address"
    for name, path in (("a guess", at(own.id, "reeve_dl_" + "A" * 43)), ("no token", at(own.id, "")), ("the token of another tenant's", at(own.id, theirs.token)),
                       ("a tenant's token for another's", at(theirs.id, own.token)), ("a token that is cut short", at(own.id, own.token[:-1])), ("one that is longer", at(own.id, own.token + "A")),
                       ("in large letters", at(own.id, own.token.upper())), ("encoded", at(own.id, own.token.replace("_", "%5f"))), ("nothing's", at("0" * 24, own.token)),
                       ("a way up", "/api/downloads/%s/x/../%s/%s.tar.gz" % (own.id, theirs.token, own.id)), ("an encoded way up", at(own.id, "..%2f" + theirs.token)),
                       ("another name", at(own.id, own.token, theirs.id)), ("the node's own path", "/reeve-download/127.0.0.1:27200/%s/%s" % (facts["p"], own.id)),
                       ("the node's own path to elsewhere", "/reeve-download/169.254.169.254:80/a/b")):
        yield Attack("a download's address: " + name, "network", wall, lambda p=path: fetch(p))
    yield Attack("a download's address: a guess with an owner's credentials", "tenant", wall, lambda: fetch(at(own.id, "reeve_dl_" + "A" * 43), owner))
    yield Attack("a download's address: POST", "network", wall, lambda: fetch(own.path, method="POST"))
    yield Attack("a download's address after it was withdrawn", "network", "the address of a download ends with it", lambda: fetch(gone.path))
    yield Attack("a download's address: a reader's", "tenant", "addresses are shown to those who may ask for them", lambda: see(small.job, facts["callers"]["GROUP_READ_ONLY"]["token"]))
    yield Attack("a download's address: another tenant's", "tenant", "whoever has no role somewhere is a stranger there", lambda: see(own.job, stranger))
