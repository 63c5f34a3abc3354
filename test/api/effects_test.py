# SPDX-License-Identifier: Apache-2.0
"""What changes do, seen by somebody else: people with a browser, keys and accounts that are let in where they were refused or the other way round, and hosts whose
agents are told something else. Everything is asked for by an owner of the organization. test/data/effects.tsv names the functions of this file.
"""
import ipaddress
import json
import sys
import tempfile
import time

from agents import FACTS, Fleet
from agents_test import advice_document
from alerts_test import Worker
from browser import Browser
from client import PATIENCE, Bearer, Digest, wait_until
from object_server import object_server
from suite import Suite, ends_on_signal
from world import PREFIX, World, connect, invitation_token, name_members, no_limits, reeved, sql

PASSWORD = "a long enough secret"
SOON_S = 5  # what ends a caller's rights is true on every node within that time
ELSEWHERE = "203.0.113.0/24"


class Caller:
    """Somebody who sends requests; `send` is how."""

    def __init__(self, send):
        self.send = send

    def status(self, method, path, body=None):
        return self.send(method, path + ("" if method == "GET" else "?dryRun=true"), body).status


class Place:
    """An organization with two projects, and its owner, who changes everything."""

    def __init__(self, suite, fleet):
        self.suite, self.fleet, self.node = suite, fleet, fleet.node
        self.world = World(self.node, with_roles=False)
        self.connection = connect(self.node)
        self.owner = self.world.make_caller("Effects")
        no_limits([self.owner.home])
        self.home, self.org = self.owner.home, "/orgs/" + self.owner.home
        self.projects = [self.world.make_project(self.owner, name) for name in ("first", "second")]
        self.first, self.second = ("/groups/" + project for project in self.projects)
        self.names = 0

    def must(self, status, method, path, body=None):
        answer = self.world.must(status, method, path, self.owner.bearer(), body)
        return answer.json() if answer.body else None

    # ---- Callers ----
    def name(self):
        self.names += 1
        return "effect%d@example.org" % self.names

    def person(self, name, token=None):
        """A browser in which somebody has signed in."""
        browser = Browser(self.node)
        answer = browser.enrol_password(token or reeved("enrol", name, "--config", self.node.conf).strip(), PASSWORD)
        self.suite.equal(answer.status, 200, "%s signs in: %r" % (name, answer))
        return Caller(browser.ask)

    def by_token(self, client, secret):
        token = self.connection.fetch_token(client, secret)
        return Caller(lambda method, path, body: self.connection.ask(method, PREFIX + path, Bearer(token), body))

    def by_key(self, key):
        digest = Digest(key["publicKey"], key["privateKey"])

        def send(method, path, body):
            for _ in range(3):  # the first request has no challenge yet, and one may be over
                answer = self.connection.ask(method, PREFIX + path, digest, body)
                if answer.status != 401:
                    break
            return answer
        return Caller(send)

    def is_secret(self, client, secret):
        """Whether a token can be had with it."""
        form = "grant_type=client_credentials&client_id=%s&client_secret=%s" % (client, secret)
        return self.connection.ask("POST", "/api/oauth/token", None, form.encode(), [("Content-Type", "application/x-www-form-urlencoded")]).status == 200

    # ---- What they may ----
    def may(self, who, what, status, method, path, body=None):
        """Within the time that changes of rights take everywhere."""
        until = time.monotonic() + SOON_S * PATIENCE
        got = who.status(method, path, body)
        while got != status and time.monotonic() < until:
            time.sleep(0.05)
            got = who.status(method, path, body)
        self.suite.equal(got, status, "%s: %s %s" % (what, method, path))

    def reads(self, who, what, status=200, project=None):
        self.may(who, what, status, "GET", project or self.first)

    def owns(self, who, what, status=200):
        self.may(who, what, status, "PATCH", self.first, {"name": "first"})

    def owns_all(self, who, what, status=200):
        self.may(who, what, status, "POST", self.org + "/teams", {"name": "tried", "usernames": []})


# ---- People ----
def test_roles_of_people(suite, place):
    name = place.name()
    user = place.must(200, "POST", "/users", {"username": name, "firstName": "A", "lastName": "B", "roles": [{"orgId": place.home, "roleName": "ORG_MEMBER"}]})["id"]
    person = place.person(name)
    place.may(person, "a person who was made", 200, "GET", place.org)
    place.reads(person, "as a member", 403)
    in_org, in_project = place.org + "/users/" + user, place.first + "/users/" + user
    place.must(200, "POST", in_org + ":addRole", {"orgRole": "ORG_READ_ONLY"})
    place.reads(person, "a role was added")
    place.must(200, "POST", in_org + ":removeRole", {"orgRole": "ORG_READ_ONLY"})
    place.reads(person, "the role was removed", 403)
    place.must(200, "PATCH", in_org, {"roles": {"orgRoles": ["ORG_MEMBER"], "groupRoleAssignments": [{"groupId": place.projects[0], "groupRoles": ["GROUP_READ_ONLY"]}]}})
    place.reads(person, "a role in a project was set")
    place.owns(person, "it is a small one", 403)
    place.must(200, "POST", in_project + ":addRole", {"groupRole": "GROUP_OWNER"})
    place.owns(person, "a role in the project was added")
    place.must(200, "POST", in_project + ":removeRole", {"groupRole": "GROUP_OWNER"})
    place.owns(person, "the role in the project was removed", 403)
    place.must(200, "PUT", in_project + "/roles", {"groupRoles": ["GROUP_OWNER"]})
    place.owns(person, "roles in the project were replaced")
    place.must(204, "DELETE", in_project)
    place.reads(person, "out of the project", 403)
    place.must(201, "POST", place.first + "/users", {"username": name, "roles": ["GROUP_READ_ONLY"]})
    place.reads(person, "added to the project")
    place.reads(person, "not to the other one", 403, place.second)
    place.must(200, "POST", place.second + "/access", {"username": name, "roles": ["GROUP_READ_ONLY"]})
    place.reads(person, "given access to the other one", project=place.second)
    place.owns_all(person, "a member of the organization", 403)
    place.must(200, "PUT", in_org + "/roles", {"orgRoles": ["ORG_OWNER"]})
    place.owns_all(person, "roles in the organization were replaced")
    # Another owner, without whom this one would have to stay.
    place.must(200, "POST", "/users", {"username": place.name(), "firstName": "A", "lastName": "B", "roles": [{"orgId": place.home, "roleName": "ORG_OWNER"}]})
    place.must(204, "DELETE", in_org)
    place.may(person, "removed from the organization", 401, "GET", place.org)


