# SPDX-License-Identifier: Apache-2.0
"""Random operations of eight clients against two nodes, held against a model.

    script/with-services python3 test/api/stateful_test.py [--operations N] [--seconds N] [--seed TEXT] [--report FILE]

What is held:
  - what a client owns is read back exactly as it was acknowledged, on both nodes, at once;
  - reads of what all clients change are linearizable per resource, and no addition is lost (history.py says how it is judged);
  - a POST that is repeated with its Idempotency-Key, also on both nodes at once, has one effect and one answer;
  - an organization that is deleted while all clients change what is in it leaves nothing behind;
  - dryRun changes nothing, If-Match refuses exactly what it must;
  - at every quiet point lists, their pages and totalCount agree with the model on both nodes;
  - every answer has a shape that was held against the OpenAPI document, and no answer is a 5xx;
  - the chains of events are whole, and there are as many events as acknowledged changes.

An operation here is an answer. The same seed draws the same operations as long as the answers are the same; what the clients
do at the same moment the machine decides, so a seed makes a failure likely again, not certain.
"""
import argparse
import multiprocessing
import os
import sys
import time
import traceback

from client import Bearer, trust
from history import Element, Floor, judge_name, judge_register, judge_set_read, self_test, settle
from stateful_base import PROJECT_ROLES, Wrong
from stateful_client import Client
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, catalog, connect, make_validator, no_limits, reeved, sql, start_node

CLIENTS, ORGANIZATIONS, NODES = 8, 4, 2
# Lists that are compared whole at quiet points: where they are, what names an item, how it is labelled.
LISTS = {"projects": ("/groups", "id", "name"), "accounts": ("/orgs/%s/serviceAccounts", "clientId", "name"),
         "keys": ("/orgs/%s/apiKeys", "id", "desc"), "members": ("/orgs/%s/users", "id", "username"),
         "invitations": ("/orgs/%s/invites", "id", "username"), "teams": ("/orgs/%s/teams", "id", "name")}
ACCEPT = "application/vnd.svc.2025-03-12+json"
LONG_RUN = 500000  # answers, from which on everything must have been met


# ---- A client in a process of its own ----
def serve(pipe, barrier, make):
    client = make()
    try:
        while True:
            word, *rest = pipe.recv()
            if word == "run":
                client.refresh()
                done, until = 0, rest[0]
                while done < until:
                    done += client.step()
                pipe.send(client.report())
            elif word == "burst":
                barrier.wait()
                try:
                    pipe.send((client.burst(*rest), []))
                except Wrong as why:
                    pipe.send((([], [], []), ["client %d, burst: %s" % (client.number, why)]))
            elif word == "collapse":
                barrier.wait()
                try:
                    pipe.send(client.collapse(*rest))
                except Wrong as why:
                    pipe.send("client %d, collapse: %s" % (client.number, why))
            elif word == "end":
                pipe.send(client.totals())
                return
    except Exception:  # the judge must not wait for ever
        pipe.send({"crash": traceback.format_exc()})


class Crew:
    def __init__(self, make):
        context = multiprocessing.get_context("fork")
        barrier = context.Barrier(CLIENTS)
        self.pipes, self.processes = [], []
        for number in range(CLIENTS):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs, barrier, lambda number=number: make(number)), daemon=True)
            process.start()
            theirs.close()
            self.pipes.append(ours)
            self.processes.append(process)

    def all(self, *words):
        for pipe in self.pipes:
            pipe.send(words)
        answers = []
        for pipe in self.pipes:
            answer = pipe.recv()
            if isinstance(answer, dict) and "crash" in answer:
                raise AssertionError("a client broke:\n" + answer["crash"])
            answers.append(answer)
        return answers

    def close(self):
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join(10)


