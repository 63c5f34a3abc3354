# SPDX-License-Identifier: Apache-2.0
"""What several nodes know of each other's changes: what is granted works at once everywhere, what is taken away ends
everywhere within 5 seconds, also when the connection that brings the news is cut; credentials and nonces are good on all."""
import sys
import time

from client import Bearer, Digest, Literal
from suite import Contract, Suite, ends_on_signal
from world import PREFIX, World, connect, reeved, sql, start_node

REVOKED_WITHIN_S = 5.0
CONNECTIONS_EACH = 4  # so that, most likely, every process of a node is asked


class Everywhere:
    """Asks through several connections to each node, so that every process has its say."""

    def __init__(self, suite, nodes):
        self.suite, self.contract = suite, Contract()
        self.connections = [connect(node) for node in nodes for _ in range(CONNECTIONS_EACH)]

    def ask(self, method, target, auth, body=None):
        answers = [connection.ask(method, PREFIX + target, auth, body) for connection in self.connections]
        for answer in answers:
            problems = self.contract.problems(answer)
            if problems:
                self.suite.fail("%r: %s" % (answer, problems))
        return [answer.status for answer in answers]

    def at_once(self, what, status, method, target, auth, body=None):
        self.suite.equal(set(self.ask(method, target, auth, body)), {status}, what)

    def within(self, what, status, method, target, auth):
        """Until all say so; once one says so, it stays so."""
        began = time.monotonic()
        while True:
            asked_at = time.monotonic() - began
            if set(self.ask(method, target, auth)) == {status}:
                break
            if asked_at > REVOKED_WITHIN_S:
                self.suite.fail("%s: not everywhere %d after %.1f s" % (what, status, asked_at))
                return
            time.sleep(0.02)
        self.suite.check(asked_at <= REVOKED_WITHIN_S, "%s took %.1f s", what, asked_at)
        self.at_once(what + ", and it stays so", status, method, target, auth)
        self.suite.say("%s: everywhere after %.0f ms" % (what, 1000 * asked_at))

    def close(self):
        for connection in self.connections:
            connection.close()


def grant(principal, organization, role):
    sql("INSERT INTO role_grant (principal_id, org_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), '%s')" % (principal, organization, role))


def ungrant(principal, organization, tell=True):
    sql("BEGIN; DELETE FROM role_grant WHERE principal_id = decode('%s', 'hex') AND org_id = decode('%s', 'hex'); %s COMMIT;"
        % (principal, organization, "SELECT pg_notify('reeve_authority', 'principal:%s');" % principal if tell else ""))


def test_granted(suite, world, nodes, everywhere):
    caller = world.make_caller("granted")
    org = "/orgs/" + world.a.home
    everywhere.at_once("new credentials", 200, "GET", "", caller.bearer())
    everywhere.at_once("new credentials by Digest", 200, "GET", "", caller.digest())
    everywhere.at_once("before the role is granted", 401, "GET", org, caller.bearer())
    grant(caller.account, world.a.home, "ORG_MEMBER")  # nobody is told: whoever refuses looks again
    everywhere.at_once("just granted", 200, "GET", org, caller.bearer())
    everywhere.at_once("before a greater role", 403, "PATCH", org + "?dryRun=true", caller.bearer(), {"name": "x"})
    grant(caller.account, world.a.home, "ORG_OWNER")
    everywhere.at_once("just granted a greater role", 200, "PATCH", org + "?dryRun=true", caller.bearer(), {"name": "x"})
    project = world.make_project(world.a, "new everywhere")
    everywhere.at_once("a new project", 200, "GET", "/groups/" + project, world.a.bearer())


def test_taken_away(suite, world, nodes, everywhere):
    caller = world.make_caller("taken away")
    org = "/orgs/" + world.a.home
    grant(caller.account, world.a.home, "ORG_MEMBER")
    everywhere.at_once("with its role", 200, "GET", org, caller.bearer())
    ungrant(caller.account, world.a.home)
    everywhere.within("a role taken away", 401, "GET", org, caller.bearer())

    project = world.make_project(world.a, "soon gone")
    everywhere.at_once("the project", 200, "GET", "/groups/" + project, world.a.bearer())
    world.must(204, "DELETE", "/groups/" + project, world.a.bearer())
    everywhere.within("a project removed", 404, "GET", "/groups/" + project, world.a.bearer())

    everywhere.at_once("the token", 200, "GET", "", caller.bearer())
    world.connection.revoke_token(caller.client_id, caller.client_secret, caller.token)
    everywhere.within("a token revoked", 401, "GET", "", caller.bearer())

    listed = world.make_caller("listed")
    everywhere.at_once("without a list", 200, "GET", "", listed.bearer())
    sql("BEGIN; %s SELECT pg_notify('reeve_authority', 'principal:%s'); COMMIT;" % (world.listing(listed.account, listed.home, "203.0.113.0/24"), listed.account))
    everywhere.within("an access list that excludes the caller", 403, "GET", "", listed.bearer())

    removed = world.make_caller("removed")
    grant(world.a.account, removed.home, "ORG_OWNER")
    everywhere.at_once("the organization's own credentials", 200, "GET", "/orgs/" + removed.home, removed.bearer())
    everywhere.at_once("by Digest", 200, "GET", "/orgs/" + removed.home, removed.digest())
    world.must(204, "DELETE", "/orgs/" + removed.home, world.a.bearer())
    everywhere.within("credentials of an organization removed", 401, "GET", "", removed.bearer())
    everywhere.within("by Digest, too", 401, "GET", "", removed.digest())


