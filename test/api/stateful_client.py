# SPDX-License-Identifier: Apache-2.0
"""One client of the stateful test: draws operations, keeps a model of what is its own, and records what it sees of what it shares.

What a client owns nobody else changes, so every read of it must show exactly the model, on every node, at once. What is shared
goes into the history (history.py). People and teams are in stateful_people.py.
"""
import re
from urllib.parse import quote

from client import Bearer
from history import Step
from stateful_base import ORG_ROLES, PROJECT_ROLES, Base, Wrong
from stateful_people import PeopleOperations

MOST = {"project": 10, "account": 6, "key": 6, "org": 2, "entry": 6}
CONTESTED_NAMES = 3
PAGE = 500


class Client(PeopleOperations, Base):
    def __init__(self, number, seed, nodes, orgs, shared, complete, validator, every, accept):
        super().__init__(number, seed, nodes, orgs, shared, complete, validator, every, accept)
        self.projects, self.accounts, self.keys, self.made_orgs = {}, {}, {}, {}
        self.known = {}        # key of a shared resource: the number that this client saw last
        self.entry_at = 0
        self.begin_people()
        drawn = [(weight, work) for weight, needs, work in self.operations() + self.people_operations() if set(needs) <= complete]
        self.works, self.weights = [work for _, work in drawn], [weight for weight, _ in drawn]
        self.readable = self.find_readable()

    # ---- What can be drawn ----
    def operations(self):
        return [
            (6, ["createProject"], self.project_create),
            (14, ["getProject"], self.project_read),
            (8, ["updateProject"], self.project_update),
            (4, ["deleteProject"], self.project_delete),
            (4, ["getPrivateIpMode", "updatePrivateIpMode"], self.mode),
            (3, ["createProject", "deleteProject", "getProjectByName"], self.contest_name),
            (4, ["createOrgServiceAccount"], self.account_create),
            (9, ["getOrgServiceAccount"], self.account_read),
            (5, ["updateOrgServiceAccount"], self.account_update),
            (3, ["deleteOrgServiceAccount"], self.account_delete),
            (4, ["createOrgServiceAccountSecret", "deleteOrgServiceAccountSecret"], self.secret),
            (5, ["createOrgServiceAccountAccessList", "deleteOrgServiceAccountAccessListEntry"], self.own_entry),
            (3, ["inviteGroupServiceAccount", "deleteGroupServiceAccount", "getGroupServiceAccount"], self.account_project),
            (3, ["createOrgApiKey"], self.key_create),
            (7, ["getOrgApiKey"], self.key_read),
            (4, ["updateOrgApiKey"], self.key_update),
            (2, ["deleteOrgApiKey"], self.key_delete),
            (2, ["addGroupApiKey", "removeGroupApiKey"], self.key_project),
            (1, ["createOrganization"], self.org_create),
            (3, ["getOrganization", "updateOrganization"], self.org_use),
            (1, ["deleteOrganization"], self.org_delete),
            (30, [], self.shared_read),
            (14, [], self.shared_write),
            (5, ["createOrgServiceAccountAccessList", "deleteOrgServiceAccountAccessListEntry"], self.shared_entry),
            (5, ["listOrgServiceAccountAccessList"], self.shared_entries_read),
            (3, ["createOrgServiceAccountSecret", "deleteOrgServiceAccountSecret"], self.shared_secret),
            (12, [], self.any_read),
        ]

    def step(self):
        work = self.random.choices(self.works, self.weights)[0]
        before = self.counts.get("answers", 0)
        try:
            work()
        except Wrong as why:
            self.failures.append("client %d, %s: %s" % (self.number, work.__name__, why))
        return self.counts.get("answers", 0) - before

    # ---- Projects ----
    def project_create(self):
        if len(self.projects) >= MOST["project"]:
            return self.project_delete()
        org, name = self.org_of_new(), self.unique("own")
        tags = [{"key": "made", "value": name}] if self.random.random() < 0.5 else []
        body = {"name": name, "orgId": self.orgs[org].home}
        if tags:
            body["tags"] = tags
        seen = self.post("/groups", self.auth(org), body, 201)
        self.same(seen, {"name": name, "tags": tags, "clusterCount": 0}, "a new project")
        identifier = seen.document["id"]
        if seen.dry:
            self.expect(self.ask("GET", "/groups/" + identifier, self.auth(org)), 404)
            return None
        self.happened("GROUP_CREATED")
        self.projects[identifier] = {"org": org, "name": name, "tags": tags, "number": seen.number, "mode": False, "mode_number": None, "mode_is_set": False}
        return identifier

    def project_read(self):
        identifier = self.pick(self.projects)
        if identifier is None:
            return
        model = self.projects[identifier]
        by_name = self.random.random() < 0.2
        target = "/groups/byName/" + quote(model["name"]) if by_name else "/groups/" + identifier
        # By name means among the caller's own organization's.
        if model["number"] is not None and not by_name and self.random.random() < 0.1:
            seen = self.ask("GET", target, self.auth(model["org"]), headers={"If-None-Match": '"%d"' % model["number"]})
            self.expect(seen, 304)
            return
        seen = self.expect(self.ask("GET", target, self.auth(model["org"])), 200)
        self.same(seen, {"id": identifier, "name": model["name"], "tags": model["tags"]}, "a project")
        self.remember(model, seen)

    def project_update(self):
        identifier = self.pick(self.projects)
        if identifier is None:
            return
        model = self.projects[identifier]
        wanted = {}
        if self.random.random() < 0.4:
            wanted["name"] = self.unique("own")
        if not wanted or self.random.random() < 0.6:
            wanted["tags"] = [{"key": "k%d" % at, "value": self.unique("v")} for at in range(self.random.randrange(1, 4))]
        seen = self.change("PATCH", "/groups/" + identifier, self.auth(model["org"]), wanted, 200, model["number"])
        self.same(seen, {"name": model["name"], "tags": model["tags"], **wanted}, "a changed project")
        if seen.dry:
            return
        if model["number"] is not None and seen.number <= model["number"]:
            raise Wrong("the ETag did not grow: %r" % seen)
        self.happened("GROUP_UPDATED")
        model.update(wanted, number=seen.number)

    def project_delete(self):
        identifier = self.pick(self.projects)
        if identifier is None:
            return
        model = self.projects[identifier]
        auth = self.auth(model["org"])
        if self.change("DELETE", "/groups/" + identifier, auth, None, 204, model["number"]).dry:
            return
        self.happened("GROUP_DELETED")
        del self.projects[identifier]
        for account in list(self.accounts.values()) + list(self.keys.values()):
            if account["projects"].pop(identifier, None) is not None:
                account.update(moved_from=account["number"], number=None)
        self.people_lose_project(identifier)
        if self.random.random() < 0.5:
            self.expect(self.ask(self.random.choice(["GET", "DELETE"]), "/groups/" + identifier, auth), 404)

    def mode(self):
        identifier = self.pick(self.projects)
        if identifier is None:
            return
        model = self.projects[identifier]
        target, auth = "/groups/%s/privateIpMode" % identifier, self.auth(model["org"])
        if self.random.random() < 0.5:
            seen = self.expect(self.ask("GET", target, auth), 200)
            self.same(seen, {"enabled": model["mode"]}, "private IP mode")
            if model["mode_number"] is not None and seen.number != model["mode_number"]:
                raise Wrong("another ETag than was acknowledged: %r" % seen)
            model["mode_number"] = seen.number
            return
        enabled = self.random.random() < 0.5
        seen = self.change("PATCH", target, auth, {"enabled": enabled}, 200, model["mode_number"])
        self.same(seen, {"enabled": enabled}, "changed private IP mode")
        if seen.dry:
            return
        if model["mode_is_set"] and enabled == model["mode"]:  # nothing changes, and nothing is told
            if model["mode_number"] not in (None, seen.number):
                raise Wrong("another ETag, and nothing changed: %r" % seen)
        else:
            self.happened("PRIVATE_IP_MODE_CHANGED")
        model.update(mode=enabled, mode_number=seen.number, mode_is_set=True)

    def contest_name(self):
        """All clients want the same few names: one has each at a time."""
        org, name = self.org_of_new(), "contested-%d" % self.random.randrange(CONTESTED_NAMES)
        auth = Bearer(self.orgs[org].token)
        seen = self.expect(self.ask("POST", "/groups", auth, {"name": name, "orgId": self.orgs[org].home}), 201, 409)
        if seen.status == 409:
            if seen.code != "DUPLICATE_NAME":
                raise Wrong("a name in use: %r" % seen)
            self.count("names that were in use")
            return
        identifier = seen.document["id"]
        self.happened("GROUP_CREATED")
        self.names.append(("held", org, name, identifier, seen.start, seen.end))
        found = self.expect(self.ask("GET", "/groups/byName/" + name, auth), 200)
        if found.document["id"] != identifier:
            raise Wrong("the name leads to another project: %r" % found)
        gone = self.expect(self.ask("DELETE", "/groups/" + identifier, auth), 204, 200)
        self.happened("GROUP_DELETED")
        self.names.append(("freed", org, name, identifier, gone.start, gone.end))

    # ---- Service accounts and API keys ----
    def account_create(self):
        if len(self.accounts) >= MOST["account"]:
            return self.account_delete()
        org, name = self.org_of_new(), self.unique("sa")
        roles = self.random.sample(ORG_ROLES, self.random.randrange(1, 3))
        body = {"name": name, "description": "made", "roles": roles, "secretExpiresAfterHours": 8}
        seen = self.post("/orgs/%s/serviceAccounts" % self.orgs[org].home, self.auth(org), body, 201)
        self.same(seen, {"name": name, "description": "made", "roles": set(roles)}, "a new service account")
        if not str(seen.document["secrets"][0].get("secret")).startswith("reeve_"):
            raise Wrong("a new account has no secret: %s" % seen.document["secrets"])
        if seen.dry:
            return None
        self.happened("SERVICE_ACCOUNT_CREATED")
        self.accounts[seen.document["clientId"]] = {
            "org": org, "name": name, "description": "made", "roles": set(roles), "number": seen.number,
            "secrets": {seen.document["secrets"][0]["id"]}, "entries": set(), "projects": {}}
        return None

    def account_read(self):
        identifier = self.pick(self.accounts)
        if identifier is None:
            return
        model = self.accounts[identifier]
        base = "/orgs/%s/serviceAccounts/%s" % (self.orgs[model["org"]].home, identifier)
        draw = self.random.random()
        if draw < 0.6:
            seen = self.expect(self.ask("GET", base, self.auth(model["org"])), 200)
            self.same(seen, {field: model[field] for field in ("name", "description", "roles")}, "a service account")
            if {one["id"] for one in seen.document["secrets"]} != model["secrets"] or \
                    any("secret" in one for one in seen.document["secrets"]):
                raise Wrong("other secrets than were acknowledged: %r" % seen)
            self.remember(model, seen)
        elif draw < 0.8:
            seen = self.expect(self.ask("GET", base + "/accessList", self.auth(model["org"]), query=["itemsPerPage=100"]), 200)
            self.check_list(seen, "cidrBlock", model["entries"], "entries of an account")
        elif "getOrgServiceAccountGroups" in self.complete:
            seen = self.expect(self.ask("GET", base + "/groups", self.auth(model["org"])), 200)
            got = {one["groupId"]: set(one["roles"]) for one in seen.document["results"]}
            if got != model["projects"] or seen.document["totalCount"] != len(got):
                raise Wrong("other projects than were acknowledged (%s): %r" % (model["projects"], seen))

    def account_update(self):
        identifier = self.pick(self.accounts)
        if identifier is None:
            return
        model = self.accounts[identifier]
        wanted, body = {}, {}
        if self.random.random() < 0.5:
            wanted["description"] = body["description"] = self.unique("about")
        if not wanted or self.random.random() < 0.5:
            body["roles"] = self.random.sample(ORG_ROLES, self.random.randrange(1, 4))
            wanted["roles"] = set(body["roles"])
        target = "/orgs/%s/serviceAccounts/%s" % (self.orgs[model["org"]].home, identifier)
        seen = self.change("PATCH", target, self.auth(model["org"]), body, 200, model["number"])
        self.same(seen, {**{field: model[field] for field in ("name", "description", "roles")}, **wanted}, "a changed account")
        if not seen.dry:
            self.happened("SERVICE_ACCOUNT_UPDATED")
            model.update(wanted, number=seen.number)

    def account_delete(self):
        identifier = self.pick(self.accounts)
        if identifier is None:
            return
        model = self.accounts[identifier]
        target, auth = "/orgs/%s/serviceAccounts/%s" % (self.orgs[model["org"]].home, identifier), self.auth(model["org"])
        if self.change("DELETE", target, auth, None, 204, model["number"]).dry:
            return
        self.happened("SERVICE_ACCOUNT_DELETED")
        del self.accounts[identifier]
        if self.random.random() < 0.5:
            self.expect(self.ask(self.random.choice(["GET", "DELETE"]), target, auth), 404)

    def secret(self):
        identifier = self.pick(self.accounts)
        if identifier is None:
            return
        model = self.accounts[identifier]
        target = "/orgs/%s/serviceAccounts/%s/secrets" % (self.orgs[model["org"]].home, identifier)
        auth = self.auth(model["org"])
        if len(model["secrets"]) < 2:
            seen = self.post(target, auth, {"secretExpiresAfterHours": 8}, 201)
            if not seen.dry:
                self.happened("SERVICE_ACCOUNT_SECRET_CREATED")
                model["secrets"].add(seen.document["id"])
                model["number"] = None
            return
        if self.random.random() < 0.2:
            seen = self.expect(self.ask("POST", target, auth, {"secretExpiresAfterHours": 8}), 409)
        secret = self.pick(sorted(model["secrets"]))
        self.expect(self.ask("DELETE", target + "/" + secret, auth), 204, 200)
        self.happened("SERVICE_ACCOUNT_SECRET_DELETED")
        model["secrets"].discard(secret)
        model["number"] = None

    def new_entry(self):
        self.entry_at += 1
        return "10.%d.%d.%d/32" % (self.number, self.entry_at // 256 % 256, self.entry_at % 256)

    def own_entry(self):
        identifier = self.pick(self.accounts)
        if identifier is None:
            return
        model = self.accounts[identifier]
        target, auth = "/orgs/%s/serviceAccounts/%s/accessList" % (self.orgs[model["org"]].home, identifier), self.auth(model["org"])
        if model["entries"] and (len(model["entries"]) >= MOST["entry"] or self.random.random() < 0.4):
            block = self.pick(sorted(model["entries"]))
            self.expect(self.ask("DELETE", target + "/" + quote(block, safe=""), auth), 204, 200)
            self.happened("ACCESS_LIST_ENTRY_REMOVED")
            model["entries"].discard(block)
        else:
            blocks = [self.new_entry() for _ in range(self.random.randrange(1, 3))]
            seen = self.post(target, auth, [{"cidrBlock": block} for block in blocks], 200)
            self.check_list(seen, "cidrBlock", model["entries"] | set(blocks), "the list after an addition")
            if seen.dry:
                return
            self.happened("ACCESS_LIST_ENTRY_ADDED")
            model["entries"] |= set(blocks)
        model["number"] = None

    def account_project(self):
        """Roles of an own account in an own project of the same organization."""
        identifier = self.pick(self.accounts)
        if identifier is None:
            return
        model = self.accounts[identifier]
        mine = [project for project, one in self.projects.items() if one["org"] == model["org"]]
        project = self.pick(mine)
        if project is None:
            return
        target, auth = "/groups/%s/serviceAccounts/%s" % (project, identifier), Bearer(self.orgs[model["org"]].token)
        held = model["projects"].get(project)
        if held and self.random.random() < 0.4:
            self.expect(self.ask("DELETE", target, auth), 204, 200)
            self.happened("SERVICE_ACCOUNT_UPDATED")
            del model["projects"][project]
            self.expect(self.ask("GET", target, auth), 404)
        else:
            role = self.random.choice(PROJECT_ROLES)
            seen = self.post(target + ":invite", auth, {"roles": [role]}, 200)
            self.same(seen, {"roles": (held or set()) | {role}}, "roles in a project")
            if seen.dry:
                return
            self.happened("SERVICE_ACCOUNT_UPDATED")
            model["projects"].setdefault(project, set()).add(role)
        model["number"] = None

    def key_create(self):
        if len(self.keys) >= MOST["key"]:
            return self.key_delete()
        org, desc = self.org_of_new(), self.unique("key")
        roles = self.random.sample(ORG_ROLES, self.random.randrange(1, 3))
        seen = self.post("/orgs/%s/apiKeys" % self.orgs[org].home, self.auth(org), {"desc": desc, "roles": roles}, 200)
        self.same(seen, {"desc": desc}, "a new key")
        if "…" in seen.document["privateKey"]:
            raise Wrong("a new key without its private half")
        if seen.dry:
            return None
        self.happened("API_KEY_CREATED")
        self.keys[seen.document["id"]] = {"org": org, "desc": desc, "roles": set(roles), "number": seen.number, "projects": {}}
        return None

    def held_by(self, document, project=None):
        return {one["roleName"] for one in document["roles"] if one.get("groupId") == project}

    def key_read(self):
        identifier = self.pick(self.keys)
        if identifier is None:
            return
        model = self.keys[identifier]
        seen = self.expect(self.ask("GET", "/orgs/%s/apiKeys/%s" % (self.orgs[model["org"]].home, identifier), self.auth(model["org"])), 200)
        self.same(seen, {"id": identifier, "desc": model["desc"]}, "a key")
        if self.held_by(seen.document) != model["roles"] or "…" not in seen.document["privateKey"]:
            raise Wrong("a key has other roles than %s: %r" % (model["roles"], seen))
        for project, roles in model["projects"].items():
            if self.held_by(seen.document, project) != roles:
                raise Wrong("a key has other roles than %s in %s: %r" % (roles, project, seen))
        self.remember(model, seen)

    def key_update(self):
        identifier = self.pick(self.keys)
        if identifier is None:
            return
        model, desc = self.keys[identifier], self.unique("key")
        roles = self.random.sample(ORG_ROLES, self.random.randrange(1, 3))
        target = "/orgs/%s/apiKeys/%s" % (self.orgs[model["org"]].home, identifier)
        seen = self.change("PATCH", target, self.auth(model["org"]), {"desc": desc, "roles": roles}, 200, model["number"])
        self.same(seen, {"desc": desc}, "a changed key")
        if not seen.dry:
            self.happened("API_KEY_UPDATED")
            model.update(desc=desc, roles=set(roles), number=seen.number)

    def key_delete(self):
        identifier = self.pick(self.keys)
        if identifier is None:
            return
        model = self.keys[identifier]
        target, auth = "/orgs/%s/apiKeys/%s" % (self.orgs[model["org"]].home, identifier), self.auth(model["org"])
        self.expect(self.ask("DELETE", target, auth), 204, 200)
        self.happened("API_KEY_DELETED")
        del self.keys[identifier]
        if self.random.random() < 0.5:
            self.expect(self.ask(self.random.choice(["GET", "DELETE"]), target, auth), 404)

    def key_project(self):
        identifier = self.pick(self.keys)
        if identifier is None:
            return
        model = self.keys[identifier]
        project = self.pick([one for one, values in self.projects.items() if values["org"] == model["org"]])
        if project is None:
            return
        target, auth = "/groups/%s/apiKeys/%s" % (project, identifier), self.auth(model["org"])
        if project in model["projects"] and self.random.random() < 0.4:
            self.expect(self.ask("DELETE", target, auth), 204, 200)
            del model["projects"][project]
        else:
            role = self.random.choice(PROJECT_ROLES)
            if self.post(target, auth, {"roles": [role]}, 204, dry=False).dry:
                return
            model["projects"].setdefault(project, set()).add(role)
        self.happened("API_KEY_UPDATED")
        model["number"] = None

    # ---- Organizations of one's own ----
    def org_create(self):
        if len(self.made_orgs) >= MOST["org"]:
            return
        org, name = self.org_of_new(), self.unique("org")
        account = {"name": name, "description": "first", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8}
        seen = self.post("/orgs", self.auth(org), {"name": name, "serviceAccount": account}, 201)
        if seen.document["organization"]["name"] != name:
            raise Wrong("a new organization: %r" % seen)
        made = seen.document["serviceAccount"]
        if seen.dry:
            return
        self.happened("ORG_CREATED", "SERVICE_ACCOUNT_CREATED")
        token = self.random.choice(self.connections).fetch_token(made["clientId"], made["clientSecret"])
        self.made_orgs[seen.document["organization"]["id"]] = {"name": name, "token": token, "number": seen.number, "project": None,
                                                               "client": (made["clientId"], made["clientSecret"])}

    def org_use(self):
        identifier = self.pick(self.made_orgs)
        if identifier is None:
            return
        model = self.made_orgs[identifier]
        target, auth = "/orgs/" + identifier, Bearer(model["token"])
        draw = self.random.random()
        if draw < 0.3:
            seen = self.expect(self.ask("GET", target, auth), 200)
            self.same(seen, {"id": identifier, "name": model["name"], "isDeleted": False}, "an organization")
            self.remember(model, seen)
        elif draw < 0.4:
            seen = self.expect(self.ask("GET", "/orgs", auth), 200)
            self.check_list(seen, "id", {identifier}, "organizations of a caller")
        elif draw < 0.7:
            name = self.unique("org")
            seen = self.change("PATCH", target, auth, {"name": name}, 200, model["number"])
            self.same(seen, {"name": name}, "a changed organization")
            if not seen.dry:
                self.happened("ORG_UPDATED")
                model.update(name=name, number=seen.number)
        elif model["project"] is None:
            seen = self.expect(self.ask("POST", "/groups", auth, {"name": "only", "orgId": identifier}), 201)
            self.happened("GROUP_CREATED")
            model["project"] = seen.document["id"]
            seen = self.expect(self.ask("DELETE", target, auth), 409)
        else:
            self.expect(self.ask("DELETE", "/groups/" + model["project"], auth), 204, 200)
            self.happened("GROUP_DELETED")
            model["project"] = None

    def org_delete(self):
        identifier = self.pick(self.made_orgs)
        if identifier is None or self.made_orgs[identifier]["project"]:
            return
        model = self.made_orgs[identifier]
        auth = Bearer(model["token"])
        self.expect(self.ask("DELETE", "/orgs/" + identifier, auth), 204, 200)
        self.happened("ORG_DELETED")
        del self.made_orgs[identifier]
        self.expect(self.ask("GET", "/orgs/" + identifier, auth), 401, 404)

    # ---- What is shared ----
    def shared_targets(self, org):
        """kind: (address, body that writes a text, the text of a document)"""
        one = self.shared[org]
        home = self.orgs[org].home
        return {
            "project": ("/groups/" + one["project"], lambda text: {"tags": [{"key": "w", "value": text}]},
                        lambda document: document["tags"][0]["value"] if document["tags"] else ""),
            "name": ("/groups/" + one["named"], lambda text: {"name": text}, lambda document: document["name"]),
            "mode": ("/groups/%s/privateIpMode" % one["project"], lambda text: {"enabled": text.endswith(("0", "2", "4", "6", "8"))},
                     lambda document: document["enabled"]),
            "account": ("/orgs/%s/serviceAccounts/%s" % (home, one["account"]), lambda text: {"description": text},
                        lambda document: document["description"]),
            "key": ("/orgs/%s/apiKeys/%s" % (home, one["key"]), lambda text: {"desc": text}, lambda document: document["desc"]),
            "org": ("/orgs/" + home, lambda text: {"name": text}, lambda document: document["name"]),
            "team": ("/orgs/%s/teams/%s" % (home, one["team"]), lambda text: {"name": text}, lambda document: document["name"]),
        }

    def shared_read(self):
        org = self.org_of_new()
        kind, (target, _, value_of) = self.random.choice(list(self.shared_targets(org).items()))
        seen = self.expect(self.ask("GET", target, self.auth(org)), 200)
        self.known[(org, kind)] = seen.number
        self.steps.append(Step((org, kind), "read", seen.start, seen.end, seen.number, value_of(seen.document), self.number))
        if kind == "account":
            self.set_reads.append((("secret", org), seen.start, seen.end, [one["id"] for one in seen.document["secrets"]]))
            if len(seen.document["secrets"]) > 2:
                raise Wrong("more than two secrets: %r" % seen)

    def shared_write(self):
        org = self.org_of_new()
        kind, (target, body_of, value_of) = self.random.choice(list(self.shared_targets(org).items()))
        key, body = (org, kind), body_of(self.unique("w"))
        known, headers = self.known.get(key), {}
        if known is not None and self.random.random() < 0.5:
            headers = {"If-Match": '"%d"' % known}
        dry = self.random.random() < 0.05
        seen = self.expect(self.ask("PATCH", target, self.auth(org), body, headers, dry=dry), 200, 412)
        if seen.status == 412:
            self.count("conflicts found by If-Match")
            self.steps.append(Step(key, "conflict", seen.start, seen.end, known, None, self.number))
            self.known.pop(key)
        elif not dry:
            may_be_there = kind == "mode"  # of two values; all others are texts that nobody wrote before
            if not may_be_there:
                self.happened({"project": "GROUP_UPDATED", "name": "GROUP_UPDATED", "account": "SERVICE_ACCOUNT_UPDATED",
                               "key": "API_KEY_UPDATED", "org": "ORG_UPDATED", "team": "TEAM_RENAMED"}[kind])
            if "If-Match" in headers and seen.number < known + (not may_be_there):
                raise Wrong("the ETag did not grow: %r" % seen)
            self.known[key] = seen.number
            self.steps.append(Step(key, "set" if may_be_there else "write", seen.start, seen.end, seen.number, value_of(seen.document), self.number))

    def touched(self, org, seen):
        self.steps.append(Step((org, "account"), "touch", seen.start, seen.end, None, None, self.number))

    def shared_entry(self):
        """Each client adds and removes entries of its own in the one list."""
        org = self.org_of_new()
        mine = self.shared[org].setdefault("mine", [])
        target, auth = self.shared_targets(org)["account"][0] + "/accessList", self.auth(org)
        if mine and (len(mine) >= MOST["entry"] or self.random.random() < 0.4):
            block = mine.pop(self.random.randrange(len(mine)))
            seen = self.expect(self.ask("DELETE", target + "/" + quote(block, safe=""), auth), 204, 200)
            self.happened("ACCESS_LIST_ENTRY_REMOVED")
            self.removes.append((("entry", org), block, seen.start, seen.end))
        else:
            block = self.new_entry()
            seen = self.expect(self.ask("POST", target, auth, [{"cidrBlock": block}], query=["itemsPerPage=%d" % PAGE]), 200)
            self.happened("ACCESS_LIST_ENTRY_ADDED")
            mine.append(block)
            self.adds.append((("entry", org), block, seen.start, seen.end))
            self.set_reads.append((("entry", org), seen.start, seen.end, [one["cidrBlock"] for one in seen.document["results"]]))
        self.touched(org, seen)

    def shared_entries_read(self):
        org = self.org_of_new()
        target = self.shared_targets(org)["account"][0] + "/accessList"
        seen = self.expect(self.ask("GET", target, self.auth(org), query=["itemsPerPage=%d" % PAGE]), 200)
        blocks = [one["cidrBlock"] for one in seen.document["results"]]
        if len(set(blocks)) != len(blocks) or seen.document["totalCount"] != len(blocks):
            raise Wrong("a list that contradicts itself: %r" % seen)
        self.set_reads.append((("entry", org), seen.start, seen.end, blocks))

    def shared_secret(self):
        """Two secrets at most, whoever makes and removes them."""
        org = self.org_of_new()
        target, auth = self.shared_targets(org)["account"][0] + "/secrets", self.auth(org)
        seen = self.expect(self.ask("POST", target, auth, {"secretExpiresAfterHours": 8}), 201, 409)
        if seen.status == 201:
            self.happened("SERVICE_ACCOUNT_SECRET_CREATED")
            self.adds.append((("secret", org), seen.document["id"], seen.start, seen.end))
            self.touched(org, seen)
            secret = seen.document["id"]
        else:
            account = self.expect(self.ask("GET", self.shared_targets(org)["account"][0], auth), 200)
            secret = self.pick([one["id"] for one in account.document["secrets"]])
            if secret is None:
                return
        seen = self.expect(self.ask("DELETE", target + "/" + secret, auth), 204, 200, 404)
        if seen.status != 404:
            self.happened("SERVICE_ACCOUNT_SECRET_DELETED")
            self.removes.append((("secret", org), secret, seen.start, seen.end))
            self.touched(org, seen)

    # ---- Whatever else can be read ----
    def find_readable(self):
        """Complete operations that read, and whose path can be filled; what becomes complete is tried without a change here."""
        known = {"orgId", "groupId", "clientId", "apiUserId", "endpointSetId", "groupName", "userId", "teamId"}
        return [row for row in self.orgs[0].catalog if row["method"] == "GET" and row["status"] == "complete"
                and row["shape"] in ("entity", "list") and set(re.findall(r"{(\w+)}", row["path"])) <= known
                and row["operation"] != "listRateLimits"]

    def any_read(self):
        row, org = self.random.choice(self.readable), self.org_of_new()
        one = self.shared[org]
        values = {"orgId": self.orgs[org].home, "groupId": one["project"], "clientId": one["account"], "apiUserId": one["key"],
                  "endpointSetId": "S17", "groupName": "steady", "userId": one["person"], "teamId": one["team"]}
        path = re.sub(r"{(\w+)}", lambda match: values[match.group(1)], row["path"])
        query = []
        if row["shape"] == "list":
            if self.random.random() < 0.5:
                query.append("itemsPerPage=%d" % self.random.choice([1, 2, 7, 100]))
            if self.random.random() < 0.3:
                query.append("pageNum=%d" % self.random.choice([1, 2, 3, 1000]))
            if self.random.random() < 0.1:
                query.append("includeCount=false")
        seen = self.expect(self.ask("GET", path, self.auth(org), query=query), 200, 404)
        self.count("read " + row["operation"])
        if seen.status == 404 and "{groupId}/" not in row["path"]:
            raise Wrong("not found: %r" % seen)
        if seen.status == 200 and row["shape"] == "list" and "totalCount" in seen.document and \
                len(seen.document["results"]) > seen.document["totalCount"]:
            raise Wrong("more results than there are: %r" % seen)

    # ---- All at once on one credential ----
    def burst(self, org, account, key, project, person, team):
        """Additions that no other may undo: entries and roles of this client, to what all clients add to at the same time."""
        home, auth = self.orgs[org].home, Bearer(self.orgs[org].token)
        entries = [self.new_entry() for _ in range(3)]
        roles = [PROJECT_ROLES[self.number * 2 % len(PROJECT_ROLES)], PROJECT_ROLES[(self.number * 2 + 1) % len(PROJECT_ROLES)]]
        target = "/groups/%s/serviceAccounts/%s" % (project, account)
        for block in entries:
            self.post("/orgs/%s/serviceAccounts/%s/accessList" % (home, account), auth, [{"cidrBlock": block}], 200, dry=False)
            self.expect(self.ask("POST", "/orgs/%s/apiKeys/%s/accessList" % (home, key), auth, [{"cidrBlock": block}]), 200)
            self.happened("ACCESS_LIST_ENTRY_ADDED", "ACCESS_LIST_ENTRY_ADDED")
        self.post(target + ":invite", auth, {"roles": roles[:1]}, 200, dry=False)
        self.post("/groups/%s/apiKeys/%s" % (project, key), auth, {"roles": roles}, 204, dry=False)
        self.happened("SERVICE_ACCOUNT_UPDATED", "API_KEY_UPDATED")
        common = self.people_burst(org, project, person, team)
        # The other role by reading, adding and writing what was read: If-Match makes it safe.
        for _ in range(1000):
            before = self.expect(self.ask("GET", target, auth), 200)
            wanted = sorted(set(before.document["roles"]) | {roles[1]})
            seen = self.expect(self.ask("PATCH", target, auth, {"roles": wanted}, {"If-Match": '"%d"' % before.number}), 200, 412)
            if seen.status == 200:
                self.happened("SERVICE_ACCOUNT_UPDATED")
                return entries, roles, [common]
            self.count("conflicts found by If-Match")
        raise Wrong("a thousand conflicts in a row")

    # ---- An organization that is deleted while it is used ----
    def collapse(self, home, token, account, key):
        """All clients change what is in one organization; the first of them deletes it. Nothing may be half done."""
        auth, base = Bearer(token), "/orgs/" + home
        for number in range(30):
            if self.number == 0 and number == 5:
                seen = self.expect(self.ask("DELETE", base, auth), 204, 200)
                self.happened("ORG_DELETED")
                self.expect(self.ask("GET", base, auth), 401, 404)
                return
            method, target, body, event = self.random.choice([
                ("POST", "/serviceAccounts", {"name": "n", "description": "d", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8},
                 "SERVICE_ACCOUNT_CREATED"),
                ("PATCH", "/serviceAccounts/" + account, {"roles": self.random.sample(ORG_ROLES, 2)}, "SERVICE_ACCOUNT_UPDATED"),
                ("POST", "/serviceAccounts/%s/accessList" % account, [{"cidrBlock": self.new_entry()}], "ACCESS_LIST_ENTRY_ADDED"),
                ("PATCH", "/apiKeys/" + key, {"desc": self.unique("k")}, "API_KEY_UPDATED"),
                ("POST", "/teams", {"name": self.unique("t"), "usernames": []}, "TEAM_CREATED"),
                ("POST", "/invites", {"username": self.username(), "roles": ["ORG_MEMBER"]}, "INVITATION_CREATED"),
                ("PATCH", "", {"name": self.unique("n")}, "ORG_UPDATED")])
            seen = self.expect(self.ask(method, base + target, auth, body), 200, 201, 401, 404)
            if seen.status >= 400:
                self.count("refused because the organization was gone")
                return
            self.happened(event)

    # ---- Rounds ----
    def refresh(self):
        """New tokens: a round is shorter than their hour, a run may not be."""
        for org in self.orgs:
            org.fetch(self.connections[0])
        for model in self.made_orgs.values():
            model["token"] = self.connections[0].fetch_token(*model["client"])

    def report(self):
        """What the judge needs; the records of the round are forgotten here."""
        taken = {"steps": self.steps, "adds": self.adds, "removes": self.removes, "set_reads": self.set_reads, "names": self.names,
                 "failures": self.failures,
                 "projects": [(model["org"], identifier, model["name"]) for identifier, model in self.projects.items()],
                 "accounts": [(model["org"], identifier, model["name"]) for identifier, model in self.accounts.items()],
                 "keys": [(model["org"], identifier, model["desc"]) for identifier, model in self.keys.items()],
                 **self.people_report()}
        self.steps, self.adds, self.removes, self.set_reads, self.names, self.failures = [], [], [], [], [], []
        self.known = {}  # a conflict must be explained by the steps of its own round
        return taken

    def totals(self):
        return {"counts": self.counts, "events": self.events, "shapes": list(self.contract.shapes), "checked": self.contract.checked,
                "seen": self.contract.seen}