# ---- The judge ----
class Judge:
    def __init__(self, suite, nodes, orgs, shared):
        self.suite, self.nodes, self.orgs, self.shared = suite, nodes, orgs, shared
        self.floors, self.sets, self.names = {}, {}, {}
        self.extra = {kind: [[] for _ in orgs] for kind in LISTS}
        self.events = 0
        self.judged = {"register steps": 0, "set reads": 0, "list pages": 0}

    def ask(self, method, target, org, body=None, node=0, status=None):
        with connect(self.nodes[node]) as connection:
            answer = connection.ask(method, PREFIX + target, Bearer(self.orgs[org].token), body)
        if status is not None and answer.status != status:
            raise AssertionError("%d expected: %r" % (status, answer))
        return answer

    # ---- Before the first round ----
    def prepare(self):
        for org, one in enumerate(self.shared):
            home = self.orgs[org].home
            for name in ("project", "named", "steady"):
                one[name] = self.ask("POST", "/groups", org, {"name": name, "orgId": home}, status=201).json()["id"]
                self.extra["projects"][org].append(one[name])
            account = self.ask("POST", "/orgs/%s/serviceAccounts" % home, org, {
                "name": "shared", "description": "start", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8}, status=201).json()
            key = self.ask("POST", "/orgs/%s/apiKeys" % home, org, {"desc": "start", "roles": ["ORG_MEMBER"]}, status=200).json()
            person = self.ask("POST", "/users", org, {
                "username": "shared-%d@example.org" % org, "firstName": "S", "lastName": "S", "roles": [
                    {"orgId": home, "roleName": "ORG_MEMBER"}, {"groupId": one["project"], "roleName": "GROUP_READ_ONLY"}]}, status=200).json()
            team = self.ask("POST", "/orgs/%s/teams" % home, org, {"name": "shared", "usernames": []}, status=200).json()
            one["account"], one["key"], one["person"], one["team"] = account["clientId"], key["id"], person["id"], team["id"]
            owners = sql("SELECT encode(principal_id, 'hex') FROM role_grant g JOIN person n ON n.id = g.principal_id "
                         "WHERE g.org_id = decode('%s', 'hex') AND g.role = 'ORG_OWNER'" % home).split("\n")
            self.extra["members"][org] += [person["id"], *owners]
            self.extra["teams"][org].append(team["id"])
            # One of them belongs to the bootstrap in both lists.
            self.extra["accounts"][org] += [account["clientId"], self.orgs[org].client_id]
            self.extra["keys"][org] += [key["id"], self.orgs[org].key]
            self.sets[("secret", org)] = {account["secrets"][0]["id"]: [Element((0, 0))]}
            self.sets[("role", org)] = {"GROUP_READ_ONLY": [Element((0, 0))]}
            self.sets[("entry", org)], self.sets[("member", org)] = {}, {}
            for kind, target, value_of in (
                    ("project", "/groups/" + one["project"], lambda d: ""), ("name", "/groups/" + one["named"], lambda d: d["name"]),
                    ("mode", "/groups/%s/privateIpMode" % one["project"], lambda d: d["enabled"]),
                    ("account", "/orgs/%s/serviceAccounts/%s" % (home, one["account"]), lambda d: d["description"]),
                    ("key", "/orgs/%s/apiKeys/%s" % (home, one["key"]), lambda d: d["desc"]), ("org", "/orgs/" + home, lambda d: d["name"]),
                    ("team", "/orgs/%s/teams/%s" % (home, one["team"]), lambda d: d["name"])):
                answer = self.ask("GET", target, org, status=200)
                self.floors[(org, kind)] = Floor(int(answer.headers["etag"].strip('"')), value_of(answer.json()))

    # ---- After a round ----
    def judge(self, reports):
        with connect(self.nodes[0]) as connection:
            for org in self.orgs:
                org.fetch(connection)
        for report in reports:
            for failure in report["failures"]:
                self.suite.fail(failure)
        self.judge_registers([step for report in reports for step in report["steps"]])
        self.judge_sets(reports)
        self.judge_names(reports)
        sql("DELETE FROM invitation_count")  # a day has no end here
        for kind in LISTS:
            self.judge_lists(kind, [one for report in reports for one in report[kind]])

    def judge_registers(self, steps):
        self.judged["register steps"] += len(steps)
        for key, floor in self.floors.items():
            seen = [step for step in steps if step.key == key]
            settled = settle(seen, floor)
            self.events += sum(before.what == "set" and after.what == "write" for before, after in zip(seen, settled))
            problems, self.floors[key] = judge_register(key, settled, floor)
            self.suite.check(not problems, "not linearizable: %s (%d in all)", problems[:3], len(problems))

    def judge_sets(self, reports):
        for report in reports:
            for key, name, start, end in report["adds"]:
                self.sets[key].setdefault(name, []).append(Element((start, end)))
        for report in reports:
            for key, name, start, end in report["removes"]:
                lives = [one for one in self.sets[key].get(name, []) if one.removed is None and one.added[0] < start]
                if self.suite.check(lives, "%s was removed from %s twice", name, key):
                    lives[0].removed = (start, end)
        for key, elements in self.sets.items():
            for name, lives in elements.items():
                problems = judge_name((key, name), lives)
                self.suite.check(not problems, "%s was added twice to %s: %s", name, key, problems)
        for key, elements in self.sets.items():
            problems = []
            for report in reports:
                for read_key, start, end, seen in report["set_reads"]:
                    if read_key == key:
                        self.judged["set reads"] += 1
                        problems += judge_set_read(key, elements, start, end, set(seen))
            self.suite.check(not problems, "a set: %s (%d in all)", problems[:3], len(problems))
            # What is gone cannot come back unnoticed: it would be an element that nobody added.
            self.sets[key] = {name: lives for name, lives in (
                (name, [one for one in lives if one.removed is None]) for name, lives in elements.items()) if lives}
        for org in range(len(self.orgs)):
            path = "/orgs/%s/serviceAccounts/%s" % (self.orgs[org].home, self.shared[org]["account"])
            for node in range(NODES):
                listed = self.ask("GET", path + "/accessList?itemsPerPage=500", org, node=node, status=200).json()
                self.suite.equal({one["cidrBlock"] for one in listed["results"]}, set(self.sets[("entry", org)]), "entries at a quiet point")
                self.suite.equal(listed["totalCount"], len(self.sets[("entry", org)]), "totalCount of the entries")
                secrets = {one["id"] for one in self.ask("GET", path, org, node=node, status=200).json()["secrets"]}
                self.suite.equal(secrets, set(self.sets[("secret", org)]), "secrets at a quiet point")
                team = "/orgs/%s/teams/%s/users?itemsPerPage=500" % (self.orgs[org].home, self.shared[org]["team"])
                members = {one["id"] for one in self.ask("GET", team, org, node=node, status=200).json()["results"]}
                self.suite.equal(members, set(self.sets[("member", org)]), "members of a team at a quiet point")
                person = "/groups/%s/users/%s" % (self.shared[org]["project"], self.shared[org]["person"])
                roles = set(self.ask("GET", person, org, node=node, status=200).json()["roles"])
                self.suite.equal(roles, set(self.sets[("role", org)]), "roles of a person at a quiet point")

    def judge_names(self, reports):
        for report in reports:
            for what, org, name, identifier, start, end in report["names"]:
                holders = self.names.setdefault((org, name), {})
                if what == "held":
                    holders[identifier] = Element((start, end))
                else:
                    holders[identifier].removed = (start, end)
        for key, holders in self.names.items():
            problems = judge_name(key, holders.values())
            self.suite.check(not problems, "a unique name: %s", problems[:3])

    def judge_lists(self, kind, owned):
        """Whole lists, by pages of a size that differs by round, on both nodes."""
        path, field, label_field = LISTS[kind]
        for org, caller in enumerate(self.orgs):
            wanted = {identifier: label for at, identifier, label in owned if at == org}
            target = path % caller.home if "%" in path else path
            size = 3 + (self.judged["list pages"] * 7) % 90
            for node in range(NODES):
                found, order, page = {}, [], 1
                while True:
                    answer = self.ask("GET", "%s?itemsPerPage=%d&pageNum=%d" % (target, size, page), org, node=node, status=200).json()
                    self.judged["list pages"] += 1
                    for one in answer["results"]:
                        found[one[field]] = one[label_field]
                        order.append(one[field])
                    if not any(link["rel"] == "next" for link in answer["links"]):
                        break
                    page += 1
                self.suite.equal(answer["totalCount"], len(order), "totalCount of %s and their pages" % kind)
                self.suite.check(len(set(order)) == len(order), "%s are on two pages", kind)
                self.suite.equal(set(found), set(wanted) | set(self.extra[kind][org]), "%s at a quiet point" % kind)
                self.suite.check(all(found[one] == label for one, label in wanted.items() if one in found), "a name in the list of %s", kind)

    # ---- All add to the same ----
    def burst(self, crew, org):
        home = self.orgs[org].home
        project = self.ask("POST", "/groups", org, {"name": "burst-%d" % time.monotonic_ns(), "orgId": home}, status=201).json()["id"]
        account = self.ask("POST", "/orgs/%s/serviceAccounts" % home, org, {
            "name": "burst", "description": "burst", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8}, status=201).json()["clientId"]
        key = self.ask("POST", "/orgs/%s/apiKeys" % home, org, {"desc": "burst", "roles": ["ORG_MEMBER"]}, status=200).json()["id"]
        person = self.ask("POST", "/users", org, {"username": "burst-%d@example.org" % time.monotonic_ns(), "firstName": "B", "lastName": "B",
                                                  "roles": [{"orgId": home, "roleName": "ORG_MEMBER"},
                                                            {"groupId": project, "roleName": "GROUP_READ_ONLY"}]}, status=200).json()["id"]
        team = self.ask("POST", "/orgs/%s/teams" % home, org, {"name": "burst", "usernames": []}, status=200).json()["id"]
        entries, roles, common = set(), set(), set()
        for (added, granted, shared), failures in crew.all("burst", org, account, key, project, person, team):
            entries, roles, common = entries | set(added), roles | set(granted), common | set(shared)
            for failure in failures:
                self.suite.fail(failure)
        self.suite.equal(len(roles), len(PROJECT_ROLES), "roles that were granted at once")
        for node in range(NODES):
            for kind, identifier in (("serviceAccounts", account), ("apiKeys", key)):
                listed = self.ask("GET", "/orgs/%s/%s/%s/accessList?itemsPerPage=500" % (home, kind, identifier), org, node=node, status=200).json()
                self.suite.equal({one["cidrBlock"] for one in listed["results"]}, entries, "entries that were added at once (%s)" % kind)
            held = self.ask("GET", "/groups/%s/serviceAccounts/%s" % (project, account), org, node=node, status=200).json()["roles"]
            self.suite.equal(set(held), roles, "roles of an account that were granted at once")
            held = self.ask("GET", "/orgs/%s/apiKeys/%s" % (home, key), org, node=node, status=200).json()["roles"]
            self.suite.equal({one["roleName"] for one in held if one.get("groupId")}, roles, "roles of a key that were granted at once")
            held = self.ask("GET", "/groups/%s/users/%s" % (project, person), org, node=node, status=200).json()["roles"]
            self.suite.equal(set(held), common | {"GROUP_READ_ONLY"}, "roles of a person that were granted at once")
            held = self.ask("GET", "/groups/%s/teams/%s" % (project, team), org, node=node, status=200).json()["roleNames"]
            self.suite.equal(set(held), common, "roles of a team that were granted at once")
        for target in ("/orgs/%s/teams/%s" % (home, team), "/orgs/%s/users/%s" % (home, person), "/groups/" + project, "/orgs/%s/serviceAccounts/%s" % (home, account), "/orgs/%s/apiKeys/%s" % (home, key)):
            self.ask("DELETE", target, org, status=204)
        self.events += 10

    def collapse(self, crew, org):
        made = self.ask("POST", "/orgs", org, {"name": "collapse", "apiKey": {"desc": "k", "roles": ["ORG_MEMBER"]}, "serviceAccount": {
            "name": "owner", "description": "owner", "roles": ["ORG_OWNER"], "secretExpiresAfterHours": 8}}, status=201).json()
        home = made["organization"]["id"]
        no_limits([home])
        with connect(self.nodes[1]) as connection:
            token = connection.fetch_token(made["serviceAccount"]["clientId"], made["serviceAccount"]["clientSecret"])
            account = connection.ask("POST", PREFIX + "/orgs/%s/serviceAccounts" % home, Bearer(token), {
                "name": "a", "description": "a", "roles": ["ORG_MEMBER"], "secretExpiresAfterHours": 8}).json()["clientId"]
        self.events += 4
        for failure in crew.all("collapse", home, token, account, made["apiKey"]["id"]):
            if failure:
                self.suite.fail(failure)
        left = sql("SELECT (SELECT count(*) FROM organization WHERE id = o) + (SELECT count(*) FROM principal WHERE org_id = o) + "
                   "(SELECT count(*) FROM role_grant WHERE org_id = o) + (SELECT count(*) FROM access_list_entry WHERE org_id = o) + "
                   "(SELECT count(*) FROM service_account_secret WHERE org_id = o) + (SELECT count(*) FROM team WHERE org_id = o) + "
                   "(SELECT count(*) FROM invitation WHERE org_id = o) + (SELECT count(*) FROM list_counter WHERE scope = o) FROM decode('%s', 'hex') o" % home)
        self.suite.equal(left, "0", "rows that are left of a deleted organization")


