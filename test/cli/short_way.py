# SPDX-License-Identifier: Apache-2.0
"""The short way: names where the API has ids, flags where it has JSON, other words for commands, and a question before what cannot be undone."""
import json
import shlex

from terminal import Terminal, plain


def body_of(ended):
    """What `--curl` shows as the body."""
    words = shlex.split(ended.out.decode().replace("\\\n", " "))
    return json.loads(words[words.index("--data") + 1]) if "--data" in words else None


def target_of(ended):
    return shlex.split(ended.out.decode().replace("\\\n", " "))[-1].split("://", 1)[-1]


def named(world, kind, identifier):
    return world.must(200, "GET", "/%s/%s" % (kind, identifier), world.a.bearer()).json()["name"]


def test_names_for_ids(suite, world, reeve):
    """U1: `--project web`, wherever an id goes; nearest names when wrong, and several of one name."""
    project, org = named(world, "groups", world.p), named(world, "orgs", world.a.home)
    suite.equal(json.loads(reeve.pipe("projects", "get", project).out)["id"], world.p, "a project by its name")
    suite.equal(json.loads(reeve.pipe("organizations", "get", org).out)["id"], world.a.home, "an organization by its name")
    listed = reeve.pipe("clusters", "list", "--project", project)
    suite.check(listed.status == 0 and json.loads(listed.out)["results"], "--project with a name: %r", listed)
    suite.check(reeve.pipe("clusters", "list", REEVE_PROJECT_ID=project).status == 0, "REEVE_PROJECT_ID with a name")
    team = reeve.pipe("teams", "org", "create", "night watch", "--usernames", "ada@example.org", "--org", org)
    team = json.loads(reeve.pipe("teams", "org", "list", "--org", org).out)["results"][0] if team.status else json.loads(team.out)
    shown = reeve.pipe("teams", "org", "get", team["name"], "--org", org)
    suite.check(shown.status == 0 and json.loads(shown.out)["id"] == team["id"], "a team of an organization, both by name: %r", shown)
    wrong = reeve.pipe("projects", "get", project[:-1] + "x")
    suite.check(wrong.status == 2 and "did you mean" in wrong.err and project in wrong.err and "reeve projects list" in wrong.err, "a name with a slip: %r", wrong)
    far = reeve.pipe("clusters", "list", "--project", "nothing-like-it-at-all")
    suite.check(far.status == 2 and "there is no project `nothing-like-it-at-all`" in far.err and "did you mean" not in far.err, "a name of nothing: %r", far)
    bell = reeve.pipe("projects", "get", "a\x1b[31mb\x07")
    suite.check(bell.status == 2 and "\x1b[31mb" not in bell.err and "\x07" not in bell.err, "a name that would colour the terminal: %r", bell)
    kept = reeve.pipe("profiles", "set", "project", project)
    suite.check(kept.status == 0 and json.loads(reeve.pipe("profiles", "list").out)[0]["project"] == world.p, "profiles set keeps the id: %r", kept)
    for value in ("no-such-project", "650000000000000000009999"):
        refused = reeve.pipe("profiles", "set", "project", value)
        suite.check(refused.status in (1, 2) and json.loads(reeve.pipe("profiles", "list").out)[0]["project"] == world.p,
                    "profiles set looks whether there is one: %r", refused)
    copy = json.loads(reeve.pipe("projects", "create", "twice", "--org", org).out)
    world.must(201, "POST", "/groups", world.b.bearer(), {"name": "twice", "orgId": world.b.home})
    suite.equal(json.loads(reeve.pipe("projects", "get", "twice").out)["id"], copy["id"], "a name that another organization has, too, is not ambiguous to who does not see it")
    reeve.pipe("projects", "delete", "twice")
    suite.equal(reeve.pipe("projects", "get", copy["id"]).status, 1, "deleted by its name")


