# SPDX-License-Identifier: Apache-2.0
"""What exchanges about billing need: usage of months that are over, on invoices that the service's own functions made. And the lock of
an organization, which an operator sets between two requests."""
import collections
import csv
import io
import json
import time

from client import PATIENCE, wait_until
from world import PREFIX, new_id, no_limits, sql


def seed_usage(org):
    """Two projects with a cluster each, from the end of January 2026 on; January is closed, February is open up to the 2nd, 12:00."""
    made = {name: new_id() for name in ("project", "projectB", "cluster", "clusterB")}
    quoted = {name: "decode('%s', 'hex')" % value for name, value in made.items()}
    span = ("INSERT INTO usage_span (org_id, project_id, project_name, cluster_id, cluster_name, member_id, unit, sku, amount, began_at, ended_at, "
            "billed_until) VALUES (decode('%s', 'hex'), %s, '%s', %s, '%s', decode('%s', 'hex'), '%s', '%s', %d, '%s', '%s', '%s');")
    text = ("INSERT INTO sku VALUES ('MEMBER_M10', 'One member of size M10', true), ('DISK_GB', 'One GB of disk', true), "
            "('MEMBER_OLD', 'One member of a size of old', false), ('MEMBER_NEW', 'One member of a size to come', false) ON CONFLICT DO NOTHING;"
            "INSERT INTO price VALUES ('MEMBER_M10', '2026-01-01 00:00+00', 8000000), ('DISK_GB', '2026-01-01 00:00+00', 13700), "
            "('MEMBER_OLD', '2026-01-01 00:00+00', 0), ('MEMBER_NEW', '2126-02-01 00:00+00', 9000000), ('MEMBER_NEW', '2126-01-01 00:00+00', 7000000) ON CONFLICT DO NOTHING;")
    for project, name, cluster, cluster_name, unit, sku, amount, began, ended in (
            ("project", "shop, north", "cluster", "orders", "MEMBER", "MEMBER_M10", 1, "2026-01-31 22:00+00", "2026-02-02 06:00+00"),
            ("project", "shop, north", "cluster", "orders", "DISK", "DISK_GB", 10, "2026-01-31 22:00+00", "2026-02-02 06:00+00"),
            ("projectB", "lab", "clusterB", "trial", "MEMBER", "MEMBER_M10", 1, "2026-02-01 10:00+00", "2026-02-01 10:30+00")):
        text += span % (org, quoted[project], name, quoted[cluster], cluster_name, new_id(), unit, sku, amount, began, ended, began)
    step = "SELECT billing_step(decode('%s', 'hex'), decode('%s', 'hex'), '%%s', 100);" % (org, org)
    for moment in ("2026-02-01 01:00+00",) * 3 + ("2026-02-02 12:00+00",) * 3:
        text += step % moment
    sql("BEGIN; SET LOCAL reeve.organization = '%s'; %s COMMIT;" % (org, text))
    return made


def test_lock(suite, runner, world, node):
    """A locked organization is read, and things in it deleted; everything else is refused, wherever its id stands in the request."""
    owner, other = world.make_caller("does not pay"), world.make_caller("pays")
    no_limits([owner.home, other.home])
    org = PREFIX + "/orgs/" + owner.home
    project = world.must(201, "POST", "/groups", owner.bearer(), {"name": "lock", "orgId": owner.home}).json()["id"]
    doomed = world.must(201, "POST", "/groups", owner.bearer(), {"name": "doomed", "orgId": owner.home}).json()["id"]
    report = {"startDate": "2026-01-01", "endDate": "2026-02-01"}

    def ask(method, target, body=None, caller=owner):
        answer = runner.connection.ask(method, target, caller.bearer(), body)
        suite.check(not runner.contract.problems(answer), "%s %s is not as documented: %s", method, target, runner.contract.problems(answer))
        return answer.status, answer.code() if answer.status >= 400 else None

    suite.equal(node.run("billing", "lock", owner.home, check=False).returncode, 2, "a lock without a reason")
    suite.equal(node.run("billing", "lock", new_id(), "--reason", "x", check=False).returncode, 1, "a lock of nothing")
    node.run("billing", "lock", owner.home, "--reason", "No payment since May")
    suite.equal(node.run("billing", "lock", owner.home, "--reason", "No payment since May", check=False).returncode, 1, "a second lock")
    suite.check(owner.home in node.run("billing", "locked").stdout, "the list of locked organizations has it")
    wait_until(lambda: ask("PATCH", org, {"name": "x"})[0] == 403, 5)
    refused = (403, "ORGANIZATION_LOCKED")
    why = runner.connection.ask("PATCH", org, owner.bearer(), {"name": "x"}).json()
    suite.equal(why["parameters"], [owner.home, "No payment since May"], "who is refused is told why")
    for method, target, body, expected in (
            ("PATCH", org, {"name": "x"}, refused),
            ("PATCH", org + "?dryRun=true", {"name": "x"}, refused),
            ("PATCH", org + "/settings", {"securityContact": "s@example.org"}, refused),
            ("POST", org + "/teams", {"name": "t", "usernames": []}, refused),
            ("PATCH", PREFIX + "/groups/" + project, {"name": "x"}, refused),
            ("POST", PREFIX + "/groups", {"name": "x", "orgId": owner.home}, refused),
            ("GET", org, None, (200, None)),
            ("GET", org + "/invoices", None, (200, None)),
            ("GET", PREFIX + "/groups/" + project, None, (200, None)),
            ("POST", org + "/billing/costExplorer/usage", report, (202, None)),
            ("DELETE", PREFIX + "/groups/" + doomed, None, (204, None))):
        suite.equal(ask(method, target, body), expected, "%s %s while it is locked" % (method, target))
    suite.equal(ask("PATCH", PREFIX + "/orgs/" + other.home, {"name": "y"}, other), (200, None), "another organization")
    node.run("billing", "unlock", owner.home)
    # A refusal is confirmed, so it ends at once.
    suite.equal(ask("PATCH", org, {"name": "x"}), (200, None), "after it was unlocked")
    suite.equal(ask("POST", PREFIX + "/groups", {"name": "x", "orgId": owner.home}), (201, None), "a project after it was unlocked")
    suite.equal(sql("SELECT string_agg(type, ',' ORDER BY seq) FROM event WHERE org_id = decode('%s', 'hex') AND type LIKE '%%LOCKED'" % owner.home),
                "ORG_LOCKED,ORG_UNLOCKED", "events of the lock")