def test_invitations(suite, place):
    """What was changed about an invitation holds for whoever accepts it, and one that was taken back is worth nothing."""
    def accepted(invitation, name, what):
        token = invitation_token(place.node.conf, invitation)
        answer = place.connection.ask("POST", "/api/invitations/accept", None, {"token": token, "username": name, "firstName": "A", "lastName": "B"})
        suite.equal(answer.status, 200, "%s: accepted: %r" % (what, answer))
        return place.person(name, answer.json()["enrolmentToken"])

    def is_worthless(token, name, what):
        answer = place.connection.ask("POST", "/api/invitations/accept", None, {"token": token, "username": name, "firstName": "A", "lastName": "B"})
        suite.equal((answer.status, answer.code()), (404, "INVITATION_NOT_VALID"), what)
    in_org, in_project = place.org + "/invites", place.first + "/invites"
    member, owner = {"roles": ["ORG_MEMBER"]}, {"groupRoleAssignments": [{"groupId": place.projects[0], "roles": ["GROUP_OWNER"]}]}

    name = place.name()
    made = place.must(200, "POST", in_org, {"username": name, **member})["id"]
    person = accepted(made, name, "an invitation to the organization")
    place.may(person, "invited to the organization", 200, "GET", place.org)
    place.reads(person, "and to no project", 403)

    name = place.name()
    made = place.must(200, "POST", in_org, {"username": name, **member})["id"]
    place.must(200, "PATCH", in_org, {"username": name, "roles": ["ORG_READ_ONLY"]})
    place.reads(accepted(made, name, "changed by its address"), "what was changed by the address")

    name = place.name()
    made = place.must(200, "POST", in_org, {"username": name, **member})["id"]
    place.must(200, "PATCH", "%s/%s" % (in_org, made), owner)
    place.owns(accepted(made, name, "changed by its id"), "what was changed by the id")

    name = place.name()
    made = place.must(200, "POST", in_project, {"username": name, "roles": ["GROUP_READ_ONLY"]})["id"]
    person = accepted(made, name, "an invitation to a project")
    place.reads(person, "invited to a project")
    place.owns(person, "with a small role", 403)

    name = place.name()
    made = place.must(200, "POST", in_project, {"username": name, "roles": ["GROUP_READ_ONLY"]})["id"]
    place.must(200, "PATCH", in_project, {"username": name, "roles": ["GROUP_OWNER"]})
    place.owns(accepted(made, name, "changed in the project by its address"), "what was changed in the project by the address")

    name = place.name()
    made = place.must(200, "POST", in_project, {"username": name, "roles": ["GROUP_READ_ONLY"]})["id"]
    place.must(200, "PATCH", "%s/%s" % (in_project, made), {"roles": ["GROUP_OWNER"]})
    place.owns(accepted(made, name, "changed in the project by its id"), "what was changed in the project by the id")

    for where, body in ((in_org, member), (in_project, {"roles": ["GROUP_READ_ONLY"]})):
        name = place.name()
        made = place.must(200, "POST", where, {"username": name, **body})["id"]
        token = invitation_token(place.node.conf, made)
        place.must(204, "DELETE", "%s/%s" % (where, made))
        is_worthless(token, name, "an invitation that was taken back at " + where)

    name = place.name()
    made = place.must(201, "POST", place.org + "/users", {"username": name, "roles": {"orgRoles": ["ORG_READ_ONLY"]}})["id"]
    place.reads(accepted(made, name, "invited as a user"), "invited as a user")


def test_teams(suite, place):
    name = place.name()
    user = place.must(200, "POST", "/users", {"username": name, "firstName": "A", "lastName": "B", "roles": [{"orgId": place.home, "roleName": "ORG_MEMBER"}]})["id"]
    person = place.person(name)
    team = place.must(200, "POST", place.org + "/teams", {"name": "readers", "usernames": [name]})["id"]
    in_org, in_project = place.org + "/teams/" + team, place.first + "/teams/" + team
    place.reads(person, "in a team without roles", 403)
    place.must(200, "POST", place.first + "/teams", [{"teamId": team, "roleNames": ["GROUP_READ_ONLY"]}])
    place.reads(person, "the team was added to the project")
    place.must(200, "PATCH", in_project, {"roleNames": ["GROUP_OWNER"]})
    place.owns(person, "the team has another role")
    place.must(200, "POST", in_org + ":removeUser", {"id": user})
    place.reads(person, "out of the team", 403)
    place.must(200, "POST", in_org + ":addUser", {"id": user})
    place.reads(person, "in the team again")
    place.must(204, "DELETE", in_org + "/users/" + user)
    place.reads(person, "out of the team, the older way", 403)
    place.must(200, "POST", in_org + "/users", [{"id": user}])
    place.reads(person, "in the team, the older way")
    place.must(204, "DELETE", in_project)
    place.reads(person, "the team has left the project", 403)
    place.must(200, "POST", place.first + "/teams", [{"teamId": team, "roleNames": ["GROUP_READ_ONLY"]}])
    place.reads(person, "the team is in the project again")
    place.must(200, "PATCH", in_org, {"name": "renamed"})
    place.must(404, "GET", place.org + "/teams/byName/readers")
    suite.equal(place.must(200, "GET", place.org + "/teams/byName/renamed")["id"], team, "the team by its new name")
    place.must(200, "POST", place.org + "/teams", {"name": "readers", "usernames": []})  # which is free
    place.must(204, "DELETE", in_org)
    place.reads(person, "the team is deleted", 403)


