# SPDX-License-Identifier: Apache-2.0
"""Programs that a person lets in with a browser (RFC 8628): what a device sees, what the person sees and decides, and the session that comes of it. With everything
that others could try. Devices wait four seconds between two questions, so many of them go the same way together."""
import json
import os
import re
import stat
import sys
import tempfile
import time
import urllib.parse

from client import PATIENCE, Bearer, wait_until
from session_test import COOKIE, Browser, Place, refused
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, changed_tables, connect, no_limits, row_hashes, sql, start_node, tell_nodes

sys.path.insert(0, os.path.join(ROOT, "test", "cli"))
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
PAUSE_S = 4.1
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


class Device:
    """A program on some host."""

    def __init__(self, node, host="laptop.example.org", source=None):
        self.connection, self.host = connect(node, source=source), host
        self.asked = self.form("/api/sign-in/device", client_id="reeve", host=host).json()

    def form(self, path, **fields):
        return self.connection.ask("POST", path, None, urllib.parse.urlencode(fields).encode(), [("Content-Type", "application/x-www-form-urlencoded"), ("User-Agent", "reeve/1")],
                                   accept="application/json")

    def poll(self, code=None, grant=GRANT):
        return self.form("/api/sign-in/device/token", grant_type=grant, client_id="reeve", device_code=code or self.asked["device_code"])

    def error(self, **wrong):
        answer = self.poll(**wrong)
        return answer.json().get("error", "%d" % answer.status)


def look(browser, device, **more):
    return browser.ask("POST", "/api/sign-in/device/look", {"userCode": device if isinstance(device, str) else device.asked["user_code"]}, **more)


def decide(browser, device_id, approved=True, **more):
    return browser.ask("POST", "/api/sign-in/device/decide", {"deviceId": device_id, "approved": approved}, **more)


def met(pairs):
    """People type the codes of devices, and the devices ask: the ids of the devices, as the people see them."""
    for browser, device in pairs:
        look(browser, device)
        device.poll()
    return [look(browser, device).json().get("deviceId") for browser, device in pairs]


def bearer(node, token, method="GET", path="/", **more):
    return connect(node).ask(method, PREFIX + path, Bearer(token), **more)


def grown_old(person):
    tell_nodes("UPDATE console_session SET verified_at = now() - interval '6 minutes' WHERE person_id = decode('%s', 'hex')" % person)


def test_asking_leaves_nothing(suite, place):
    before = row_hashes()
    devices = [Device(place.node) for _ in range(20)]
    asked = devices[0].asked
    suite.equal((sorted(asked), asked["expires_in"], asked["interval"]),
                (["device_code", "expires_in", "interval", "user_code", "verification_uri", "verification_uri_complete"], 600, 5), "what a device is told")
    suite.check(re.fullmatch("[%s]{4}-[%s]{4}" % (LETTERS, LETTERS), asked["user_code"]), "the code to type: %s", asked["user_code"])
    suite.equal((asked["verification_uri"], asked["verification_uri_complete"]),
                (place.node.base_url + "/device", place.node.base_url + "/device?code=" + asked["user_code"]), "where to go")
    suite.equal({device.error() for device in devices}, {"authorization_pending"}, "devices that nobody looks for")
    suite.equal(devices[0].error(), "slow_down", "asking again at once")
    suite.equal(changed_tables(before, row_hashes()), [], "tables in which devices that only ask leave something")
    page = connect(place.node).ask("GET", "/device?code=" + asked["user_code"], None)
    suite.equal((page.status, page.headers.get("location")), (303, place.node.base_url + "/console/device?code=" + asked["user_code"]), "the short address")
    offered = connect(place.node).ask("GET", "/.well-known/oauth-authorization-server", None).json()
    suite.equal(offered.get("device_authorization_endpoint"), place.node.base_url + "/api/sign-in/device", "what the service says about itself")
    bare = connect(place.nodes[1]).ask("GET", "/.well-known/oauth-authorization-server", None).json()
    suite.check("device_authorization_endpoint" not in bare, "offered where there are no pages: %r", bare)