def test_restore_table(suite, world, reeve, values):
    """What `restore table` refuses before anything is made; that it restores is seen on a fleet."""
    for what, words, said in (
            ("no database", ("orders", "notes", "--at", "10m"), "which table? Write DATABASE.SCHEMA.TABLE"),
            ("a quote that is open", ("orders", 'shop."notes', "--at", "10m"), "which table?"),
            ("too many names", ("orders", "a.b.c.d", "--at", "10m"), "which table?"),
            ("no moment", ("orders", "shop.notes"), "to which moment? Give --at"),
            ("a moment that is none", ("orders", "shop.notes", "--at", "yesterday"), "not `yesterday`"),
            ("a moment to come", ("orders", "shop.notes", "--at", "9999-01-01"), "has not come yet"),
            ("no user", ("orders", "shop.notes", "--at", "2026-01-02 03:04:05"), "which database user?"),
            ("no such cluster", ("no-such-cluster", "shop.notes", "--at", "10m", "--user", "app"), "no-such-cluster")):
        refused = reeve.pipe("restore", "table", *words)
        suite.check(refused.status in (1, 2) and said in refused.err, "restore table, %s: %r", what, refused)
    suite.equal(reeve.pipe("tables", "restore", "orders", "notes").err, reeve.pipe("restore", "table", "orders", "notes").err, "the other words for it")