# ---- Programs ----
def test_keys(suite, place):
    key = place.must(200, "POST", place.org + "/apiKeys", {"desc": "effects", "roles": ["ORG_MEMBER"]})
    who, in_org, in_project = place.by_key(key), place.org + "/apiKeys/" + key["id"], place.first + "/apiKeys/" + key["id"]
    place.may(who, "a key that was made", 200, "GET", place.org)
    place.reads(who, "without a role in the project", 403)
    place.must(204, "POST", in_project, {"roles": ["GROUP_READ_ONLY"]})
    place.reads(who, "with a role in the project")
    place.must(200, "PATCH", in_project, {"roles": ["GROUP_OWNER"]})
    place.owns(who, "with another role in the project")
    place.must(204, "DELETE", in_project)
    place.reads(who, "out of the project", 403)
    place.owns_all(who, "a member of the organization", 403)
    place.must(200, "PATCH", in_org, {"roles": ["ORG_OWNER"]})
    place.owns_all(who, "with another role in the organization")
    place.must(200, "POST", in_org + "/accessList", [{"cidrBlock": ELSEWHERE}])
    place.may(who, "allowed from elsewhere only", 403, "GET", place.org)
    place.must(200, "POST", in_org + "/accessList", [{"cidrBlock": "127.0.0.0/8"}])
    place.may(who, "allowed from here", 200, "GET", place.org)
    place.must(204, "DELETE", in_org + "/accessList/127.0.0.0%2F8")
    place.may(who, "not allowed from here any more", 403, "GET", place.org)
    place.must(204, "DELETE", in_org + "/accessList/203.0.113.0%2F24")
    place.may(who, "allowed from anywhere again", 200, "GET", place.org)
    place.must(204, "DELETE", in_org)
    place.may(who, "a key that was deleted", 401, "GET", place.org)
    made = place.must(200, "POST", place.first + "/apiKeys", {"desc": "of the project", "roles": ["GROUP_READ_ONLY"]})
    place.reads(place.by_key(made), "a key that was made in the project")


def test_accounts(suite, place):
    made = place.must(201, "POST", place.org + "/serviceAccounts", {"name": "a", "description": "a", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8})
    client, first = made["clientId"], made["secrets"][0]
    who, in_org, in_project = place.by_token(client, first["secret"]), place.org + "/serviceAccounts/" + client, place.first + "/serviceAccounts/" + client
    place.may(who, "an account that was made", 200, "GET", place.org)
    place.reads(who, "without a role in the project", 403)
    place.must(200, "POST", in_project + ":invite", {"roles": ["GROUP_READ_ONLY"]})
    place.reads(who, "invited to the project")
    place.must(200, "PATCH", in_project, {"roles": ["GROUP_OWNER"]})
    place.owns(who, "with another role in the project")
    suite.equal(place.must(200, "GET", in_project)["roles"], ["GROUP_OWNER"], "an account as its project shows it")
    for path in (place.org, place.first):
        suite.check(client in [one["clientId"] for one in place.must(200, "GET", path + "/serviceAccounts?itemsPerPage=500")["results"]], "accounts at %s", path)
    suite.equal([(one["groupId"], one["roles"]) for one in place.must(200, "GET", in_org + "/groups")["results"]], [(place.projects[0], ["GROUP_OWNER"])], "projects of an account")
    place.must(204, "DELETE", in_project)
    place.reads(who, "out of the project", 403)
    place.must(200, "PATCH", in_org, {"roles": ["ORG_OWNER"]})
    place.owns_all(who, "with another role in the organization")
    second = place.must(201, "POST", in_org + "/secrets", {"secretExpiresAfterHours": 8})
    suite.equal([place.is_secret(client, one["secret"]) for one in (first, second)], [True, True], "both secrets of an account")
    place.must(204, "DELETE", "%s/secrets/%s" % (in_org, first["id"]))
    suite.equal([place.is_secret(client, one["secret"]) for one in (first, second)], [False, True], "secrets after one was deleted")
    check_addresses(place, who, in_org, "an account")
    place.must(204, "DELETE", in_org)
    place.may(who, "an account that was deleted", 401, "GET", place.org)


def check_addresses(place, who, path, what):
    place.must(200, "POST", path + "/accessList", [{"cidrBlock": ELSEWHERE}])
    place.may(who, what + " that is allowed from elsewhere only", 403, "GET", "/groups")
    place.must(200, "POST", path + "/accessList", [{"cidrBlock": "127.0.0.0/8"}])
    place.may(who, what + " that is allowed from here", 200, "GET", "/groups")
    listed = place.must(200, "GET", path + "/accessList")["results"]
    place.suite.equal(sorted(one["cidrBlock"] for one in listed), ["127.0.0.0/8", ELSEWHERE], "addresses of " + what)
    place.must(204, "DELETE", path + "/accessList/127.0.0.0%2F8")
    place.may(who, what + " that is not allowed from here any more", 403, "GET", "/groups")
    place.must(204, "DELETE", path + "/accessList/203.0.113.0%2F24")