def test_wrong_questions(suite, place):
    device = Device(place.node)
    code = device.asked["device_code"]
    suite.equal(device.error(grant="client_credentials"), "unsupported_grant_type", "another grant")
    suite.equal(device.form("/api/sign-in/device/token", grant_type=GRANT).json()["error"], "invalid_request", "no code")
    for what, wrong in (("one letter more", code + "A"), ("one letter less", code[:-1]), ("no prefix", code[9:]), ("made up", "reeve_dc_" + "A" * 100), ("short", "reeve_dc_"), ("long", "x" * 5000),
                        ("another expiry", code[:9] + "_" + code[10:]), ("another host", code[:60] + ("B" if code[60] == "A" else "A") + code[61:]), ("a token", "reeve_cd_" + "0" * 73)):
        suite.equal(device.error(code=wrong), "invalid_grant", "a device's code, " + what)
    for host in ("a b", "<script>", "x" * 101, "é", "a\nb"):
        suite.equal(Device(place.node, host).asked.get("error"), "invalid_request", "a host called %r" % host[:10])
    suite.equal(connect(place.node).ask("POST", "/api/sign-in/device", None, {"host": "x"}).json().get("error"), "invalid_request", "JSON in place of a form")
    suite.equal(connect(place.node).ask("GET", "/api/sign-in/device", None).status, 405, "GET")
    other = Device(place.node)
    other.connection = connect(place.node, source="127.0.0.2")
    suite.equal(other.error(), "invalid_grant", "a device's code at another address")


def test_let_in(suite, place):
    browser, passkey, name, person = place.signed_in()
    device, other, refused_one, twice = Device(place.node), Device(place.node, "other"), Device(place.node), Device(place.node)
    stranger, _, _, _ = place.signed_in()
    denier, _, _, _ = place.signed_in()
    leaver, _, _, leaver_id = place.signed_in()
    suite.equal(look(browser, device).json(), {"userCode": device.asked["user_code"], "state": "LOOKING"}, "before the device has asked")
    typed = device.asked["user_code"].lower().replace("-", " ")
    suite.equal(look(browser, typed).json()["state"], "LOOKING", "the code as people type it")
    suite.equal(sql("SELECT tries FROM device_claim WHERE person_id = decode('%s', 'hex')" % person), "1", "tries of one code")
    seen, denied, left = met([(browser, device), (denier, refused_one), (leaver, twice)])
    shown = look(browser, device).json()
    suite.equal((shown["state"], shown["host"], shown["address"]), ("FOUND", "laptop.example.org", "127.0.0.1"), "what the person sees")
    suite.check(shown["askedAt"].endswith("Z") and "device_code" not in json.dumps(shown), "what the person sees: %r", shown)
    suite.equal(other.error(), "authorization_pending", "another device")
    # Who decides, and how.
    grown_old(person)
    refused(suite, decide(browser, seen), 403, "STEP_UP_REQUIRED", "approving without the passkey")
    for what, more in (("another Origin", {"origin": "https://evil.example"}), ("another site's page", {"site": "cross-site"}), ("no Origin", {"origin": None}), ("a neighbour's page", {"site": "same-site"})):
        refused(suite, decide(browser, seen, **more), 403, "CROSS_SITE_REQUEST", "approving from " + what)
        refused(suite, look(browser, device, **more), 403, "CROSS_SITE_REQUEST", "looking from " + what)
    suite.equal(browser.confirm(passkey).status, 200, "the passkey")
    refused(suite, decide(stranger, seen), 401, "SIGN_IN_REFUSED", "another person approves it")
    refused(suite, decide(browser, "0" * 64), 401, "SIGN_IN_REFUSED", "a device that nobody saw")
    refused(suite, decide(browser, "x" * 64), 404, "RESOURCE_NOT_FOUND", "a device that is none")
    suite.equal(decide(browser, "0").status, 400, "a short id")
    refused(suite, decide(Browser(place.node), seen), 401, "SESSION_ENDED", "nobody approves it")
    suite.equal(decide(browser, seen).status, 204, "approving")
    refused(suite, decide(browser, seen), 401, "SIGN_IN_REFUSED", "approving once more")
    refused(suite, decide(browser, seen, False), 401, "SIGN_IN_REFUSED", "refusing what was approved")
    grown_old(sql("SELECT encode(person_id, 'hex') FROM device_claim WHERE user_code = '%s'" % refused_one.asked["user_code"].replace("-", "")))
    suite.equal(decide(denier, denied, False).status, 204, "refusing needs no passkey")
    suite.equal(decide(leaver, left).status, 204, "approving")
    leaver.ask("POST", "/api/sign-out")
    time.sleep(PAUSE_S)
    thief = Device(place.node)
    thief.connection = connect(place.node, source="127.0.0.3")
    suite.equal(thief.error(code=device.asked["device_code"]), "invalid_grant", "the code of a device that was let in, at another address")
    answer = device.poll()
    suite.equal((answer.status, answer.json().get("token_type"), answer.json().get("expires_in")), (200, "Bearer", 30 * 86400), "the device that was let in: %r" % answer)
    suite.equal(refused_one.error(), "access_denied", "the device that was refused")
    suite.equal(twice.error(), "authorization_pending", "a device whose person has signed out since")
    suite.equal(sql("SELECT count(*) FROM console_session WHERE person_id = decode('%s', 'hex')" % leaver_id), "0", "sessions of somebody who signed out")
    token = answer.json()["access_token"]
    suite.equal(sql("SELECT count(*) FROM console_session s WHERE to_jsonb(s)::text LIKE '%%%s%%'" % token[33:]), "0", "tokens in the database")
    return browser, passkey, name, person, device, token


