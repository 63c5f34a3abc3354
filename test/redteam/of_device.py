# SPDX-License-Identifier: Apache-2.0
"""Programs that people let in: codes that are guessed, overheard, used again or approved by others; and the tokens that come of them."""
import time

from client import Bearer
from device_test import LETTERS, PAUSE_S, Device, bearer, decide, look
from of_browser import ENDED, SECRET, SITE, Person, got
from rows import Attack
from session_test import COOKIE, Browser
from world import connect

CODE, PLACE, PRESENT = "a device's code is a statement of ours", "a device gets its token where it asked", "a device is let in with the passkey"
FEW, USED, ITS_OWN = "few codes are tried in a session", "a device's code is used once", "who saw a device decides on it"


class LetIn:
    """A person, a device that they saw, and (unless not) let in. `token` asks for what comes of it."""

    def __init__(self, ground, approved=True):
        self.person, self.device = Person(ground), Device(ground.node)
        look(self.person.browser, self.device)
        self.device.poll()
        self.seen = look(self.person.browser, self.device).json().get("deviceId")
        if not self.seen or (approved and decide(self.person.browser, self.seen).status != 204):
            raise AssertionError("the device was not let in")

    def token(self):
        time.sleep(PAUSE_S)
        answer = self.device.poll()
        if answer.status != 200:
            raise AssertionError("%r" % answer)
        return answer.json()["access_token"]


def forged(ground, change):
    device = Device(ground.node)
    answer = device.poll(code=change(device.asked["device_code"]))
    return None if answer.json().get("error") == "invalid_grant" else "%d %s" % (answer.status, answer.body)


def overheard(ground):
    """The code of a device that was let in, before the device itself asks."""
    let_in = LetIn(ground)
    time.sleep(PAUSE_S)
    thief = Device(ground.node, source="127.0.0.66")
    answer = thief.poll(code=let_in.device.asked["device_code"])
    return "a token" if answer.status == 200 else None


def of_another(ground):
    """Another device waits at the same time, at the same address."""
    other = Device(ground.node)
    LetIn(ground)
    return "a token" if other.poll().status == 200 else None


def unattended(ground):
    let_in = LetIn(ground, approved=False)
    let_in.person.change("verified_at = now() - interval '6 minutes'")
    return got(decide(let_in.person.browser, let_in.seen))


def from_page(ground, path, **page):
    let_in = LetIn(ground, approved=False)
    return got(decide(let_in.person.browser, let_in.seen, **page) if path == "decide" else look(let_in.person.browser, "BCDFGHJK", **page))


def by_another(ground):
    let_in, other = LetIn(ground, approved=False), Person(ground)
    return got(decide(other.browser, let_in.seen))


def guessed(ground):
    browser = Person(ground).browser
    tried = [look(browser, "".join(LETTERS[number // 20 ** place % 20] for place in range(8))).status for number in range(40)]
    return "%d codes in one session" % tried.count(200) if tried.count(200) > 10 else None


def used_again(ground):
    let_in = LetIn(ground)
    let_in.token()
    look(let_in.person.browser, "BCDFGHJK")
    look(let_in.person.browser, let_in.device)
    time.sleep(PAUSE_S)
    error = let_in.device.error()
    return None if error == "invalid_grant" and look(let_in.person.browser, let_in.device).json()["state"] == "LOOKING" else error


def after_the_end(ground):
    let_in = LetIn(ground)
    token = let_in.token()
    for _ in range(8):  # every process of the node has seen it
        bearer(ground.node, token)
    connect(ground.node).ask("POST", "/api/sign-in/device/end", Bearer(token))
    time.sleep(5)
    return next(filter(None, (got(bearer(ground.node, token)) for _ in range(8))), None)


def with_token(ground, change):
    return got(bearer(ground.node, change(LetIn(ground).token())))


def as_cookie(ground):
    return got(Browser(ground.node).ask("GET", "/", cookie="%s=%s" % (COOKIE, LetIn(ground).token())))


def attacks(ground):
    for what, change in (("a code of a device that is made up", lambda code: "reeve_dc_" + "A" * len(code[9:])), ("a code of a device for another host", lambda code: code[:58] + ("B" if code[58] == "A" else "A") + code[59:]),
                         ("a code of a device that ends later", lambda code: code[:9] + "_" + code[10:])):
        yield Attack(what, "network", CODE, lambda c=change: forged(ground, c))
    yield Attack("an overheard code of a device, at another address", "network", PLACE, lambda: overheard(ground))
    yield Attack("a token for another device that waits", "network", CODE, lambda: of_another(ground))
    yield Attack("an unattended session lets a device in", "tenant", PRESENT, lambda: unattended(ground))
    for path in ("look", "decide"):
        for what, page in (("another site's page", {"origin": "https://evil.example", "site": "cross-site"}), ("a page of a neighbour", {"origin": "https://localhost:1", "site": "same-site"})):
            yield Attack("a device, %s by %s" % (path, what), "network", SITE, lambda p=path, g=page: from_page(ground, p, **g))
    yield Attack("a device that another person saw is let in", "tenant", ITS_OWN, lambda: by_another(ground))
    yield Attack("forty codes of devices in one session", "tenant", FEW, lambda: guessed(ground))
    yield Attack("a device's code after its token", "network", USED, lambda: used_again(ground))
    yield Attack("a device's token five seconds after it was ended", "network", ENDED, lambda: after_the_end(ground))
    yield Attack("a device's token with a made-up secret", "network", SECRET, lambda: with_token(ground, lambda token: token[:33] + "A" * 49))
    yield Attack("a device's token as a cookie", "network", SECRET, lambda: as_cookie(ground))