def test_files(suite, runner, world, node):
    """The bytes of invoices and reports: lines end as RFC 4180 says, and a name with a comma is quoted."""
    owner = world.make_caller("files")
    no_limits([owner.home])
    made, org = seed_usage(owner.home), PREFIX + "/orgs/" + owner.home
    january = runner.connection.ask("GET", org + "/invoices?statusNames=CLOSED", owner.bearer()).json()["results"][0]["id"]
    answer = runner.connection.ask("GET", org + "/invoices/%s/csv" % january, owner.bearer(), headers={"Accept": "text/csv"}, accept=None)
    part = '2026-01-31,%s,"shop, north",%s,orders,' % (made["project"], made["cluster"])
    suite.equal(answer.body.decode(), "\r\n".join((
        "usageDate,projectId,projectName,clusterId,clusterName,sku,unit,quantity,unitPrice,totalPriceCents,tags",
        part + "DISK_GB,GB hours,20,0.000137,0,", part + "MEMBER_M10,member hours,2,0.08,16,", "")), "an invoice as CSV")
    for body, lines in (
            ({}, ("2026-01-01,{org},,,,,,0.16", "2026-02-01,{org},,,,,,2.48")),
            ({"groupBy": "services"}, ("2026-01-01,{org},,,,,Compute,0.16", "2026-01-01,{org},,,,,Storage,0.00",
                                       "2026-02-01,{org},,,,,Compute,2.44", "2026-02-01,{org},,,,,Storage,0.04")),
            ({"groupBy": "clusters", "projects": [made["projectB"]]}, ("2026-02-01,{org},{projectB},lab,{clusterB},trial,,0.04",)),
            ({"projects": [made["projectB"]], "services": ["Storage"]}, ()),
            ({"projects": [made["projectB"]], "services": ["Storage"], "includePartialMatches": True},
             ("2026-01-01,{org},,,,,,0.00", "2026-02-01,{org},,,,,,0.08")),
            ({"organizations": [new_id()]}, ()),
            ({"groupBy": "projects", "endDate": "2026-02-01"}, ('2026-01-01,{org},{project},"shop, north",,,,0.16',))):
        body = {"startDate": "2026-01-01", "endDate": "2026-03-01", **body}
        answer = runner.connection.ask("POST", org + "/billing/costExplorer/usage", owner.bearer(), body)
        suite.equal(answer.status, 202, "a report: %r" % answer)
        token = answer.json()["token"]
        got = runner.connection.ask("GET", org + "/billing/costExplorer/usage/" + token, owner.bearer()).body.decode()
        header = "usageDate,organizationId,projectId,projectName,clusterId,clusterName,service,usageAmount"
        suite.equal(got, "\r\n".join((header,) + tuple(line.format(org=owner.home, **made) for line in lines) + ("",)), "a report of %s" % body)
    sql("UPDATE cost_report SET expires_at = now() - interval '1s' WHERE token = '%s'" % token)
    suite.equal(runner.connection.ask("GET", org + "/billing/costExplorer/usage/" + token, owner.bearer()).status, 404, "a report after its time")