def test_accounts_of_a_project(suite, place):
    made = place.must(201, "POST", place.first + "/serviceAccounts", {"name": "p", "description": "p", "roles": ["GROUP_READ_ONLY"], "secretExpiresAfterHours": 8})
    client, first = made["clientId"], made["secrets"][0]
    who, path = place.by_token(client, first["secret"]), place.first + "/serviceAccounts/" + client
    place.reads(who, "an account that was made in the project")
    place.reads(who, "not in the other one", 403, place.second)
    second = place.must(201, "POST", path + "/secrets", {"secretExpiresAfterHours": 8})
    suite.equal([place.is_secret(client, one["secret"]) for one in (first, second)], [True, True], "both secrets of a project's account")
    place.must(204, "DELETE", "%s/secrets/%s" % (path, first["id"]))
    suite.equal([place.is_secret(client, one["secret"]) for one in (first, second)], [False, True], "secrets of a project's account after one was deleted")
    check_addresses(place, who, path, "a project's account")
    place.must(204, "DELETE", path)
    place.reads(who, "an account that was taken out of its project", 403)


# ---- Organizations and projects ----
def test_organizations(suite, place):
    made = place.must(201, "POST", "/orgs", {"name": "Daughter", "apiKey": {"desc": "k", "roles": ["ORG_MEMBER"]},
                                            "serviceAccount": {"name": "n", "description": "n", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8}})
    home = made["organization"]["id"]
    no_limits([home])
    account, key = place.by_token(made["serviceAccount"]["clientId"], made["serviceAccount"]["clientSecret"]), place.by_key(made["apiKey"])
    for what, who in (("the account", account), ("the key", key)):
        place.may(who, what + " of a new organization", 200, "GET", "/orgs/" + home)
        place.may(who, what + " of a new organization, elsewhere", 401, "GET", place.org)
    project = account.send("POST", "/groups", {"name": "only", "orgId": home})
    suite.equal(project.status, 201, "a project in the new organization")
    suite.equal(account.send("PATCH", "/orgs/" + home, {"name": "Renamed"}).status, 200, "another name")
    # Who is invited reads it: the inviter's organization is in the mail and in the invitation.
    invited = account.send("POST", "/groups/%s/invites" % project.json()["id"], {"username": place.name(), "roles": ["GROUP_READ_ONLY"]})
    suite.equal(invited.status, 200, "an invitation")
    shown = account.send("GET", "/orgs/%s/invites" % home, None).json()["results"][0]
    suite.equal(shown["orgName"], "Renamed", "the name in an invitation")
    suite.equal([one["id"] for one in account.send("GET", "/orgs?name=renamed", None).json()["results"]], [home], "found by its new name")
    suite.equal(account.send("GET", "/orgs?name=daughter", None).json()["totalCount"], 0, "not by its old one")


def test_projects(suite, place):
    project = place.must(201, "POST", "/groups", {"name": "before", "orgId": place.home})["id"]
    key = place.by_key(place.must(200, "POST", "/groups/%s/apiKeys" % project, {"desc": "k", "roles": ["GROUP_READ_ONLY"]}))
    place.reads(key, "a key of a new project", project="/groups/" + project)
    place.must(200, "PATCH", "/groups/" + project, {"name": "after"})
    place.must(404, "GET", "/groups/byName/before")
    suite.equal(place.must(200, "GET", "/groups/byName/after")["id"], project, "found by its new name")
    again = place.must(201, "POST", "/groups", {"name": "before", "orgId": place.home})["id"]  # which is free
    place.must(204, "DELETE", "/groups/" + again)
    place.must(204, "DELETE", "/groups/" + project)
    place.may(key, "a key of a project that was deleted", 404, "GET", "/groups/" + project)


# ---- What hosts are told ----
class Hosts:
    """A host of members and one of repositories, as agents that run nothing. What clusters have elsewhere is put there."""

    def __init__(self, place):
        self.place = place
        self.members = place.fleet.join("members")
        self.repository = place.fleet.join("repository-told", purpose="REPOSITORY", facts={**FACTS, "pgbackrestVersion": "2.55.1", "patroniVersion": ""})

    def create(self, name, project=None):
        specs = [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]
        self.place.must(201, "POST", (project or self.place.first) + "/clusters", {"name": name, "replicationSpecs": specs})
        project = (project or self.place.first).rpartition("/")[2]
        sql("UPDATE cluster_member m SET host_id = '\\x%s', desired = 'RUNNING' FROM cluster c WHERE c.id = m.cluster_id AND c.project_id = '\\x%s' AND c.name = '%s'"
            % (self.members.id, project, name))
        return project

    def back_up(self, name, project=None):
        project = (project or self.place.first).rpartition("/")[2]
        snapshot = self.place.world.make_backups(self.place.home, project, name)
        sql("UPDATE stanza_seat t SET host_id = '\\x%s' FROM backup_stanza s WHERE s.id = t.stanza_id AND s.project_id = '\\x%s' AND s.cluster_name = '%s'"
            % (self.repository.id, project, name))
        return snapshot

    def cluster(self, name):
        """What the members' host is told of it."""
        return next(one for one in self.members.goal()[1]["clusters"] if one["name"] == name)

    def seat(self, name):
        """What the repository host is told of its backups."""
        stanza = sql("SELECT name FROM backup_stanza WHERE cluster_name = '%s' ORDER BY created_at DESC LIMIT 1" % name)
        return next(one for one in self.repository.goal()[1]["seats"] if one["stanza"] == stanza)


