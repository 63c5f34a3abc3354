# SPDX-License-Identifier: Apache-2.0
"""What a deletion would take along, asked with dryRun: counts that are right, and nothing that changes."""
import sys

from client import MEDIA_TYPE
from suite import Suite, ends_on_signal
from world import PREFIX, World, bootstrap, changed_tables, connect, row_hashes, sql, start_node

SIZE = {"replicationSpecs": [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "priority": 7,
                                                 "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]}


class Place:
    def __init__(self, suite, world):
        self.suite, self.world, self.connection, self.owner = suite, world, connect(world.node), world.a.bearer()

    def goes(self, path, **wanted):
        """Tries the deletion twice: all rows of the database stay, and both answers are the same."""
        before = row_hashes()
        answers = [self.connection.ask("DELETE", PREFIX + path + "?dryRun=true", self.owner, accept=MEDIA_TYPE) for _ in range(2)]
        first = answers[0]
        if not self.suite.check(first.status == 200 and first.headers.get("dry-run") == "true", "trying to delete %s: %r %r", path, first, first.headers):
            return
        self.suite.equal(changed_tables(before, row_hashes()), [], "tables that trying to delete %s changed" % path)
        self.suite.equal(first.body, answers[1].body, "asked again")
        counts = {one["kind"]: one["count"] for one in first.json()["takesAlong"]}
        self.suite.equal({kind: counts.get(kind) for kind in wanted}, wanted, "what goes with %s, of %r" % (path, counts))
        self.suite.check(all(count > 0 for count in counts.values()), "kinds of which there is nothing: %r", counts)


def main():
    ends_on_signal()
    suite = Suite("takes-along")
    with start_node(workers=1) as node:
        world = World(node, with_roles=False)
        place = Place(suite, world)
        owner = place.owner
        project = world.make_project(world.a, "takes along")
        group = "/groups/" + project
        for number in range(3):
            world.must(201, "POST", group + "/databaseUsers", owner, {"username": "u%d" % number, "databaseName": "admin", "password": "correct-horse-%d" % number,
                                                                      "roles": [{"roleName": "read", "databaseName": "app"}]})
        world.must(200, "POST", group + "/accessList", owner, [{"cidrBlock": "192.0.2.0/24"}, {"cidrBlock": "198.51.100.0/24"}])
        place.goes(group, databaseUser=3, accessListEntry=2, snapshot=None)
        world.must(201, "POST", group + "/clusters", owner, {"name": "orders", **SIZE})
        place.goes(group + "/clusters/orders", member=3, operation=1)
        refused = place.connection.ask("DELETE", PREFIX + group + "?dryRun=true", owner)
        suite.equal((refused.status, refused.code()), (409, "PROJECT_NOT_EMPTY"), "a project with a cluster stays, tried or not")
        other = bootstrap(node.conf, "Takes along")
        other.fetch(place.connection)
        place.owner = other.bearer()
        world.must(200, "POST", "/orgs/%s/apiKeys" % other.home, place.owner, {"desc": "k", "roles": ["ORG_MEMBER"]})
        place.goes("/orgs/" + other.home, apiKey=2, serviceAccount=1)  # with those of its beginning
        refused = place.connection.ask("DELETE", PREFIX + "/orgs/%s?dryRun=true" % world.a.home, owner)
        suite.equal((refused.status, refused.code()), (409, "ORGANIZATION_NOT_EMPTY"), "an organization with a project stays")
        stranger = place.connection.ask("DELETE", PREFIX + group + "?dryRun=true", world.b.bearer())
        suite.equal((stranger.status, b"takesAlong" in stranger.body), (401, False), "another organization asks: %r" % stranger)
        stranger = place.connection.ask("DELETE", PREFIX + group + "/clusters/orders?dryRun=true", world.b.bearer())
        suite.equal((stranger.status, b"takesAlong" in stranger.body), (401, False), "another organization asks for a cluster: %r" % stranger)
        suite.equal(sql("SELECT count(*) FROM job WHERE project_id = decode('%s', 'hex')" % project), "1", "jobs of the project afterwards")
        real = place.connection.ask("DELETE", PREFIX + group + "/clusters/orders", owner)
        suite.equal((real.status, real.body), (202, b""), "the real one answers as ever")
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