def test_news_cut(suite, world, nodes, everywhere):
    """The connections that bring the news are ended by the server at the moment of the change."""
    caller = world.make_caller("cut")
    org = "/orgs/" + world.a.home
    grant(caller.account, world.a.home, "ORG_MEMBER")
    everywhere.at_once("with its role", 200, "GET", org, caller.bearer())
    ended = sql("BEGIN; DELETE FROM role_grant WHERE principal_id = decode('%s', 'hex') AND org_id = decode('%s', 'hex'); "
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'reeve' AND query IN ('LISTEN reeve_authority', 'SELECT 1'); COMMIT;" % (caller.account, world.a.home))
    suite.check(int(ended) >= len(nodes), "only %s listening connections were ended", ended)
    everywhere.within("a role taken away while nobody listens", 401, "GET", org, caller.bearer())


def test_nonces(suite, world, nodes):
    """A nonce of one node is good on the other; its counts are used once, on whichever node."""
    with connect(nodes[0]) as first, connect(nodes[1]) as second:
        for algorithm in ("SHA-256", "MD5"):
            digest = Digest(world.a.public_key, world.a.private_key, algorithm)
            suite.equal(first.ask("GET", PREFIX, digest).status, 200, "Digest %s on the node of the nonce" % algorithm)
            suite.equal(second.ask("GET", PREFIX, digest).status, 200, "Digest %s on the other node" % algorithm)
            header = Literal(digest.header("GET", PREFIX))
            suite.equal([first.ask("GET", PREFIX, header).status, second.ask("GET", PREFIX, header).status,
                         first.ask("GET", PREFIX, header).status], [200, 401, 401], "the same nonce count on both nodes")
            stale = second.ask("GET", PREFIX, header)
            suite.check(any("stale=true" in one for one in stale.all_headers["www-authenticate"]), "a used count is not called stale: %s",
                        stale.all_headers["www-authenticate"])
            for what, method, target in (("another method", "HEAD", PREFIX), ("another target", "GET", PREFIX + "/orgs")):
                suite.equal(first.ask(method, target, Literal(digest.header("GET", PREFIX))).status, 401, "a response for " + what)
        challenges = first.ask("GET", PREFIX).all_headers["www-authenticate"]
        suite.equal([one.split()[0] for one in challenges], ["Bearer", "Digest", "Digest"], "schemes that are offered")
        suite.check("algorithm=SHA-256" in challenges[1] and "algorithm=MD5" in challenges[2], "SHA-256 is not offered first: %s", challenges)


def test_tokens(suite, world, nodes):
    with connect(nodes[0]) as first, connect(nodes[1]) as second:
        token = first.fetch_token(world.a.client_id, world.a.client_secret)
        suite.equal(second.ask("GET", PREFIX, Bearer(token)).status, 200, "a token on the other node")
        for what, wrong in (("cut", token[:-1]), ("longer", token + "A"), ("changed at its end", token[:-2] + ("AA" if token[-2:] != "AA" else "BB")),
                            ("changed in its middle", token[:30] + ("A" if token[30] != "A" else "B") + token[31:]), ("in upper case", token.upper())):
            suite.equal(second.ask("GET", PREFIX, Bearer(wrong)).status, 401, "a token that is " + what)
        away = connect(nodes[1], source="127.0.0.3")
        suite.equal(away.ask("GET", PREFIX, Bearer(token)).status, 200, "from another address of the access list")
        away.close()


def test_signing_key(suite, world, nodes):
    """`reeved key rotate`: new tokens are signed with the new key, those of the old one stay good."""
    with connect(nodes[0]) as first, connect(nodes[1]) as second:
        old = first.fetch_token(world.a.client_id, world.a.client_secret)
        before = sql("SELECT max(id) FROM signing_key")
        reeved("key", "rotate", "--config", nodes[0].conf)
        suite.equal(sql("SELECT max(id) > %s FROM signing_key" % before), "t", "there is a new key")
        new = first.fetch_token(world.a.client_id, world.a.client_secret)
        for name, token in (("old", old), ("new", new)):
            for connection in (first, second):
                suite.equal(connection.ask("GET", PREFIX, Bearer(token)).status, 200, "a token of the %s key" % name)


def main():
    ends_on_signal()
    suite = Suite("nodes")
    nodes = [start_node(workers=2), start_node(workers=2, migrate=False)]
    try:
        for node in nodes:
            node.start()
        world = World(nodes[0], with_roles=False)
        everywhere = Everywhere(suite, nodes)
        test_granted(suite, world, nodes, everywhere)
        test_taken_away(suite, world, nodes, everywhere)
        test_news_cut(suite, world, nodes, everywhere)
        test_nonces(suite, world, nodes)
        test_tokens(suite, world, nodes)
        test_signing_key(suite, world, nodes)
        everywhere.close()
        world.close()
    finally:
        for node in nodes:
            node.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