def test_custom_roles(suite, place, hosts):
    roles, path = place.first + "/customDBRoles/roles", place.first + "/customDBRoles/roles/effective"
    told = lambda: [[one["action"] for one in role["privileges"]] for role in hosts.cluster("told")["access"]["roles"] if role["name"] == "effective"]
    place.must(202, "POST", roles, {"roleName": "effective", "actions": [{"action": "FIND", "resources": [{"db": "shop"}]}]})
    suite.equal(told(), [["FIND"]], "what a host is told of a new role")
    place.must(200, "PATCH", path, {"actions": [{"action": "INSERT", "resources": [{"db": "shop"}]}]})
    suite.equal(told(), [["INSERT"]], "what it is told of a changed one")
    place.must(204, "DELETE", path)
    suite.equal(told(), [], "what it is told of a deleted one")


def test_log_integrations(suite, place, hosts):
    path = place.first + "/logIntegrations"
    told = lambda: json.dumps(hosts.members.goal()[1].get("logs"))
    made = place.must(201, "POST", path, {"type": "SPLUNK_LOG_EXPORT", "logTypes": ["POSTGRES"], "hecUrl": "https://first.example.org:8088", "hecToken": "0123456789abcdef"})["id"]
    suite.check("first.example.org" in told() and "0123456789abcdef" in told(), "where a host is told to send logs")
    place.must(200, "PUT", "%s/%s" % (path, made), {"type": "DATADOG_LOG_EXPORT", "logTypes": ["PATRONI"], "apiKey": "fedcba9876543210", "region": "EU"})
    suite.check("first.example.org" not in told() and "fedcba9876543210" in told() and "patroni" in told().lower(), "where it is told to send them instead: %s", told())
    place.must(204, "DELETE", "%s/%s" % (path, made))
    suite.check("fedcba9876543210" not in told(), "where it is told to send them then: %s", told())


def test_log_export(suite, place, hosts):
    """Hosts of members are told where to write logs, with which key; and nothing of it when it has ended."""
    path, told = place.first + "/pushBasedLogExport", lambda: hosts.members.goal()[1].get("logs", {}).get("targets", [])
    version = lambda: hosts.members.goal()[1]["version"]  # a host asks for what it is told when this is another one
    made = place.must(200, "POST", place.first + "/cloudProviderAccess", {"providerName": "AWS"})
    role = "%s/cloudProviderAccess/%s" % (place.first, made["roleId"])
    with object_server({"LOGS": "secret-of-the-logs"}, ["tenants"]) as (endpoint, authority), tempfile.TemporaryDirectory(prefix="reeve-keys.") as folder:
        sql("INSERT INTO object_store (name, endpoint, bucket, region, authority, keys) VALUES ('logs', '%s', 'backups', 'eu-north', '%s', '\\x0a')" % (endpoint, authority))
        with open(folder + "/keys", "w", encoding="utf-8") as out:
            out.write("LOGS\nsecret-of-the-logs\n")

        def assume():
            reeved("fleet", "store-roles", "add", "logs/told", "--external-id", made["serviceAssumedRoleExternalId"], "--bucket", "tenants", "--prefix", "told/", "--keys", folder + "/keys",
                   "--config", place.world.config)
            place.must(200, "PATCH", role, {"providerName": "AWS", "iamAssumedRoleArn": "arn:reeve:s3::logs:role/told"})
        assume()
        place.must(200, "POST", path, {"bucketName": "tenants", "iamRoleId": made["roleId"], "prefixPath": "a/"})
        wanted = {"form": "OBJECTS", "url": endpoint, "bucket": "tenants", "region": "eu-north", "prefix": "told/a/", "key": "LOGS", "secretKey": "secret-of-the-logs", "authority": authority}
        suite.equal([{name: one[name] for name in wanted} for one in told()], [wanted], "where a host is told to write logs")
        place.must(200, "PATCH", path, {"prefixPath": "b/"})
        suite.equal([one["prefix"] for one in told()], ["told/b/"], "where it is told to write them then")
        before = version()
        sql("UPDATE object_store SET authority = authority || ' ' WHERE name = 'logs'")
        suite.check(version() > before, "it asks again when the store has another certificate")
        reeved("fleet", "store-roles", "remove", "logs/told", "--config", place.world.config)
        suite.equal([(one["url"], one["key"], one["secretKey"]) for one in told()], [("", "", "")], "what it is told of a role that is gone")
        suite.equal(place.must(200, "GET", path)["state"], "ASSUME_ROLE_FAILED", "the state of the log export")
        before = version()
        assume()
        suite.equal(([one["key"] for one in told()], version() > before), (["LOGS"], True), "what it is told of one that was made and assumed anew")
        reeved("fleet", "store-roles", "remove", "logs/told", "--config", place.world.config)
    place.must(200, "DELETE", path)
    suite.equal(told(), [], "what it is told when there is no log export any more")
    place.must(204, "DELETE", "%s/cloudProviderAccess/AWS/%s" % (place.first, made["roleId"]))
    sql("DELETE FROM object_store WHERE name = 'logs'")