def event_counts():
    rows = sql("SELECT type, count(*) FROM event GROUP BY type")
    return {line.split("|")[0]: int(line.split("|")[1]) for line in rows.split("\n") if line}


def check_end(suite, nodes, judge, totals, before):
    counts, events = {}, {}
    for total in totals:
        for what, amount in total["counts"].items():
            counts[what] = counts.get(what, 0) + amount
        for what, amount in total["events"].items():
            events[what] = events.get(what, 0) + amount
    after = event_counts()
    acknowledged, found = sum(events.values()) + judge.events, sum(after.values()) - sum(before.values())
    by_type = {kind: after.get(kind, 0) - before.get(kind, 0) for kind in set(after) | set(events)}
    suite.check(found == acknowledged, "%d events, and %d changes were acknowledged: events %s, changes %s", found, acknowledged,
                sorted(by_type.items()), sorted(events.items()))
    audit = reeved("audit", "verify", "--config", nodes[0].conf, ok=False)
    suite.check(audit.returncode == 0, "reeved audit verify: %s%s", audit.stdout, audit.stderr)
    shapes = len({repr(shape) for total in totals for shape in total["shapes"]})
    return counts, [
        "%d answers, %d of them changes with an event each; reeved audit verify: %s" % (counts["answers"], acknowledged, audit.stdout.strip()),
        "%d shapes of answers, %d answers held against the OpenAPI document" % (shapes, sum(total["checked"] for total in totals)),
        "judged: " + ", ".join("%d %s" % (amount, what) for what, amount in judge.judged.items()),
        ", ".join("%s: %d" % pair for pair in sorted(counts.items()) if not pair[0].startswith("read ")),
        "operations only read: " + ", ".join("%s %d" % (what[5:], amount) for what, amount in sorted(counts.items()) if what.startswith("read ")),
    ]