def test_token(suite, place, made):
    browser, _, name, person, device, token = made
    for node in place.nodes:
        caller = bearer(node, token).json()["caller"]
        suite.equal((caller["id"], caller["type"], caller["name"]), (person, "USER", name), "who the token is")
    renamed = bearer(place.node, token, "PATCH", "/orgs/" + place.world.a.home, body={"name": "World A"})
    suite.equal(renamed.status, 200, "a change with the token: %r" % renamed)
    listed = browser.ask("GET", "/api/sessions").json()["results"]
    mine = [one for one in listed if one["kind"] == "DEVICE"]
    suite.equal([(one["host"], one["address"], one["browser"]) for one in mine], [("laptop.example.org", "127.0.0.1", "reeve/1")], "the device among the sessions")
    suite.equal({one["kind"] for one in listed}, {"DEVICE", "BROWSER"}, "kinds of sessions")
    for what, value in (("one letter", token[:-1] + ("a" if token[-1] != "a" else "b")), ("cut off", token[:-1]), ("as a cookie's", token.replace("_cd_", "_cs_")), ("nobody's", token[:9] + "0" * 24 + token[33:])):
        suite.equal(bearer(place.node, value).status, 401, "a token, " + what)
    suite.equal(browser.ask("GET", "/", cookie="%s=%s" % (COOKIE, token)).code(), "SESSION_ENDED", "a token as a cookie")
    suite.equal(bearer(place.node, browser.cookie.replace("_cs_", "_cd_")).code(), "SESSION_ENDED", "a cookie as a token")
    for path in ("/api/sessions", "/api/sign-in/device/look", "/api/sign-in/device/decide", "/api/sessions/end", "/api/sign-out"):
        method = "GET" if path == "/api/sessions" else "POST"
        answer = connect(place.node).ask(method, path, Bearer(token), {} if method == "POST" else None, [("Origin", place.node.base_url), ("Sec-Fetch-Site", "same-origin")])
        suite.equal((answer.status, answer.code()), (401, "SESSION_ENDED"), "%s with a device's token" % path)
    suite.equal(bearer(place.node, token, "POST", "/orgs/%s/apiKeys" % place.world.a.home, body={"desc": "k", "roles": ["ORG_MEMBER"]}).status, 200, "a grave thing at once")
    grown_old(person)
    answer = bearer(place.node, token, "POST", "/orgs/%s/apiKeys" % place.world.a.home, body={"desc": "k", "roles": ["ORG_MEMBER"]})
    refused(suite, answer, 403, "STEP_UP_REQUIRED", "a grave thing six minutes after the passkey")
    time.sleep(PAUSE_S)
    suite.equal(device.error(), "invalid_grant", "the same code once more")
    suite.equal(sql("SELECT count(*) FROM console_session WHERE kind = 'DEVICE' AND person_id = decode('%s', 'hex')" % person), "1", "sessions of one approval")
    # Whoever types the code once more gets no second session out of it.
    look(browser, device)
    time.sleep(PAUSE_S)
    suite.equal(device.error(), "invalid_grant", "a used code that was typed again")
    suite.equal(look(browser, device).json()["state"], "LOOKING", "what the person sees then")
    began = time.monotonic()
    suite.equal(browser.ask("POST", "/api/sessions/end", {"sessionId": mine[0]["sessionId"]}).status, 204, "ending the device's session from the browser")
    took = wait_until(lambda: bearer(place.nodes[1], token).code() == "SESSION_ENDED", 5)
    suite.check(took < 5 * PATIENCE, "a device's token works for %.1f s after it was ended", took)
    suite.say("a device's token: refused at another node %.2f s after its person ended it" % (time.monotonic() - began))
    refused(suite, bearer(place.node, token), 401, "SESSION_ENDED", "an ended token")