def test_slow_queries(suite, place, hosts):
    """A statement that takes half a second on average: with a managed limit a run of 700 ms is not slow, with the fixed one it is."""
    process, member, _ = name_members(place.projects[0], "told")
    at = [int(time.time() * 1000) - 60000]

    def tells(milliseconds):
        at[0] += 1000
        shape = {"database": "shop", "text": "SELECT ?", "command": "SELECT", "table": "orders", "calls": 4, "ms": 2000.0, "rows": 3, "bytes": 0}
        advice = {"isPrimary": True, "problem": "", "indexes": [], "unused": [], "redundant": [], "tables": []}
        document = {"at": at[0], "missing": "", "shapes": [shape], "slow": [{"at": at[0], "ms": milliseconds, "shape": 0}], "advice": advice}
        suite.equal(hosts.members.ask("POST", "/agent/v1/members/%s/advice" % member, document), (200, {}), "what a host saw")

    def slow():
        shown = place.must(200, "GET", "%s/processes/%s/performanceAdvisor/slowQueryLogs?duration=7200000&since=%d" % (place.first, process, at[0] - 3600000))
        return len(shown["slowQueries"])
    tells(10)  # so that it is known what is usual
    tells(700)
    suite.equal(slow(), 0, "slow queries with a managed limit")
    place.must(204, "DELETE", place.first + "/managedSlowMs/disable")
    tells(700)
    suite.equal(slow(), 1, "slow queries with a fixed one")
    place.must(204, "POST", place.first + "/managedSlowMs/enable")
    tells(700)
    suite.equal(slow(), 1, "slow queries when it is managed again")


def test_suggestions(suite, place, hosts):
    """What the host of a member suggests is there for the cluster, and for the server."""
    member = hosts.members.goal()[1]["members"][0]
    process = "%s:%d" % (member["address"], member["port"])
    suite.equal(hosts.members.ask("POST", "/agent/v1/members/%s/advice" % member["id"], advice_document()), (200, {}), "advice of a host")
    for where in ("/clusters/told", "/processes/" + process):
        found = place.must(200, "GET", "%s%s/performanceAdvisor/suggestedIndexes" % (place.first, where))["suggestedIndexes"]
        suite.equal([(one["namespace"], one["index"]) for one in found], [("shop.orders", [{"customer": 1}])], "suggestions at " + where)


def test_schedules(suite, place, hosts):
    """A repository host takes snapshots as it is told: an older form and an empty schedule reach it."""
    path = place.first + "/clusters/told"
    told = lambda: sorted((one["frequency"], one["interval"]) for one in hosts.seat("told")["schedule"]["items"])
    before = told()
    suite.check(len(before) == 4, "what a repository host is told: %s", hosts.seat("told")["schedule"])
    place.must(200, "PATCH", path + "/snapshotSchedule", {"snapshotIntervalHours": 8, "snapshotRetentionDays": 3, "weeklySnapshotRetentionWeeks": 0, "monthlySnapshotRetentionMonths": 0})
    suite.check(("hourly", 8) in told() and not any(one[0] in ("weekly", "monthly") for one in told()), "what it is told of a change in the older form: %s", told())
    place.must(200, "DELETE", path + "/backup/schedule")
    suite.equal(told(), [], "what it is told of a schedule without rules")


def test_removed_snapshot(suite, place, hosts, snapshot):
    """As if its host had said that it is damaged, so that the restore window does not keep it."""
    sql("UPDATE snapshot_copy SET state = 'FAILED' WHERE snapshot_id = '\\x%s'" % snapshot)
    told = lambda: [one["snapshotId"] for one in hosts.seat("told")["remove"]]
    suite.equal(told(), [], "what a repository host is told to remove")
    place.must(204, "DELETE", "%s/clusters/told/snapshots/%s" % (place.first, snapshot))
    swept("expired-backups")
    suite.equal(told(), [snapshot], "what it is told when a snapshot was deleted in the older form")


def test_bucket_key(suite, place, hosts, snapshot):
    bucket = place.must(200, "POST", place.first + "/backup/exportBuckets", {
        "bucketName": "exports", "cloudProvider": "AWS", "serviceUrl": "https://objects.example.org", "accessKeyId": "EXPORTER", "secretAccessKey": "first-secret-of-it"})["_id"]
    place.must(200, "POST", place.first + "/clusters/told/backup/exports", {"exportBucketId": bucket, "snapshotId": snapshot})
    sql("UPDATE export_job SET state = 'WAITING', given_at = now(), seat_id = (SELECT t.id FROM stanza_seat t WHERE t.stanza_id = export_job.stanza_id LIMIT 1) WHERE bucket_id = '\\x%s'" % bucket)
    told = lambda: (hosts.seat("told")["export"]["key"], hosts.seat("told")["export"]["secretKey"])
    suite.equal(told(), ("EXPORTER", "first-secret-of-it"), "the key that a repository host is told")
    place.must(200, "PATCH", place.first + "/backup/exportBuckets/" + bucket, {"secretAccessKey": "second-secret-of-it"})
    suite.equal(told(), ("EXPORTER", "second-secret-of-it"), "the key after a change")
    sql("DELETE FROM export_job WHERE bucket_id = '\\x%s'" % bucket)


