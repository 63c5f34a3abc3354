# SPDX-License-Identifier: Apache-2.0
"""People, teams and projects seen by callers with few roles, or with roles in several organizations; a part of exchange_test.py."""
from client import wait_until
from world import PREFIX, no_limits, sql, tell_nodes


def test_takes_no_more_than_held(suite, runner, world, node):
    """Who may manage access to a project takes away no role that they could not give: not from a team, not from a person."""
    owner, manager = world.make_caller("taking"), world.make_caller("taking, access manager")
    project = world.make_project(owner, "taking")
    sql("BEGIN; %s COMMIT;" % world.grant_only(manager, owner.home, project, "GROUP_ACCESS_MANAGER"))
    no_limits([owner.home, manager.home])
    team = world.must(200, "POST", "/orgs/%s/teams" % owner.home, owner.bearer(), {"name": "rulers", "usernames": []}).json()["id"]
    teams, users = "/groups/%s/teams" % project, "/groups/%s/users" % project
    both = ["GROUP_OWNER", "GROUP_READ_ONLY"]
    world.must(200, "POST", teams, owner.bearer(), [{"teamId": team, "roleNames": both}])
    person = world.must(201, "POST", users, owner.bearer(), {"username": "ruler%s@example.org" % project, "roles": both}).json()["id"]
    for what, method, target, body in (
            ("a team's role by replacing", "PATCH", "%s/%s" % (teams, team), {"roleNames": ["GROUP_READ_ONLY"]}),
            ("a team", "DELETE", "%s/%s" % (teams, team), None),
            ("a person's role", "POST", "%s/%s:removeRole" % (users, person), {"groupRole": "GROUP_OWNER"}),
            ("a person", "DELETE", "%s/%s" % (users, person), None)):
        answer = runner.connection.ask(method, PREFIX + target, manager.bearer(), body)
        suite.equal((answer.status, answer.code()), (403, "ROLE_NOT_GRANTABLE"), "an access manager takes away %s" % what)
        suite.check(not runner.contract.problems(answer), "taking %s: not as documented", what)
    world.must(200, "POST", "%s/%s:removeRole" % (users, person), manager.bearer(), {"groupRole": "GROUP_READ_ONLY"})
    world.must(200, "PATCH", "%s/%s" % (teams, team), manager.bearer(), {"roleNames": ["GROUP_OWNER"]})
    world.must(204, "DELETE", "%s/%s" % (teams, team), owner.bearer())


def test_projects_of_several_organizations(suite, runner, world, node):
    """Who may read all of two organizations, and one project of a third, sees the projects of the first two and that one."""
    here, there, third = (world.make_caller("several, %d" % number) for number in range(3))
    no_limits([here.home, there.home, third.home])
    made = [world.make_project(caller, name) for caller, name in (
        (here, "common"), (there, "common"), (third, "seen"), (here, "h2"), (there, "t2"), (third, "unseen"))]
    grant = "INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), %s, '%s');"
    sql(grant % (here.account, there.home, "NULL", "ORG_READ_ONLY"))
    sql(grant % (here.account, third.home, "decode('%s', 'hex')" % made[2], "GROUP_READ_ONLY"))
    tell_nodes()
    seen = sorted(made[:5])

    def ask(target):
        answer = runner.connection.ask("GET", PREFIX + target, here.bearer())
        suite.check(not runner.contract.problems(answer), "%s: not as documented", target)
        return answer

    wait_until(lambda: ask("/groups").json()["totalCount"] == 5, 10)
    suite.equal([one["id"] for one in ask("/groups").json()["results"]], seen, "projects of three organizations")
    pages = [ask("/groups?itemsPerPage=2&pageNum=%d" % page).json() for page in (1, 2, 3)]
    suite.equal([one["id"] for page in pages for one in page["results"]], seen, "their pages")
    suite.equal({page["totalCount"] for page in pages}, {5}, "their totalCount")
    for name, identifier in (("common", made[0]), ("t2", made[4]), ("seen", made[2])):
        suite.equal(ask("/groups/byName/" + name).json().get("id"), identifier, "the project %s; the own organization comes first" % name)
    suite.equal(ask("/groups/byName/unseen").status, 404, "a project that is not the caller's to see")