def run(suite, options, nodes):
    began = time.monotonic()
    # Nothing is crashed here (kill_test.py does that), so nothing has to wait for the disk.
    for setting in ("fsync", "full_page_writes"):
        sql("ALTER SYSTEM SET %s = off" % setting)
    sql("SELECT pg_reload_conf()")
    for node in nodes:
        node.start()
    orgs = [bootstrap(nodes[0].conf, "stateful %d" % number) for number in range(ORGANIZATIONS)]
    no_limits([org.home for org in orgs])
    rows = catalog()
    with connect(nodes[0]) as connection:
        for org in orgs:
            org.fetch(connection)
            org.catalog = rows
    shared = [{} for _ in orgs]
    judge = Judge(suite, nodes, orgs, shared)
    judge.prepare()
    complete = {row["operation"] for row in rows if row["status"] == "complete"}
    validator = make_validator()
    addresses = [(("127.0.0.1", node.port), trust(node.ca)) for node in nodes]
    before = event_counts()
    crew = Crew(lambda number: Client(number, options.seed, addresses, orgs, shared, complete, validator, options.every, ACCEPT))
    try:
        asked = time.monotonic()
        for number in range(options.rounds):
            judge.judge(crew.all("run", options.operations // CLIENTS // options.rounds))
            judge.burst(crew, number % ORGANIZATIONS)
            judge.collapse(crew, number % ORGANIZATIONS)
            used = time.monotonic() - asked
            if suite.failures and not options.go_on:
                break
            if used + used / (number + 1) > options.seconds:
                suite.say("stopped after %d of %d rounds: another one would take longer than %d s" % (number + 1, options.rounds, options.seconds))
                break
        took = time.monotonic() - asked
        totals = crew.all("end")
    finally:
        crew.close()
    counts, lines = check_end(suite, nodes, judge, totals, before)
    lines.insert(0, "seed %s: %d operations of %d clients on %d nodes in %.0f s (%.0f a second)" % (
        options.seed, counts["answers"], CLIENTS, NODES, took, counts["answers"] / took))
    for line in lines:
        suite.say(line)
    for what in ("posts repeated", "posts sent to both nodes at once", "conflicts found by If-Match", "stale If-Match refused",
                 "names that were in use", "keys refused for another request", "addresses that were invited",
                 "team names that were in use", "invitations accepted on both nodes at once"):
        # Some meet by chance only, so seldom that a short run may miss them.
        suite.check(counts.get(what, 0) > 0 or counts.get("answers", 0) < LONG_RUN, "nothing was tried of: %s", what)
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write("\n".join(["# Stateful test", ""] + ["- " + line for line in lines] +
                                 ["- %d checks passed, %d failed; %.0f s in all" % (suite.passed, len(suite.failures), time.monotonic() - began), ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=100000)
    parser.add_argument("--seconds", type=int, default=50, help="no round is begun that would end later")
    parser.add_argument("--seed", default=os.environ.get("REEVE_SEED") or "%d" % (time.time() * 1000))
    parser.add_argument("--rounds", type=int, default=20, help="quiet points at which lists are compared")
    parser.add_argument("--every", type=int, default=50, help="of equal shapes, one in so many is held against the OpenAPI document")
    parser.add_argument("--report", help="write the figures into this file")
    parser.add_argument("--go-on", action="store_true", help="do not stop after the first round with a failure")
    options = parser.parse_args()
    ends_on_signal()
    self_test()
    suite = Suite("stateful")
    suite.say("seed %s (--seed draws the same operations again)" % options.seed)
    nodes = [start_node()]
    nodes.append(start_node(migrate=False))
    Client.config = nodes[0].conf
    try:
        run(suite, options, nodes)
    finally:
        for node in nodes:
            node.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