def test_role_key(suite, place, hosts, snapshot):
    """The repository host that writes is told the keys of a role that the operator made for the project, and another project is not let in. When the operator takes the role away, the export ends."""
    path = place.first + "/cloudProviderAccess"
    made, other = (place.must(200, "POST", project + "/cloudProviderAccess", {"providerName": "AWS"}) for project in (place.first, place.second))
    with object_server({"TENANTS": "first-secret-of-it", "LATER": "second-secret-of-it"}, ["tenants"]) as (endpoint, authority):
        sql("INSERT INTO object_store (name, endpoint, bucket, region, authority, keys) VALUES ('effects', '%s', 'backups', 'eu-north', '%s', '\\x0a')" % (endpoint, authority))
        with tempfile.TemporaryDirectory(prefix="reeve-keys.") as folder:
            for file, text in (("first", "TENANTS\nfirst-secret-of-it\n"), ("second", "LATER\nsecond-secret-of-it\n")):
                with open("%s/%s" % (folder, file), "w", encoding="utf-8") as out:
                    out.write(text)
            roles = lambda *words: reeved("fleet", "store-roles", *words, "--config", place.world.config)
            said = roles("add", "effects/exports", "--external-id", made["serviceAssumedRoleExternalId"], "--bucket", "tenants", "--prefix", "told/", "--keys", folder + "/first")
            suite.check("arn:reeve:s3::effects:role/exports" in said, "what the operator is told: %s", said)
            arn = {"providerName": "AWS", "iamAssumedRoleArn": "arn:reeve:s3::effects:role/exports"}
            place.must(400, "PATCH", "%s/cloudProviderAccess/%s" % (place.second, other["roleId"]), arn)
            place.must(200, "PATCH", "%s/%s" % (path, made["roleId"]), arn)
            bucket = place.must(200, "POST", place.first + "/backup/exportBuckets", {"bucketName": "tenants", "cloudProvider": "AWS", "iamRoleId": made["roleId"]})["_id"]
            export = place.must(200, "POST", place.first + "/clusters/told/backup/exports", {"exportBucketId": bucket, "snapshotId": snapshot})
            suite.check(export["prefix"].startswith("told/exported_snapshots/"), "where the export is written: %s", export)
            sql("UPDATE export_job SET state = 'WAITING', given_at = now(), seat_id = (SELECT t.id FROM stanza_seat t WHERE t.stanza_id = export_job.stanza_id LIMIT 1) WHERE bucket_id = '\\x%s'" % bucket)
            told = lambda: [hosts.seat("told")["export"].get(name) for name in ("serviceUrl", "bucket", "key", "secretKey", "prefix", "authority")]
            suite.equal(told(), [endpoint, "tenants", "TENANTS", "first-secret-of-it", export["prefix"], authority], "what a repository host is told")
            roles("change", "effects/exports", "--keys", folder + "/second")
            suite.equal(told()[2:4], ["LATER", "second-secret-of-it"], "the key after a change")
            roles("remove", "effects/exports")
    suite.equal(told()[2:4], ["", ""], "the key of a role that is gone")
    swept("backup-exports")
    ended = place.must(200, "GET", "%s/clusters/told/backup/exports/%s" % (place.first, export["id"]))
    suite.equal((ended["state"], ended["stateReason"]["errorCode"]), ("Failed", "EXPORT_ROLE_GONE"), "an export whose role is gone")
    place.must(409, "DELETE", "%s/AWS/%s" % (path, made["roleId"]))
    place.must(204, "DELETE", "%s/backup/exportBuckets/%s" % (place.first, bucket))
    place.must(204, "DELETE", "%s/AWS/%s" % (path, made["roleId"]))
    place.must(404, "PATCH", "%s/%s" % (path, made["roleId"]), arn)
    sql("DELETE FROM export_job WHERE bucket_id = '\\x%s'; DELETE FROM object_store WHERE name = 'effects'" % bucket)


# ---- Addresses ----
def test_containers(suite, place):
    """Members get addresses of the project's block, of where it was moved to, and a block that nobody has any more can be had by others."""
    project = place.must(201, "POST", "/groups", {"name": "networked", "orgId": place.home})["id"]
    path, block = "/groups/%s/containers" % project, lambda number: "10.91.%d.0/24" % number
    made = place.must(201, "POST", path, {"providerName": "ONPREM", "regionName": "EU_NORTH", "serviceCidrBlock": block(2)})["id"]
    place.must(200, "PATCH", "%s/%s" % (path, made), {"serviceCidrBlock": block(3)})
    specs = [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]
    place.must(201, "POST", "/groups/%s/clusters" % project, {"name": "inside", "replicationSpecs": specs})
    addresses = sql("SELECT string_agg(host(a.address), ' ') FROM host_address a JOIN cluster_member m ON m.id = a.member_id JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = '\\x%s'" % project).split()
    suite.check(len(addresses) == 3 and all(ipaddress.ip_address(one) in ipaddress.ip_network(block(3)) for one in addresses), "addresses of members: %s", addresses)
    south = place.must(201, "POST", path, {"providerName": "ONPREM", "regionName": "EU_SOUTH", "serviceCidrBlock": "10.92.5.0/24"})["id"]
    wanted = {"providerName": "ONPREM", "regionName": "EU_SOUTH", "serviceCidrBlock": "10.92.5.0/24"}
    place.must(409, "POST", place.second + "/containers", wanted)
    place.must(204, "DELETE", "%s/%s" % (path, south))
    place.must(201, "POST", place.second + "/containers", wanted)


# ---- Backups as time passes ----
def swept(name):
    """Has it run now, and waits until it has."""
    since = sql("SELECT clock_timestamp()")
    sql("UPDATE sweep SET next_run_at = now() WHERE name = '%s'" % name)
    wait_until(lambda: sql("SELECT count(*) FROM sweep WHERE name = '%s' AND succeeded_at > '%s'" % (name, since)) == "1", 40)


