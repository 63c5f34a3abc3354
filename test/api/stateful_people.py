# SPDX-License-Identifier: Apache-2.0
"""What a client of the stateful test does with people, invitations and teams: its own, and those that it shares.

A part of the client (stateful_client.py), which has asking, counting and the random numbers. Usernames are unique in a run, so
whoever a client invites is its own. An organization may invite so many a day; the judge sets the count back at every quiet point,
and a client stays within its part until then.
"""
import json
import time

from client import Bearer, Broken
from history import Step
from stateful_base import ORG_ROLES, PROJECT_ROLES, Wrong
from world import invitation_token

MOST_PEOPLE, MOST_INVITATIONS, MOST_TEAMS = 6, 6, 4
INVITATIONS_A_ROUND = 55  # in each organization; eight clients stay below 500
CONTESTED = 1  # names that all want


class PeopleOperations:
    config = None  # of a node, for the operator's commands

    def begin_people(self):
        self.people, self.invitations, self.teams = {}, {}, {}
        self.former = []         # people who left their organization: (org, username, id)
        self.invited = {}        # how many of the round's invitations an organization had from here
        self.in_shared_team = {}  # person: organization
        self.shared_roles = {}   # organization: roles of this client that the shared person holds

    def people_operations(self):
        return [
            (3, ["createUser"], self.person_create),
            (9, ["getOrgUser", "getUser", "getUserByName", "getGroupUser"], self.person_read),
            (4, ["addOrgUserRole", "removeOrgUserRole", "updateOrgUserRoles", "updateOrgUser"], self.person_roles),
            (5, ["addGroupUsers", "addGroupUserRole", "removeGroupUserRole", "updateGroupUserRoles", "removeGroupUser"],
             self.person_project),
            (2, ["removeOrgUser"], self.person_remove),
            (4, ["createOrgUser", "createOrganizationInvitation", "createProjectInvitation", "addProjectAccess"], self.invite),
            (5, ["getOrganizationInvitation", "getOrgUser", "listOrganizationInvitations"], self.invitation_read),
            (3, ["updateOrganizationInvitation", "updateOrgUser"], self.invitation_change),
            (1, ["deleteOrganizationInvitation", "removeOrgUser"], self.invitation_delete),
            (2, [], self.invitation_accept),
            (2, ["createOrganizationInvitation", "deleteOrganizationInvitation"], self.contest_address),
            (3, ["createOrgTeam"], self.team_create),
            (6, ["getOrgTeam", "getOrgTeamByName", "listOrgTeamUsers"], self.team_read),
            (3, ["renameOrgTeam"], self.team_rename),
            (2, ["deleteOrgTeam"], self.team_delete),
            (5, ["addOrgTeamUser", "removeOrgTeamUser", "addOrgTeamUsers", "removeOrgTeamUserFromTeam"], self.team_members),
            (4, ["addGroupTeams", "updateGroupTeam", "removeGroupTeam", "getGroupTeam"], self.team_project),
            (2, ["createOrgTeam", "deleteOrgTeam"], self.contest_team),
            (4, ["addOrgTeamUser", "removeOrgTeamUser"], self.shared_member),
            (4, ["listOrgTeamUsers"], self.shared_members_read),
            (4, ["addGroupUserRole", "removeGroupUserRole"], self.shared_role),
            (4, ["getGroupUser"], self.shared_roles_read),
        ]

    def username(self):
        return self.unique("person") + "@example.org"

    def of_org(self, owned, org):
        return [identifier for identifier, model in owned.items() if model["org"] == org]

    def home(self, model):
        return self.orgs[model["org"]].home

    # ---- People ----
    def person_create(self):
        if len(self.people) >= MOST_PEOPLE:
            return self.person_remove()
        org, username = self.org_of_new(), self.username()
        roles = self.random.sample(ORG_ROLES, self.random.randrange(1, 3))
        project = self.pick(self.of_org(self.projects, org)) if self.random.random() < 0.4 else None
        sent = [{"orgId": self.orgs[org].home, "roleName": role} for role in roles]
        if project:
            sent.append({"groupId": project, "roleName": "GROUP_READ_ONLY"})
        seen = self.post("/users", Bearer(self.orgs[org].token),
                         {"username": username, "firstName": "First", "lastName": "Last", "roles": sent}, 200)
        self.same(seen, {"username": username, "teamIds": []}, "a new person")
        if seen.dry:
            return None
        self.happened("USER_CREATED")
        self.people[seen.document["id"]] = {
            "org": org, "username": username, "roles": set(roles), "number": None, "teams": set(),
            "projects": {project: {"GROUP_READ_ONLY"}} if project else {}}
        return None

    @staticmethod
    def roles_shown(document):
        """Roles in the organization, and in its projects."""
        return (set(document["roles"]["orgRoles"]),
                {one["groupId"]: set(one["groupRoles"]) for one in document["roles"]["groupRoleAssignments"]})

    def check_member(self, seen, model, what):
        self.same(seen, {"username": model["username"], "teamIds": model.get("teams", set())}, what)
        wanted = (model["roles"] or {"ORG_MEMBER"}, model["projects"])
        if self.roles_shown(seen.document) != wanted:
            raise Wrong("%s: %r was acknowledged: %r" % (what, wanted, seen))

    def person_read(self):
        identifier = self.pick(self.people)
        if identifier is None:
            return
        model = self.people[identifier]
        auth, draw = self.auth(model["org"]), self.random.random()
        project = self.pick(sorted(model["projects"]))
        if draw < 0.5:
            seen = self.expect(self.ask("GET", "/orgs/%s/users/%s" % (self.home(model), identifier), auth), 200)
            self.check_member(seen, model, "a member")
            self.remember(model, seen)
        elif draw < 0.7:
            target = "/users/" + identifier if draw < 0.6 else "/users/byName/" + model["username"]
            seen = self.expect(self.ask("GET", target, auth), 200)
            self.same(seen, {"id": identifier, "username": model["username"], "teamIds": model["teams"]}, "a person")
            held = {(one.get("groupId"), one["roleName"]) for one in seen.document["roles"]}
            wanted = {(None, role) for role in model["roles"]} | {
                (at, role) for at, roles in model["projects"].items() for role in roles}
            if held != wanted:
                raise Wrong("a person: %s were acknowledged: %r" % (wanted, seen))
        elif draw < 0.8:
            seen = self.expect(self.ask("GET", "/orgs/%s/users" % self.home(model), auth, query=["username=" + model["username"]]), 200)
            self.check_list(seen, "id", {identifier}, "members of that name")
        elif project:
            seen = self.expect(self.ask("GET", "/groups/%s/users/%s" % (project, identifier), auth), 200)
            self.same(seen, {"username": model["username"], "roles": model["projects"][project]}, "a person in a project")
        else:
            project = self.pick(self.of_org(self.projects, model["org"]))
            if project:
                self.expect(self.ask("GET", "/groups/%s/users/%s" % (project, identifier), auth), 404)

    def person_roles(self):
        """In the organization."""
        identifier = self.pick(self.people)
        if identifier is None:
            return
        model = self.people[identifier]
        base, auth, draw = "/orgs/%s/users/%s" % (self.home(model), identifier), self.auth(model["org"]), self.random.random()
        held, role = model["roles"], self.random.choice(ORG_ROLES)
        if draw < 0.35:
            wanted = held | {role}
            seen = self.post(base + ":addRole", auth, {"orgRole": role}, 200)
            event = "ROLE_GRANTED"
        elif draw < 0.65:
            wanted = held - {role}
            if not wanted:
                refused = self.expect(self.ask("POST", base + ":removeRole", auth, {"orgRole": role}), 409)
                if refused.code != "LAST_ROLE":
                    raise Wrong("the last role: %r" % refused)
                return
            seen = self.post(base + ":removeRole", auth, {"orgRole": role}, 200)
            event = "ROLE_REVOKED"
        else:
            wanted = set(self.random.sample(ORG_ROLES, self.random.randrange(1, 4)))
            event = "USER_ROLES_CHANGED"
            if draw < 0.8:
                seen = self.change("PUT", base + "/roles", auth, {"orgRoles": sorted(wanted)}, 200, model["number"])
                self.same(seen, {"orgRoles": wanted}, "replaced roles")
            else:
                seen = self.change("PATCH", base, auth, {"roles": {"orgRoles": sorted(wanted)}}, 200, model["number"])
        if "teamIds" in seen.document:
            self.check_member(seen, dict(model, roles=wanted), "a changed member")
        if seen.dry or wanted == held:
            return
        self.happened(event)
        model.update(roles=wanted, number=None)

    def person_project(self):
        """In an own project: added, given more, replaced, taken away."""
        identifier = self.pick(self.people)
        if identifier is None:
            return
        model = self.people[identifier]
        project = self.pick(self.of_org(self.projects, model["org"]))
        if project is None:
            return
        base, auth = "/groups/%s/users" % project, self.auth(model["org"])
        held, role, draw = model["projects"].get(project), self.random.choice(PROJECT_ROLES), self.random.random()
        if held is None:
            seen = self.post(base, auth, {"username": model["username"], "roles": [role]}, 201)
            wanted, event = {role}, "USER_ADDED"
        elif draw < 0.3:
            seen, wanted, event = self.post("%s/%s:addRole" % (base, identifier), auth, {"groupRole": role}, 200), held | {role}, "ROLE_GRANTED"
        elif draw < 0.5:
            role, event = self.pick(sorted(held)), "ROLE_REVOKED"
            wanted = held - {role}
            if not wanted:
                self.expect(self.ask("POST", "%s/%s:removeRole" % (base, identifier), auth, {"groupRole": role}), 409)
                return
            seen = self.post("%s/%s:removeRole" % (base, identifier), auth, {"groupRole": role}, 200)
        elif draw < 0.7:
            wanted, event = set(self.random.sample(PROJECT_ROLES, 2)), "USER_ROLES_CHANGED"
            seen = self.change("PUT", "%s/%s/roles" % (base, identifier), auth, {"groupRoles": sorted(wanted)}, 200)
            self.same(seen, {"groupRoles": wanted}, "replaced roles in a project")
        else:
            if self.change("DELETE", "%s/%s" % (base, identifier), auth, None, 204).dry:
                return
            self.happened("USER_REMOVED")
            del model["projects"][project]
            model["number"] = None
            return
        if "roles" in seen.document:
            self.same(seen, {"roles": wanted}, "roles in a project")
        if seen.dry or wanted == held:
            return
        self.happened(event)
        model["projects"][project] = wanted
        model["number"] = None

    def person_remove(self):
        identifier = self.pick(self.people)
        if identifier is None:
            return
        model = self.people[identifier]
        target, auth = "/orgs/%s/users/%s" % (self.home(model), identifier), self.auth(model["org"])
        seen = self.change("DELETE", target, auth, None, 204, model["number"])
        if seen.dry:
            return
        self.happened("USER_REMOVED")
        del self.people[identifier]
        self.former.append((model["org"], model["username"], identifier))
        for team in self.teams.values():
            team["members"].discard(identifier)
        if self.in_shared_team.pop(identifier, None) is not None:
            self.removes.append((("member", model["org"]), identifier, seen.start, seen.end))
        self.expect(self.ask("GET", target, auth), 404)

    # ---- Invitations ----
    def may_invite(self, org):
        self.invited[org] = self.invited.get(org, 0) + 1
        return self.invited[org] <= INVITATIONS_A_ROUND

    def invite(self):
        """Whoever was never heard of, or somebody who left; on one of five ways."""
        if len(self.invitations) >= MOST_INVITATIONS:
            return self.invitation_accept()
        org, username = self.org_of_new(), self.username()
        if self.former and self.random.random() < 0.3:
            org, username, _ = self.former[-1]
        if not self.may_invite(org):
            return None
        home, auth, way = self.orgs[org].home, self.auth(org), self.random.randrange(5)
        project = self.pick(self.of_org(self.projects, org))
        role, roles = self.random.choice(PROJECT_ROLES), set(self.random.sample(ORG_ROLES, self.random.randrange(1, 3)))
        granted = {project: {role}} if project else {}
        if way == 0 or not project:
            groups = [{"groupId": at, "groupRoles": [role]} for at in granted]
            seen = self.post("/orgs/%s/users" % home, auth,
                             {"username": username, "roles": {"orgRoles": sorted(roles), "groupRoleAssignments": groups}}, 201)
        elif way == 1:
            seen = self.post("/orgs/%s/invites" % home, auth, {
                "username": username, "roles": sorted(roles), "groupRoleAssignments": [{"groupId": project, "roles": [role]}]}, 200)
        else:
            roles = set()  # a project's invitation makes a member of the organization, without saying so
            kind, status = (("users", 201), ("access", 200), ("invites", 200))[way - 2]
            seen = self.post("/groups/%s/%s" % (project, kind), auth, {"username": username, "roles": [role]}, status)
        self.same(seen, {"username": username}, "a new invitation")
        if "token" in seen.document:
            raise Wrong("who invites is shown the token: %r" % seen)
        if seen.dry:
            return None
        self.happened("INVITATION_CREATED")
        if self.former and self.former[-1][1] == username:
            self.former.pop()
        self.invitations[seen.document["id"]] = {
            "org": org, "username": username, "roles": roles, "projects": granted, 
            "token": invitation_token(self.config, seen.document["id"]), "number": None}
        return None

    def invitation_read(self):
        identifier = self.pick(self.invitations)
        if identifier is None:
            return
        model = self.invitations[identifier]
        home, auth, draw = self.home(model), self.auth(model["org"]), self.random.random()
        if draw < 0.4:
            seen = self.expect(self.ask("GET", "/orgs/%s/users/%s" % (home, identifier), auth), 200)
            self.same(seen, {"orgMembershipStatus": "PENDING"}, "somebody who was invited")
            self.check_member(seen, model, "somebody who was invited")
            self.remember(model, seen)
        elif draw < 0.8:
            seen = self.expect(self.ask("GET", "/orgs/%s/invites/%s" % (home, identifier), auth), 200)
            held = {(one["groupId"], one["groupRole"]) for one in seen.document["groupRoleAssignments"]}
            if set(seen.document["roles"]) != (model["roles"] or {"ORG_MEMBER"}) or \
                    held != {(at, role) for at, roles in model["projects"].items() for role in roles}:
                raise Wrong("an invitation, and %s was acknowledged: %r" % (model, seen))
        else:
            seen = self.expect(self.ask("GET", "/orgs/%s/invites" % home, auth, query=["username=" + model["username"].upper()]), 200)
            self.check_list(seen, "id", {identifier}, "invitations of that address")
        if "token" in seen.document:
            raise Wrong("a token is shown again: %r" % seen)

    def invitation_change(self):
        identifier = self.pick(self.invitations)
        if identifier is None:
            return
        model = self.invitations[identifier]
        home, auth = self.home(model), self.auth(model["org"])
        roles = set(self.random.sample(ORG_ROLES, self.random.randrange(1, 3)))
        project, projects = self.pick(self.of_org(self.projects, model["org"])), model["projects"]
        in_projects = project is not None and self.random.random() < 0.6
        if in_projects:
            projects = {project: set(self.random.sample(PROJECT_ROLES, 2))}
        if self.random.random() < 0.5:
            body = {"roles": sorted(roles)}
            if in_projects:
                body["groupRoleAssignments"] = [{"groupId": at, "roles": sorted(some)} for at, some in projects.items()]
            seen = self.change("PATCH", "/orgs/%s/invites/%s" % (home, identifier), auth, body, 200)
        else:
            body = {"orgRoles": sorted(roles)}
            if in_projects:
                body["groupRoleAssignments"] = [{"groupId": at, "groupRoles": sorted(some)} for at, some in projects.items()]
            seen = self.change("PATCH", "/orgs/%s/users/%s" % (home, identifier), auth, {"roles": body}, 200, model["number"])
        if seen.dry:
            return
        # An invitation without a role in the organization looks as if it had that of a member.
        if (roles, projects) != (model["roles"] or {"ORG_MEMBER"}, model["projects"]):
            self.happened("INVITATION_CHANGED")
        model.update(roles=roles, projects=projects, number=None)

    def invitation_delete(self):
        identifier = self.pick(self.invitations)
        if identifier is None:
            return
        model = self.invitations[identifier]
        target = "/orgs/%s/%s/%s" % (self.home(model), self.random.choice(["invites", "users"]), identifier)
        if self.change("DELETE", target, self.auth(model["org"]), None, 204).dry:
            return
        self.happened("INVITATION_DELETED")
        del self.invitations[identifier]
        self.answer_invitation([model], 404)

    def answer_invitation(self, models, *statuses):
        """Accepts on all nodes at once, as many as there are models; answers in this order."""
        raws = [json.dumps({"token": model["token"], "username": model["username"], "firstName": "First", "lastName": "Last"}).encode()
                for model in models]
        nodes = self.random.sample(self.connections, len(models))
        for _ in range(20):
            start = time.monotonic()
            try:
                for connection, raw in zip(nodes, raws):
                    connection.begin("POST", "/api/invitations/accept", [("Content-Type", "application/json"), ("Accept", "application/json")], raw)
                answers = [connection.finish("POST", "/api/invitations/accept") for connection in nodes]
            except (OSError, Broken) as why:
                raise Wrong("accepting got no answer: %r" % why) from why
            end = time.monotonic()
            self.count("answers", len(answers))
            if all(answer.code() == "CONCURRENT_CHANGE" for answer in answers):
                self.count("CONCURRENT_CHANGE", len(answers))
                continue
            for answer in answers:
                if answer.status not in statuses and answer.code() != "CONCURRENT_CHANGE":
                    raise Wrong("accepting: %r" % answers)
            return answers, start, end
        raise Wrong("refused twenty times: %r" % answers)

    def invitation_accept(self):
        identifier = self.pick(self.invitations)
        if identifier is None:
            return
        model = self.invitations.pop(identifier)
        twice = self.random.random() < 0.3
        answers, _, _ = self.answer_invitation([model, model] if twice else [model], *([200, 404] if twice else [200]))
        good = [answer for answer in answers if answer.status == 200]
        if len(good) != 1:
            raise Wrong("an invitation was accepted %d times: %r" % (len(good), answers))
        if twice:
            self.count("invitations accepted on both nodes at once")
        self.happened("INVITATION_ACCEPTED")
        person = good[0].json()["id"]
        self.people[person] = {"org": model["org"], "username": model["username"], "roles": model["roles"] or {"ORG_MEMBER"},
                               "projects": model["projects"], "teams": set(), "number": None}
        seen = self.expect(self.ask("GET", "/orgs/%s/users/%s" % (self.home(model), person), self.auth(model["org"])), 200)
        self.check_member(seen, self.people[person], "who accepted")
        if self.random.random() < 0.3:
            self.answer_invitation([model], 404)

    def contest_address(self):
        """All clients invite the same few: one is invited at a time."""
        org, username = self.org_of_new(), "contested-%d@example.org" % self.random.randrange(CONTESTED)
        if not self.may_invite(org):
            return
        base, auth = "/orgs/%s/invites" % self.orgs[org].home, Bearer(self.orgs[org].token)
        seen = self.expect(self.ask("POST", base, auth, {"username": username, "roles": ["ORG_MEMBER"]}), 200, 409)
        if seen.status == 409:
            if seen.code != "ALREADY_INVITED":
                raise Wrong("an address that was invited: %r" % seen)
            self.count("addresses that were invited")
            return
        self.happened("INVITATION_CREATED")
        identifier = seen.document["id"]
        self.names.append(("held", org, username, identifier, seen.start, seen.end))
        gone = self.expect(self.ask("DELETE", "%s/%s" % (base, identifier), auth), 204, 200)
        self.happened("INVITATION_DELETED")
        self.names.append(("freed", org, username, identifier, gone.start, gone.end))

    # ---- Teams ----
    def team_create(self):
        if len(self.teams) >= MOST_TEAMS:
            return self.team_delete()
        org, name = self.org_of_new(), self.unique("team")
        members = self.of_org(self.people, org)
        members = set(self.random.sample(members, self.random.randrange(len(members) + 1)))
        names = {self.people[one]["username"] for one in members}
        seen = self.post("/orgs/%s/teams" % self.orgs[org].home, self.auth(org), {"name": name, "usernames": sorted(names)}, 200)
        self.same(seen, {"name": name, "usernames": names}, "a new team")
        if seen.dry:
            return None
        self.happened("TEAM_CREATED")
        team = seen.document["id"]
        self.teams[team] = {"org": org, "name": name, "members": members, "projects": {}, "number": seen.number}
        for person in members:
            self.people[person]["teams"].add(team)
            self.people[person]["number"] = None
        return None

    def team_read(self):
        identifier = self.pick(self.teams)
        if identifier is None:
            return
        model = self.teams[identifier]
        base, auth, draw = "/orgs/%s/teams" % self.home(model), self.auth(model["org"]), self.random.random()
        if draw < 0.5:
            target = "/" + identifier if draw < 0.4 else "/byName/" + model["name"]
            seen = self.expect(self.ask("GET", base + target, auth), 200)
            self.same(seen, {"id": identifier, "name": model["name"]}, "a team")
            self.remember(model, seen)
        elif draw < 0.8 or not model["projects"]:
            seen = self.expect(self.ask("GET", "%s/%s/users" % (base, identifier), auth), 200)
            self.check_list(seen, "id", model["members"], "members of a team")
        else:
            project = self.pick(sorted(model["projects"]))
            seen = self.expect(self.ask("GET", "/groups/%s/teams/%s" % (project, identifier), auth), 200)
            self.same(seen, {"roleNames": model["projects"][project]}, "a team in a project")
            listed = self.expect(self.ask("GET", "/groups/%s/users" % project, auth, query=["flattenTeams=true", "itemsPerPage=500"]), 200)
            missing = model["members"] - {one["id"] for one in listed.document["results"]}
            if missing:
                raise Wrong("%s come through a team and are not listed: %r" % (missing, listed))

    def team_rename(self):
        identifier = self.pick(self.teams)
        if identifier is None:
            return
        model, name = self.teams[identifier], self.unique("team")
        target = "/orgs/%s/teams/%s" % (self.home(model), identifier)
        seen = self.change("PATCH", target, self.auth(model["org"]), {"name": name}, 200, model["number"])
        self.same(seen, {"name": name}, "a renamed team")
        if seen.dry:
            return
        if model["number"] is not None and seen.number <= model["number"]:
            raise Wrong("the ETag did not grow: %r" % seen)
        self.happened("TEAM_RENAMED")
        model.update(name=name, number=seen.number)

    def team_delete(self):
        identifier = self.pick(self.teams)
        if identifier is None:
            return
        model = self.teams[identifier]
        target, auth = "/orgs/%s/teams/%s" % (self.home(model), identifier), self.auth(model["org"])
        if self.change("DELETE", target, auth, None, 204, model["number"]).dry:
            return
        self.happened("TEAM_DELETED")
        del self.teams[identifier]
        for person in model["members"]:
            self.people[person]["teams"].discard(identifier)
            self.people[person]["number"] = None
        self.expect(self.ask("GET", target, auth), 404)

    def team_members(self):
        identifier = self.pick(self.teams)
        if identifier is None:
            return
        model = self.teams[identifier]
        candidates, auth = self.of_org(self.people, model["org"]), self.auth(model["org"])
        person = self.pick(candidates)
        if person is None:
            return
        base, draw = "/orgs/%s/teams/%s" % (self.home(model), identifier), self.random.random()
        before, after = model["members"], set(model["members"])
        if draw < 0.35:
            seen = self.post(base + ":addUser", auth, {"id": person}, 200)
            after.add(person)
        elif draw < 0.6:
            seen = self.post(base + ":removeUser", auth, {"id": person}, 200)
            after.discard(person)
        elif draw < 0.8:
            some = self.random.sample(candidates, self.random.randrange(1, len(candidates) + 1))
            seen = self.post(base + "/users", auth, [{"id": one} for one in some], 200)
            after |= set(some)
            self.check_list(seen, "id", after, "members after an addition")
        else:
            seen = self.expect(self.ask("DELETE", "%s/users/%s" % (base, person), auth), *([204, 200] if person in before else [404]))
            after.discard(person)
        if seen.dry or after == before:
            return
        self.happened("TEAM_MEMBER_ADDED" if len(after) > len(before) else "TEAM_MEMBER_REMOVED")
        for one in before ^ after:
            self.people[one]["teams"] ^= {identifier}
            self.people[one]["number"] = None
        model.update(members=after, number=None)

    def team_project(self):
        """Roles of an own team in an own project."""
        identifier = self.pick(self.teams)
        if identifier is None:
            return
        model = self.teams[identifier]
        project = self.pick(self.of_org(self.projects, model["org"]))
        if project is None:
            return
        base, auth, draw = "/groups/%s/teams" % project, self.auth(model["org"]), self.random.random()
        held, roles = model["projects"].get(project, set()), set(self.random.sample(PROJECT_ROLES, self.random.randrange(1, 3)))
        if not held and draw < 0.1:
            self.expect(self.ask("PATCH", "%s/%s" % (base, identifier), auth, {"roleNames": sorted(roles)}), 404)
            return
        if not held or draw < 0.4:
            wanted, event = held | roles, "TEAM_ADDED_TO_GROUP"
            seen = self.post(base, auth, [{"teamId": identifier, "roleNames": sorted(roles)}], 200)
        elif draw < 0.7:
            wanted, event = roles, "TEAM_ROLES_CHANGED"
            seen = self.change("PATCH", "%s/%s" % (base, identifier), auth, {"roleNames": sorted(roles)}, 200, model["number"])
        else:
            if self.change("DELETE", "%s/%s" % (base, identifier), auth, None, 204).dry:
                return
            self.happened("TEAM_REMOVED_FROM_GROUP")
            del model["projects"][project]
            model["number"] = None
            return
        shown = {one["teamId"]: set(one["roleNames"]) for one in seen.document["results"]}
        if shown.get(identifier) != wanted:
            raise Wrong("a team's roles, and %s were acknowledged: %r" % (wanted, seen))
        if seen.dry or wanted == held:
            return
        self.happened(event)
        model["projects"][project] = wanted
        model["number"] = None

    def contest_team(self):
        org, name = self.org_of_new(), "contested-team-%d" % self.random.randrange(CONTESTED)
        base, auth = "/orgs/%s/teams" % self.orgs[org].home, Bearer(self.orgs[org].token)
        seen = self.expect(self.ask("POST", base, auth, {"name": name, "usernames": []}), 200, 409)
        if seen.status == 409:
            if seen.code != "DUPLICATE_NAME":
                raise Wrong("a team's name in use: %r" % seen)
            self.count("team names that were in use")
            return
        identifier = seen.document["id"]
        self.happened("TEAM_CREATED")
        self.names.append(("held", org, name, identifier, seen.start, seen.end))
        gone = self.expect(self.ask("DELETE", "%s/%s" % (base, identifier), auth), 204, 200)
        self.happened("TEAM_DELETED")
        self.names.append(("freed", org, name, identifier, gone.start, gone.end))

    # ---- What is shared ----
    def shared_member(self):
        """Each client puts people of its own into the one team, and takes them out again."""
        org = self.org_of_new()
        team, auth = self.shared[org]["team"], self.auth(org)
        person = self.pick(self.of_org(self.people, org))
        if person is None:
            return
        base, inside = "/orgs/%s/teams/%s" % (self.orgs[org].home, team), person in self.in_shared_team
        seen = self.expect(self.ask("POST", base + (":removeUser" if inside else ":addUser"), auth, {"id": person}), 200)
        self.people[person]["teams"] ^= {team}
        self.people[person]["number"] = None
        self.same(seen, {"teamIds": self.people[person]["teams"]}, "a member of the shared team")
        self.steps.append(Step((org, "team"), "touch", seen.start, seen.end, None, None, self.number))
        if inside:
            del self.in_shared_team[person]
            self.happened("TEAM_MEMBER_REMOVED")
            self.removes.append((("member", org), person, seen.start, seen.end))
        else:
            self.in_shared_team[person] = org
            self.happened("TEAM_MEMBER_ADDED")
            self.adds.append((("member", org), person, seen.start, seen.end))

    def shared_members_read(self):
        org = self.org_of_new()
        seen = self.expect(self.ask("GET", "/orgs/%s/teams/%s/users" % (self.orgs[org].home, self.shared[org]["team"]), self.auth(org),
                                    query=["itemsPerPage=500"]), 200)
        found = [one["id"] for one in seen.document["results"]]
        if len(set(found)) != len(found) or seen.document["totalCount"] != len(found):
            raise Wrong("a list that contradicts itself: %r" % seen)
        self.set_reads.append((("member", org), seen.start, seen.end, found))

    def own_roles(self):
        """Of the roles of the shared person, those that only this client gives and takes."""
        return [role for at, role in enumerate(PROJECT_ROLES) if role != "GROUP_READ_ONLY" and at % 8 == self.number]

    def shared_role(self):
        org = self.org_of_new()
        held, role = self.shared_roles.setdefault(org, set()), self.random.choice(self.own_roles())
        word = "removeRole" if role in held else "addRole"
        seen = self.expect(self.ask("POST", "/groups/%s/users/%s:%s" % (self.shared[org]["project"], self.shared[org]["person"], word),
                                    self.auth(org), {"groupRole": role}), 200)
        self.happened("ROLE_REVOKED" if role in held else "ROLE_GRANTED")
        (self.removes if role in held else self.adds).append((("role", org), role, seen.start, seen.end))
        held ^= {role}
        self.set_reads.append((("role", org), seen.start, seen.end, seen.document["roles"]))

    def shared_roles_read(self):
        org = self.org_of_new()
        seen = self.expect(self.ask("GET", "/groups/%s/users/%s" % (self.shared[org]["project"], self.shared[org]["person"]),
                                    self.auth(org)), 200)
        self.set_reads.append((("role", org), seen.start, seen.end, seen.document["roles"]))

    # ---- What others of the client's operations mean for people ----
    def people_lose_project(self, project):
        for model in list(self.people.values()) + list(self.invitations.values()) + list(self.teams.values()):
            if model["projects"].pop(project, None) is not None:
                model["number"] = None
        # Whoever was invited to nothing else is not invited any more.
        for identifier, model in list(self.invitations.items()):
            if not model["roles"] and not model["projects"]:
                del self.invitations[identifier]

    def people_burst(self, org, project, person, team):
        """Roles that no other may undo, for a person and for a team, while all others add theirs."""
        auth, role = Bearer(self.orgs[org].token), PROJECT_ROLES[self.number]
        self.post("/groups/%s/users/%s:addRole" % (project, person), auth, {"groupRole": role}, 200, dry=False)
        self.post("/groups/%s/teams" % project, auth, [{"teamId": team, "roleNames": [role]}], 200, dry=False)
        self.happened("ROLE_GRANTED", "TEAM_ADDED_TO_GROUP")
        return role

    def people_report(self):
        self.invited = {}
        members = list(self.people.items()) + list(self.invitations.items())
        return {"members": [(model["org"], identifier, model["username"]) for identifier, model in members],
                "invitations": [(model["org"], identifier, model["username"]) for identifier, model in self.invitations.items()],
                "teams": [(model["org"], identifier, model["name"]) for identifier, model in self.teams.items()]}