def test_without_json(suite, world, reeve, values):
    """U2: the bodies that people write often, without JSON; they come to the very body that the API documents."""
    made = reeve.pipe("clusters", "create", "short", "--region", "EU_NORTH", "--size", "M10", "--nodes", "1", "--tags", "env=prod", "--tags", "a=b=c", "--curl")
    suite.equal(body_of(made), {"name": "short", "tags": [{"key": "env", "value": "prod"}, {"key": "a", "value": "b=c"}], "replicationSpecs": [{"regionConfigs": [
        {"regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}, "providerName": "ONPREM"}]}]}, "a cluster: the provider is found by the region")
    nowhere = reeve.pipe("clusters", "create", "short", "--region", "NOWHERE", "--size", "M10", "--dry-run")
    suite.check(nowhere.status == 2 and "--region: there is no region `NOWHERE`; there are " in nowhere.err and "EU_NORTH" in nowhere.err and "--provider" not in nowhere.err,
                "a region that nobody has: %r", nowhere)
    misspelt = reeve.pipe("clusters", "create", "short", "--region", "EU_NROTH", "--size", "M10", "--dry-run")
    suite.check(misspelt.status == 2 and "did you mean EU_NORTH?" in misspelt.err, "a region that is misspelt: %r", misspelt)
    user = reeve.pipe("database-users", "create", "ada", "--password", "correct horse battery", "--roles", "readWrite@shop", "--roles", "read@shop.items",
                      "--labels", "team=night", "--curl")
    suite.equal(body_of(user)["roles"], [{"roleName": "readWrite", "databaseName": "shop"}, {"roleName": "read", "databaseName": "shop", "collectionName": "items"}], "roles of a user")
    suite.equal(body_of(user)["labels"], [{"key": "team", "value": "night"}], "labels of a user")
    suite.equal(body_of(reeve.pipe("access-list", "create", "203.0.113.0/24", "--comment", "office", "--curl")), [{"cidrBlock": "203.0.113.0/24", "comment": "office"}], "the access list")
    alert = reeve.pipe("alerts", "configs", "create", "--event-type-name", "CLUSTER_PAUSED", "--enabled", "--notifications", "EMAIL:oncall@example.org", "--notifications", "GROUP", "--curl")
    suite.equal(body_of(alert)["notifications"], [{"typeName": "EMAIL", "emailAddress": "oncall@example.org"}, {"typeName": "GROUP"}], "who is told of an alert")
    as_json = reeve.pipe("database-users", "create", "ada", "--roles", '[{"roleName": "read", "databaseName": "shop"}]', "--roles", '{"roleName": "x", "databaseName": "y"}', "--curl")
    suite.equal(body_of(as_json)["roles"], [{"roleName": "read", "databaseName": "shop"}, {"roleName": "x", "databaseName": "y"}], "JSON is taken as before")
    twice = reeve.pipe("clusters", "create", "short", "--name", "other", "--region", "EU_NORTH", "--size", "M10", "--curl")
    suite.check(twice.status == 2 and "what is `short`" in twice.err, "a name that is given twice: %r", twice)
    # What there is in the list stays as it is.
    cluster = values["clusterName"]
    now = json.loads(reeve.pipe("clusters", "get", cluster).out)["replicationSpecs"]
    wanted = json.loads(json.dumps(now))
    for spec in wanted:
        for region in spec["regionConfigs"]:
            for specs in (region.get("electableSpecs"), region.get("readOnlySpecs")):
                if specs:
                    specs["instanceSize"] = "M20"
    suite.equal(body_of(reeve.pipe("clusters", "scale", cluster, "--size", "M20", "--curl")), {"replicationSpecs": wanted}, "another size, and nothing else")
    for flags in (("--size", "M20", "--analytics-size", "M30"), ("--analytics-size", "M30", "--size", "M20")):
        sizes = [region.get("analyticsSpecs", {}).get("instanceSize") for spec in body_of(reeve.pipe("clusters", "scale", cluster, *flags, "--curl"))["replicationSpecs"] for region in spec["regionConfigs"]]
        suite.equal(set(sizes), {"M30"}, "a size of their own for members for analytics, in any order of the flags")


def test_other_words(suite, world, reeve, values):
    """U6: what people type for a command."""
    cluster = values["clusterName"]
    for typed, method, path in (
            (("clusters", "show", cluster), "GET", "/clusters/" + cluster), (("clusters", "describe", cluster), "GET", "/clusters/" + cluster),
            (("clusters", "rm", cluster), "DELETE", "/clusters/" + cluster), (("clusters", "ls"), "GET", "/clusters"),
            (("events", "list"), "GET", "/events"), (("users", "list"), "GET", "/users"), (("teams", "ls"), "GET", "/teams"),
            (("access-list", "add", "203.0.113.9/32"), "POST", "/accessList")):
        shown = reeve.pipe(*typed, "--curl")
        text = shown.out.decode()
        suite.check(shown.status == 0 and "--request " + method in text and target_of(shown).endswith("/groups/" + world.p + path), "reeve %s: %r", " ".join(typed), shown)
    suite.equal(body_of(reeve.pipe("clusters", "pause", cluster, "--curl")), {"paused": True}, "clusters pause")
    suite.equal(body_of(reeve.pipe("clusters", "resume", cluster, "--curl")), {"paused": False}, "clusters resume")
    suite.equal(reeve.pipe("psql", cluster).err, reeve.pipe("connect", cluster).err, "psql is connect")
    unknown = reeve.pipe("clusters", "frobnicate", cluster)
    suite.check(unknown.status == 2, "a word that nobody knows: %r", unknown)


def test_question(suite, world, reeve):
    """U4: before what cannot be undone a person types the name; a script is not asked."""
    def make():
        return json.loads(reeve.pipe("projects", "create", "gone soon").out)["id"]
    project = make()
    for keys, status in (("gone\n", 2), ("\n", 2), ("\x04", 2), ("gone soon\n", 0)):
        with Terminal(reeve, "projects", "delete", "gone soon") as terminal:
            suite.check(terminal.until("Type gone soon to go on:"), "the question: %s", terminal.raw)
            terminal.press(keys)
            ended = terminal.wait()
        suite.check(ended.status == status and ("nothing was done" in plain(ended.out)) == (status == 2), "%r was typed: %r", keys, ended)
        suite.equal(reeve.pipe("projects", "get", project).status, 1 if status == 0 else 0, "whether it is there after %r" % keys)
    project = make()
    suite.equal(reeve.terminal("projects", "delete", "gone soon", "--yes").status, 0, "--yes")
    project = make()
    suite.equal(reeve.pipe("projects", "delete", "gone soon").status, 0, "a script is not asked")
    suite.equal(reeve.pipe("projects", "get", project).status, 1, "it is gone")
    refused = reeve.pipe("access-list", "list", "--yes")
    suite.check(refused.status == 2 and "takes no --yes" in refused.err, "--yes where nothing is asked: %r", refused)


def test_status(suite, world, reeve, values):
    shown = plain(reeve.terminal("status").out)
    for text in ("profile       default", world.a.client_id, named(world, "groups", world.p), named(world, "orgs", world.a.home), values["clusterName"], "\nNow\n"):
        suite.check(text in shown, "status says %s: %s", text, shown)
    suite.equal(plain(reeve.terminal("whoami").out).splitlines()[:3], shown.splitlines()[:3], "whoami")
    document = json.loads(reeve.pipe("status").out)
    suite.check(document["project"]["id"] == world.p and document["clusters"] and "alerts" in document, "status in a pipe: %s", document)
    nobody = reeve.pipe("status", HOME=reeve.home + "/nobody")
    suite.check(nobody.status == 2 and "reeve login" in nobody.err, "status of nobody: %r", nobody)


def test_next_step(suite, world, reeve, values):
    """U3, U5, U7, U8: what is not there yet looks so, Tab knows names, and refusals and empty lists say what to do next."""
    cluster = values["clusterName"]
    missing = plain(reeve.terminal("clusters", "get", cluster[:-1] + "x").out)
    suite.check("there is no cluster `%sx`; did you mean " % cluster[:-1] in missing and cluster in missing and "RESOURCE_NOT_FOUND (404)" in missing,
                "a cluster with a slip: %s", missing)
    wrong = plain(reeve.terminal("projects", "create", "--name", " x", "--set", "noSuch=1", "--set", 'tags=[{"key":"a"}]', columns=200).out)
    lines = [line.strip() for line in wrong.splitlines()]
    suite.check("reeve: 3 fields are wrong:" in lines and any(line.startswith("- --name: must be 1 to 64 characters long") for line in lines) and
                any(line.startswith("- --tags, at [0].value: is missing; add it") for line in lines) and
                "- noSuch: does not exist here; remove it or correct its spelling" in lines and "INVALID_ATTRIBUTE_VALUE (400)" in wrong,
                "all wrong fields, a line each, by their flags: %s", wrong)
    one = reeve.pipe("projects", "create", "--name", " x")
    suite.check(one.status == 1 and "reeve: --name: must be 1 to 64" in one.err and "[" not in one.err.split("what to do")[0], "one wrong field: %r", one)
    inside = plain(reeve.terminal("backups", "snapshots", "list", "nope").out)
    suite.check("RESOURCE_NOT_FOUND (404)" in inside, "something of a cluster that is not there: %s", inside)
    project = json.loads(reeve.pipe("projects", "create", "empty one").out)["id"]
    empty = plain(reeve.terminal("clusters", "list", "--project", "empty one", columns=200).out)
    suite.check("to make one: reeve clusters create orders --provider ONPREM --region EU_NORTH --size M10 --nodes 3" in empty, "an empty list: %s", empty)
    suite.equal(json.loads(reeve.pipe("clusters", "list", "--project", "empty one").out)["results"], [], "and in a pipe nothing but the answer")

    def tab(*words):
        return [line.split("\t")[0] for line in reeve.pipe("__complete", "--", *words).out.decode().splitlines()]
    suite.check(cluster in tab("clusters", "get", ""), "Tab behind `clusters get`: %s", tab("clusters", "get", ""))
    suite.equal(tab("clusters", "get", cluster[:2]), [cluster], "Tab behind its beginning")
    suite.check(cluster in tab("connect", "") and cluster in tab("logs", ""), "Tab behind `connect` and `logs`")
    suite.check("empty one" in tab("projects", "delete", "") and "empty one" in tab("clusters", "list", "--project", "emp"), "Tab for projects")
    suite.equal(reeve.pipe("__complete", "--", "clusters", "get", "", HOME=reeve.home + "/nobody").out, b"", "Tab of nobody is silent")
    suite.equal(reeve.pipe("__complete", "--", "clusters", "get", "", REEVE_SERVER="https://127.0.0.1:1").out, b"", "Tab without a server is silent")
    reeve.pipe("projects", "delete", project)
    whole = reeve.pipe("--help").out.decode()
    suite.check(whole.index("Every day") < whole.index("\nMore\n") < whole.index("Not there yet"), "three levels of help")
    waiting = reeve.pipe("streams").out.decode()
    suite.check("Not there yet" in waiting and "\nCommands\n" not in waiting, "what answers 501 does not look alive: %s", waiting[:300])