def test_retention(suite, place):
    """Days pass, for which all dates move back: what was kept longer is there, what was not is gone; and so is what was given an end."""
    project = place.must(201, "POST", "/groups", {"name": "retained", "orgId": place.home})["id"]
    specs = [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]
    made = {}
    for name in ("longer", "as-it-was", "shorter"):
        place.must(201, "POST", "/groups/%s/clusters" % project, {"name": name, "replicationSpecs": specs})
        made[name] = place.world.make_backups(place.home, project, name)
    path = lambda name, form: "/groups/%s/clusters/%s%s/%s" % (project, name, form, made[name])
    place.must(200, "PATCH", path("longer", "/backup/snapshots"), {"retentionUnit": "MONTHS", "retentionValue": 2})
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2 * 86400))
    place.must(200, "PATCH", path("shorter", "/snapshots"), {"expires": ends})

    def there():
        return [name for name in made if place.connection.ask("GET", PREFIX + path(name, "/backup/snapshots"), place.owner.bearer()).status == 200]
    for days, left in ((0, ["longer", "as-it-was", "shorter"]), (3, ["longer", "as-it-was"]), (8, ["longer"])):
        sql("UPDATE snapshot SET expires_at = expires_at - interval '%d days', created_at = created_at - interval '%d days' WHERE project_id = '\\x%s'" % (days, days, project))
        swept("expired-backups")
        suite.equal(there(), left, "snapshots after %d more days" % days)


def test_drills_by_themselves(suite, place):
    """A drill that is due is begun, unless the project wants none."""
    project = place.must(201, "POST", "/groups", {"name": "drilled", "orgId": place.home})["id"]
    specs = [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}}]}]
    place.must(201, "POST", "/groups/%s/clusters" % project, {"name": "drilled", "replicationSpecs": specs})
    place.must(200, "PATCH", "/groups/%s/backup/drillSettings" % project, {"enabled": False})
    place.world.make_backups(place.home, project, "drilled")
    sql("UPDATE drill SET requested_at = requested_at - interval '40 days', given_at = given_at - interval '40 days', started_at = started_at - interval '40 days', "
        "finished_at = finished_at - interval '40 days' WHERE project_id = '\\x%s'; UPDATE backup_stanza SET created_at = now() - interval '90 days' WHERE project_id = '\\x%s'" % (project, project))
    count = lambda: place.must(200, "GET", "/groups/%s/clusters/drilled/backup/drills" % project)["totalCount"]
    swept("backup-drills")
    suite.equal(count(), 1, "drills of a project that wants none")
    place.must(200, "PATCH", "/groups/%s/backup/drillSettings" % project, {"enabled": True})
    swept("backup-drills")
    suite.equal(count(), 2, "drills when it wants them again")


# ---- Flex clusters: what backups of theirs are answered with ----
def test_backups_of_flex_clusters(suite, place):
    project = place.must(201, "POST", "/groups", {"name": "flexible", "orgId": place.home})["id"]
    path = "/groups/%s/flexClusters/small" % project
    place.must(201, "POST", "/groups/%s/flexClusters" % project, {"name": "small", "providerSettings": {"backingProviderName": "ONPREM", "regionName": "EU_NORTH"}})
    snapshot = place.world.make_backups(place.home, project, "small")
    suite.equal([one["id"] for one in place.must(200, "GET", path + "/backup/snapshots")["results"]], [snapshot], "snapshots of a flex cluster")
    shown = place.must(200, "GET", "%s/backup/snapshots/%s" % (path, snapshot))
    suite.equal((shown["id"], shown["status"]), (snapshot, "COMPLETED"), "one of them: %s" % shown)
    sql("UPDATE job SET state = 'DONE', finished_at = now() WHERE subject IN (SELECT id FROM cluster WHERE project_id = '\\x%s')" % project)
    sql("UPDATE resource SET state = 'IDLE', observed_generation = generation WHERE kind = 'flexCluster' AND scope = '\\x%s'" % project)
    made = place.must(200, "POST", path + "/backup/restoreJobs", {"snapshotId": snapshot, "targetDeploymentItemName": "small"})
    suite.equal(place.must(200, "GET", path)["stateName"], "UPDATING", "a flex cluster into which a snapshot is restored")
    asked = sql("SELECT target_name || ' ' || encode(snapshot_id, 'hex') FROM restore_job WHERE id = '\\x%s'" % made["id"])
    suite.equal(asked, "small " + snapshot, "what workers are to do")
    suite.equal([one["id"] for one in place.must(200, "GET", path + "/backup/restoreJobs")["results"]], [made["id"]], "restores of a flex cluster")
    suite.equal(place.must(200, "GET", "%s/backup/restoreJobs/%s" % (path, made["id"]))["snapshotId"], snapshot, "one of them")


def try_all(suite, tests, *given):
    """One that ends with an exception does not hide the others."""
    for test in tests:
        try:
            test(suite, *given)
        except Exception as why:
            suite.fail("%s: %r" % (test.__name__, why))


def main():
    ends_on_signal()
    suite = Suite("effects")
    with Fleet() as fleet:
        place = Place(suite, fleet)
        hosts = Hosts(place)
        try_all(suite, (test_roles_of_people, test_invitations, test_teams, test_keys, test_accounts, test_accounts_of_a_project, test_organizations, test_projects, test_containers,
                        test_backups_of_flex_clusters), place)
        hosts.create("told")
        snapshot = hosts.back_up("told")
        try_all(suite, (test_custom_roles, test_log_integrations, test_log_export, test_slow_queries, test_suggestions, test_schedules), place, hosts)
        try_all(suite, (test_bucket_key,), place, hosts, snapshot)
        worker = Worker(place.node.conf)
        worker.start()
        try:
            try_all(suite, (test_role_key, test_removed_snapshot), place, hosts, snapshot)
            try_all(suite, (test_retention, test_drills_by_themselves), place)
        finally:
            worker.stop()
        place.world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