def test_provider_decides(suite, place, made):
    """An organization whose people sign in with its own provider is opened by a device's token no more than by the session in which it was let in."""
    _, _, name, _, _, token = made
    org, federation = place.world.b.home, place.world.federation[place.world.b.home]
    place.world.make_person(name, org, "ORG_OWNER")
    tell_nodes()
    wait_until(lambda: bearer(place.node, token, path="/orgs/" + org).status == 200, 5)
    sql("INSERT INTO identity_provider (id, federation_id, protocol, issuer_uri, status, domains, settings) VALUES (decode('%s', 'hex'), decode('%s', 'hex'), 'OIDC', 'https://i.example', 'ACTIVE', '{}', '{}'); "
        "UPDATE connected_organization SET provider_id = decode('%s', 'hex') WHERE org_id = decode('%s', 'hex'); SELECT pg_notify('reeve_authority', 'federation:%s')"
        % (org, federation, org, org, federation))
    wait_until(lambda: bearer(place.node, token, path="/orgs/" + org).code() == "NOT_A_MEMBER", 5)
    suite.equal([one["id"] for one in bearer(place.node, token, path="/orgs").json()["results"]], [place.world.a.home], "organizations of a device")


def make_tokens(place, count):
    pairs = [(place.signed_in(), Device(place.node)) for _ in range(count)]
    for (browser, _, _, _), seen in zip([pair[0] for pair in pairs], met([(one[0], device) for one, device in pairs])):
        decide(browser, seen)
    time.sleep(PAUSE_S)
    return [(person, device.poll().json()["access_token"]) for (_, _, _, person), device in pairs]


def test_ends(suite, place):
    (_, token), (idle, idle_token), (old, old_token), (gone, gone_token) = make_tokens(place, 4)
    end = connect(place.node).ask("POST", "/api/sign-in/device/end", Bearer(token))
    suite.equal(end.status, 204, "a program ends its own session: %r" % end)
    wait_until(lambda: bearer(place.nodes[1], token).code() == "SESSION_ENDED", 5)
    suite.equal(connect(place.node).ask("POST", "/api/sign-in/device/end", Bearer(token)).status, 401, "ending it once more")
    suite.equal(connect(place.node).ask("POST", "/api/sign-in/device/end", place.world.a.bearer()).status, 401, "a service account has none to end")
    suite.equal(connect(place.node).ask("POST", "/api/sign-in/device/end", None).status, 401, "nobody has none to end")
    tell_nodes("UPDATE console_session SET used_at = now() - interval '11 hours' WHERE person_id = decode('%s', 'hex')" % idle)
    suite.equal(bearer(place.node, idle_token).status, 200, "after eleven hours without use")
    sql("UPDATE console_session SET used_at = now() - interval '721 minutes' WHERE person_id = decode('%s', 'hex')" % idle)
    sql("UPDATE console_session SET expires_at = now() WHERE person_id = decode('%s', 'hex')" % old)
    sql("DELETE FROM principal WHERE id = decode('%s', 'hex')" % gone)
    tell_nodes()
    for what, value in (("idle for twelve hours", idle_token), ("thirty days old", old_token), ("a person's who is gone", gone_token)):
        took = wait_until(lambda v=value: bearer(place.node, v).code() == "SESSION_ENDED", 5)
        suite.check(took < 5 * PATIENCE, "a token that is %s works", what)


def test_guessing(suite, place):
    """Ten codes in a session: of 25,600,000,000."""
    browser, _, _, person = place.signed_in()
    answers = [look(browser, "BCDFGHJ" + letter).code() for letter in LETTERS[:12]]
    suite.equal(answers, [None] * 10 + ["SIGN_IN_REFUSED"] * 2, "codes that are tried in one session")
    for wrong in ("BCDFGHJA", "BCDFGHJ", "BCDFGHJKL", "", "BCDF GHJ1"):
        suite.equal(look(browser, wrong).status, 400, "the code %r" % wrong)
    suite.equal(sql("SELECT count(*) FROM device_claim WHERE person_id = decode('%s', 'hex')" % person), "1", "rows of a session")
    # The guard of credentials counts them as well: it is on in a deployment.
    with start_node(migrate=False, settings={"console_dir": place.pages, "guard_failures_per_minute": "3", "guard_tries_per_minute": "6", "base_url": place.node.base_url}) as guarded:
        fresh, passkey, _, _ = place.signed_in()
        other = Browser(guarded)
        other.origin, other.cookie = fresh.origin, fresh.cookie
        codes = [look(other, "BCDFGHK" + letter).code() for letter in LETTERS[:9]]
        suite.check("TOO_MANY_FAILURES" in codes and codes[0] is None, "codes at a node with a guard: %r", codes)
        device = Device(guarded, source="127.0.0.9")
        codes = [device.poll(code="reeve_dc_" + "A" * 100).status for _ in range(9)]
        suite.check(codes[0] == 400 and 429 in codes, "made-up codes of devices at a node with a guard: %r", codes)