def test_people_of_a_full_project(suite, runner, world, node):
    """The limit on people in a project holds on every way into it, and nobody who is in it is in the way."""
    owner = world.make_caller("full")
    no_limits([owner.home])
    project = world.make_project(owner, "full")
    org, group = "/orgs/" + owner.home, "/groups/" + project

    def invite(name, **more):
        return {"username": "%s%s@example.org" % (name, project), "roles": {"orgRoles": ["ORG_MEMBER"], **more}}

    assignment = [{"groupId": project, "groupRoles": ["GROUP_READ_ONLY"]}]
    inside = world.must(201, "POST", org + "/users", owner.bearer(), invite("inside", groupRoleAssignments=assignment)).json()["id"]
    outside = world.must(201, "POST", org + "/users", owner.bearer(), invite("outside")).json()["id"]
    world.must(200, "PATCH", group + "/limits/project.users", owner.bearer(), {"value": 1})
    flat = [{"groupId": project, "roles": ["GROUP_READ_ONLY"]}]
    for what, method, target, body in (
            ("inviting to the organization", "POST", org + "/users", invite("a", groupRoleAssignments=assignment)),
            ("an invitation to the organization", "POST", org + "/invites", {
                "username": "b%s@example.org" % project, "roles": ["ORG_MEMBER"], "groupRoleAssignments": flat}),
            ("an invitation to the project", "POST", group + "/invites", {"username": "c%s@example.org" % project, "roles": ["GROUP_READ_ONLY"]}),
            ("adding to the project", "POST", group + "/users", {"username": "d%s@example.org" % project, "roles": ["GROUP_READ_ONLY"]}),
            ("a change of a member", "PATCH", "%s/users/%s" % (org, outside), {"roles": {"groupRoleAssignments": assignment}}),
            ("a change of an invitation", "PATCH", "%s/invites/%s" % (org, outside), {"groupRoleAssignments": flat}),
            ("a new person", "POST", "/users", {"username": "e%s@example.org" % project, "firstName": "E", "lastName": "E", "roles": [
                {"orgId": owner.home, "roleName": "ORG_MEMBER"}, {"groupId": project, "roleName": "GROUP_READ_ONLY"}]})):
        answer = runner.connection.ask(method, PREFIX + target, owner.bearer(), body)
        suite.equal((answer.status, answer.code()), (409, "PROJECT_LIMIT_REACHED"), "a full project: %s: %r" % (what, answer))
        suite.check(not runner.contract.problems(answer), "%s: not as documented", what)
    world.must(200, "PATCH", "%s/users/%s" % (org, inside), owner.bearer(), {"roles": {"groupRoleAssignments": [
        {"groupId": project, "groupRoles": ["GROUP_OWNER"]}]}})
    world.must(200, "PATCH", group + "/limits/project.users", owner.bearer(), {"value": 2})
    world.must(200, "PATCH", "%s/users/%s" % (org, outside), owner.bearer(), {"roles": {"groupRoleAssignments": assignment}})


def test_etag_of_a_key_without_its_project(suite, runner, world, node):
    """The roles of a key go with their project, and its ETag moves: a copy of the key from before is out of date."""
    owner = world.make_caller("losing")
    no_limits([owner.home])
    project = world.make_project(owner, "losing")
    key = world.must(200, "POST", "/orgs/%s/apiKeys" % owner.home, owner.bearer(), {"desc": "k", "roles": ["ORG_MEMBER"]}).json()["id"]
    world.must(204, "POST", "/groups/%s/apiKeys/%s" % (project, key), owner.bearer(), {"roles": ["GROUP_READ_ONLY"]})
    target = "/orgs/%s/apiKeys/%s" % (owner.home, key)
    before = world.must(200, "GET", target, owner.bearer()).headers["etag"]
    world.must(204, "DELETE", "/groups/" + project, owner.bearer())
    after = world.must(200, "GET", target, owner.bearer())
    suite.equal(len(after.json()["roles"]), 1, "roles of a key whose project is gone")
    suite.check(after.headers["etag"] != before, "the ETag of a key whose project is gone is the same")
    answer = runner.connection.ask("PATCH", PREFIX + target, owner.bearer(), {"desc": "l"}, {"If-Match": before})
    suite.equal(answer.status, 412, "a change of the key as it was")


def test_access_list_use(suite, runner, world, node):
    """D, fields that matter: when an entry was last used is shown, soon after it was, from where and how often; of API keys under other names."""
    owner = world.make_caller("listed")
    no_limits([owner.home])
    target = "/orgs/%s/serviceAccounts/%s/accessList" % (owner.home, owner.client_id)
    world.must(200, "POST", target, owner.bearer(), [{"cidrBlock": "127.0.0.0/8"}, {"cidrBlock": "198.51.100.0/24"}])

    def used():
        listed = runner.connection.ask("GET", PREFIX + target, owner.bearer())
        suite.check(not runner.contract.problems(listed), "an access list: not as documented")
        return {one["cidrBlock"]: "lastUsedAt" in one for one in listed.json()["results"]}

    wait_until(lambda: used()["127.0.0.0/8"], 10)
    suite.equal(used(), {"127.0.0.0/8": True, "198.51.100.0/24": False}, "entries that were used")
    entry = lambda: runner.connection.ask("GET", PREFIX + target, owner.bearer()).json()["results"][0]
    first = entry()
    suite.equal(first["lastUsedAddress"], "127.0.0.1", "where an entry was used from")
    for _ in range(20):
        entry()
    wait_until(lambda: entry()["requestCount"] >= first["requestCount"] + 20, 30)
    keys = "/orgs/%s/apiKeys/%s/accessList" % (owner.home, owner.key)
    world.must(200, "POST", keys, owner.bearer(), [{"cidrBlock": "127.0.0.0/8"}])
    key_entry = lambda: runner.connection.ask("GET", PREFIX + keys + "/127.0.0.0%2F8", owner.bearer()).json()
    suite.equal((key_entry()["count"], "lastUsed" in key_entry()), (0, False), "an entry of a key that was not used")
    runner.connection.ask("GET", PREFIX + keys, owner.digest())
    wait_until(lambda: key_entry()["count"] >= 1, 30)
    suite.equal((key_entry()["lastUsedAddress"], "lastUsed" in key_entry()), ("127.0.0.1", True), "an entry of a key that was used")


SEEN_BY_OTHERS = (test_takes_no_more_than_held, test_projects_of_several_organizations, test_people_of_a_full_project,
                  test_etag_of_a_key_without_its_project, test_access_list_use)