HOSTILE = {"=cmd|' /C calc'!A0": "@SUM(A1:A9)", "plus": "x;=1+1;y\t=2", "lines": 'one",\r\n=HYPERLINK("http://x")\n"two', "-minus": "+1", "long": "v" * 255}


def cells_of(text, separator):
    """As a spreadsheet reads them that was told this separator: a quote counts only at the beginning of a cell."""
    return [cell for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in line]


def test_tags(suite, runner, world, node):
    """Tags stand on lines from the next full hour on, and never change there; whatever is in them, a file of them has no formula."""
    owner, other = world.make_caller("tags"), world.make_caller("tags of others")
    no_limits([owner.home, other.home])
    org = PREFIX + "/orgs/" + owner.home
    first = [{"key": key, "value": value} for key, value in HOSTILE.items()]
    left_s = 3600 - time.time() % 3600
    if left_s < 5 * PATIENCE:  # the project is made and changed in one hour
        time.sleep(left_s + 0.1)
    project = world.must(201, "POST", "/groups", owner.bearer(), {"name": "@SUM(A1)", "orgId": owner.home, "tags": first}).json()["id"]
    world.must(201, "POST", "/groups", other.bearer(), {"name": "x", "orgId": other.home, "tags": [{"key": "of", "value": "others"}]})
    change = lambda tags: world.must(200, "PATCH", "/groups/" + project, owner.bearer(), {"tags": tags})
    change([{"key": "stage", "value": "live"}, {"key": "stage", "value": "shown"}])
    sql("INSERT INTO usage_span (org_id, project_id, project_name, cluster_id, cluster_name, member_id, unit, sku, amount, began_at, ended_at, billed_until) "
        "SELECT decode('%s', 'hex'), decode('%s', 'hex'), '@SUM(A1)', decode('%s', 'hex'), 'orders', decode('%s', 'hex'), 'MEMBER', 'MEMBER_M10', 1, "
        "t.valid_from, t.valid_from + interval '3 hours', t.valid_from FROM usage_tags t WHERE t.owner_id = decode('%s', 'hex') ORDER BY t.valid_from LIMIT 1"
        % (owner.home, project, new_id(), new_id(), project))

    def bill(later):
        sql("BEGIN; SET LOCAL reeve.organization = '%s'; %s COMMIT;" % (owner.home, "SELECT billing_step(decode('%s', 'hex'), decode('%s', 'hex'), "
            "date_trunc('second', now()) + interval '%s', 100);" % (owner.home, owner.home, later) * 6))

    def lines():
        invoices = runner.connection.ask("GET", org + "/invoices", owner.bearer()).json()["results"]
        answers = [runner.connection.ask("GET", org + "/invoices/" + invoice["id"], owner.bearer()) for invoice in invoices]
        for answer in answers:
            suite.check(not runner.contract.problems(answer), "an invoice is not as documented: %s", runner.contract.problems(answer))
        # A line is of one day: three hours that go past midnight are two lines with the same tags.
        hours = collections.Counter()
        for line in (line for answer in answers for line in answer.json()["lineItems"]):
            hours[json.dumps(line["tags"], sort_keys=True)] += line["quantity"]
        return dict(hours)

    bill("4 hours")
    expected = {json.dumps({key: [value] for key, value in HOSTILE.items()}, sort_keys=True): 1, json.dumps({"stage": ["live", "shown"]}): 2}
    suite.equal(lines(), expected, "lines by their tags")
    suite.check("others" not in str(lines()), "a line with tags of others")
    bill("63 days")
    change([{"key": "stage", "value": "over"}])
    bill("64 days")
    suite.equal(lines(), expected, "lines of closed invoices after the tags were changed")

    files = ""
    for invoice in runner.connection.ask("GET", org + "/invoices?statusNames=CLOSED", owner.bearer()).json()["results"]:
        files += runner.connection.ask("GET", org + "/invoices/%s/csv" % invoice["id"], owner.bearer(), headers={"Accept": "text/csv"}, accept=None).body.decode()
    rows = list(csv.DictReader(io.StringIO(files, newline="")))
    suite.equal({json.dumps(json.loads(row["tags"]), sort_keys=True) for row in rows if row["tags"][:1] == "{"}, set(expected), "tags as a program reads them")
    for separator in ",;\t|":
        formulas = [cell for cell in cells_of(files, separator) if cell[:1] in ("=", "+", "-", "@")]
        suite.equal(formulas, [], "cells that a spreadsheet would run, with the separator %r" % separator)


BILLING = (test_lock, test_files, test_tags)