def test_command_line(suite, place):
    from terminal import Reeve, Terminal, plain
    browser, passkey, name, person = place.signed_in()
    with tempfile.TemporaryDirectory() as home:
        reeve = Reeve(BUILD, home)
        file = os.path.join(reeve.home, ".config", "reeve", "profiles.json")
        with Terminal(reeve, "login", "--server", place.node.base_url, "--ca-file", place.node.ca) as terminal:
            suite.check(terminal.until("waiting for you"), "what is on the screen: %r", terminal.raw)
            code = re.search("[%s]{4}-[%s]{4}" % (LETTERS, LETTERS), plain(terminal.raw))
            suite.check(code and place.node.base_url + "/device" in plain(terminal.raw), "an address and a code: %r", terminal.raw)
            wait_until(lambda: look(browser, code.group(0)).json()["state"] == "FOUND", 15)
            shown = look(browser, code.group(0)).json()
            suite.equal(shown["host"], os.uname().nodename, "the host that asks")
            suite.equal(decide(browser, shown["deviceId"]).status, 204, "approving")
            ended = terminal.wait()
        suite.check(ended.status == 0 and "you are " + name in plain(ended.out) and "reeve_cd_" not in ended.out, "login with a browser: %r", ended)
        suite.equal(stat.S_IMODE(os.stat(file).st_mode), 0o600, "mode of the file with the token")
        with open(file) as kept:
            token = json.load(kept)["profiles"]["default"]["sessionToken"]
        who = reeve.pipe("root", "get")
        suite.equal(json.loads(who.out)["caller"]["id"], person, "who calls then: %r" % who)
        suite.check(name in plain(reeve.terminal("status").out), "who you are")
        grown_old(person)
        grave = reeve.pipe("projects", "create", "--name", "of a person", "--org-id", place.world.a.home)
        project = json.loads(grave.out)["id"]
        grave = reeve.pipe("projects", "delete", "--project", project, "--yes")
        suite.check(grave.status == 1 and "STEP_UP_REQUIRED" in grave.err and "reeve login" in grave.err, "a deletion six minutes later: %r", grave)
        out = reeve.pipe("logout")
        suite.equal(out.status, 0, "logout: %r" % out)
        with open(file) as kept:
            suite.check(token not in kept.read(), "nothing is left of the token")
        suite.equal(sql("SELECT count(*) FROM console_session WHERE kind = 'DEVICE' AND person_id = decode('%s', 'hex')" % person), "0", "devices after logging out")
        wait_until(lambda: bearer(place.node, token).code() == "SESSION_ENDED", 5)
        bare = reeve.pipe("login", "--browser", "--server", place.nodes[1].base_url, "--ca-file", place.nodes[1].ca)
        suite.check(bare.status == 2 and "no pages" in bare.err, "a server without pages: %r", bare)
        both = reeve.pipe("login", "--browser", "--client-id", "x", "--server", place.node.base_url, "--ca-file", place.node.ca)
        suite.check(both.status == 2 and "only one" in both.err, "two ways at once: %r", both)
        with Terminal(reeve, "login", "--server", place.node.base_url, "--ca-file", place.node.ca, "--browser") as terminal:
            terminal.until("waiting for you")
            code = re.search("[%s]{4}-[%s]{4}" % (LETTERS, LETTERS), plain(terminal.raw)).group(0)
            wait_until(lambda: look(browser, code).json()["state"] == "FOUND", 15)
            decide(browser, look(browser, code).json()["deviceId"], False)
            ended = terminal.wait()
        suite.check(ended.status == 1 and "refused in the browser" in plain(ended.out), "a refusal: %r", ended)


def main():
    ends_on_signal()
    suite = Suite("devices")
    with tempfile.TemporaryDirectory() as pages:
        os.chmod(pages, 0o755)
        with open(os.path.join(pages, "index.html"), "w") as page:
            page.write("<!doctype html>")
        with start_node(settings={"console_dir": pages}) as node, start_node(migrate=False) as other:
            world = World(node, with_roles=False)
            no_limits([world.a.home, world.b.home])
            place = Place(suite, world, (node, other))
            place.pages = pages
            for test in (test_asking_leaves_nothing, test_wrong_questions, test_guessing):
                test(suite, place)
            made = test_let_in(suite, place)
            test_provider_decides(suite, place, made)
            test_token(suite, place, made)
            test_ends(suite, place)
            test_command_line(suite, place)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
