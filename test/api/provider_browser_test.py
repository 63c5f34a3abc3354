# SPDX-License-Identifier: Apache-2.0
"""Signing in on an identity provider's pages with a real browser: Debian's Chromium, the console as it is built, and a real provider. Our cookies are Strict, and
another site sends the browser back: what a browser makes of that is seen here."""
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

from chromium import PROGRAM, Chromium
from client import wait_until
from federation_test import IdentityProvider, standing
from provider_browser import Traveller, let_people_in, wrong
from suite import Suite, ends_on_signal
from world import BUILD, ROOT, sql, start_node

ADA = "ada@federated.example"
TYPE = """(() => {
    const form = [...document.querySelectorAll('form')].find(one => one.innerText.includes("organization's sign-in"));
    if (!form) return false;
    const input = form.querySelector('input');
    input.value = '%s';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    setTimeout(() => form.requestSubmit(), 50);
    return true;
})()"""
SHOWN = "location.origin + location.pathname + location.search + ' ' + (document.body ? document.body.innerText : '')"


def shown(browser):
    try:
        return browser.run(SHOWN)
    except AssertionError:  # between two pages
        return ""


def until(browser, text):
    wait_until(lambda: text in shown(browser), 20)
    return shown(browser)


def sign_in(browser, node, path, who=ADA):
    browser.open(node.base_url + path)
    wait_until(lambda: browser.run(TYPE % who), 20)


def test_there_and_back(suite, place, browser):
    """The address that somebody wanted survives the way."""
    node = place.node
    sign_in(browser, node, "/console/account")
    page = until(browser, node.base_url + "/console/account")
    suite.check(ADA in until(browser, ADA), "who is signed in: %s", page[:200])
    suite.equal(browser.run("document.cookie"), "", "what scripts see of the cookies")
    suite.check("code=" not in browser.run("location.href + ' ' + document.referrer"), "the code is in an address")
    history = browser.ask("Page.getNavigationHistory")["entries"]
    suite.check(not any("code=" in one["url"] for one in history if one["url"].startswith(node.base_url)), "the code is in the history: %r", [one["url"][:80] for one in history])
    suite.equal(sql("SELECT count(*) FROM console_session WHERE provider_id IS NOT NULL"), "1", "sessions of the provider")
    logs = "".join(str(line) for line in node.log_lines())
    suite.check("/console/sign-in/provider/" in logs and "code=" not in logs, "the code is in the log")


def test_somebody_elses_answer(suite, place, browser):
    """Login CSRF: an address with another browser's code and state is opened in this one."""
    node = place.node
    before = sql("SELECT count(*) FROM console_session")
    for what, words in (("another browser's answer", "code=abc&state=" + "A" * 43), ("no answer", ""), ("a refusal", "error=access_denied&error_description=Call+0800+EVIL"), ("a script", "error=%3Cscript%3E")):
        browser.open(node.base_url + "/console/sign-in/provider/%s?%s" % (place.idp, words))
        page = until(browser, "Begin again")
        suite.check("EVIL" not in page and "script" not in page, "%s: what the address says is shown: %s", what, page)
        suite.check(words == "" or words not in page, "%s stays in the address", what)
    suite.equal(sql("SELECT count(*) FROM console_session"), before, "sessions that came of it")
    sign_in(browser, node, "/console/sign-in", "somebody@elsewhere.example")
    until(browser, "no organization here has a sign-in of its own")
    suite.passed += 1
    wrong(place.provider, claims={"nonce": "A" * 43})
    sign_in(browser, node, "/console/sign-in?next=/console/account")
    page = until(browser, "Begin again")
    suite.check("does not answer what this browser asked" in page, "a refused answer leads on: %s", page)
    suite.check("next=%2Fconsole%2Faccount" in browser.run("document.querySelector('a.button').href"), "where they wanted to go")
    wrong(place.provider)


def test_confirm(suite, place, browser):
    """What is grave opens the provider in another tab, and goes on by itself."""
    node = place.node
    sign_in(browser, node, "/console/sign-in?next=/console/account")
    until(browser, node.base_url + "/console/account")
    sql("UPDATE console_session SET verified_at = now() - interval '6 minutes'; SELECT pg_notify('reeve_authority', 'all')")
    asked = """(async () => {
        const answer = await fetch('/api/sign-in/provider/confirm', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
        location.assign((await answer.json()).authorizationUrl);
    })()"""
    browser.run(asked)
    until(browser, "You have confirmed")
    suite.equal(sql("SELECT bool_or(now() - verified_at < interval '1 minute') FROM console_session"), "t", "the session after the confirmation")


def test_busy(suite, place, browser):
    """While others wait for the same provider, the page brings what it was given once more."""
    node = place.node
    browser.open(node.base_url + "/console/sign-in")
    url = browser.run("""(async () => {
        const answer = await fetch('/api/sign-in/provider', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"username": "%s"}' });
        return (await answer.json()).authorizationUrl;
    })()""" % ADA)
    traveller = Traveller(node)
    path, brought = traveller.travel(url)
    others = [Traveller(node) for _ in range(2)]
    bodies = [one.go(one.begin(ADA)) for one in others]
    asked = wrong(place.provider, waitMs=1500)
    both = [threading.Thread(target=one.finish, args=(body,)) for one, body in zip(others, bodies)]
    for one in both:
        one.start()
    wait_until(lambda: wrong(place.provider, waitMs=1500) >= asked + 2, 5)
    wrong(place.provider)
    browser.open(node.base_url + path + "?" + urllib.parse.urlencode(brought))
    pages = []
    wait_until(lambda: pages.append(shown(browser)) or "Begin again" in pages[-1] or (pages[-1] and "/sign-in" not in pages[-1]), 20)
    suite.check("Begin again" not in pages[-1], "signing in while two others wait: %s", pages[-1][:200])
    for one in both:
        one.join()


def main():
    ends_on_signal()
    suite = Suite("provider-browser")
    if shutil.which(PROGRAM) is None:
        suite.say("skipped: there is no %s" % PROGRAM)
        return suite.finish()
    folder = tempfile.mkdtemp(prefix="provider.", dir=os.environ.get("REEVE_TEST_DIR"))
    os.chmod(folder, 0o755)
    pages = os.path.join(folder, "console")
    subprocess.run([os.path.join(ROOT, "script", "build-console"), "--reeved", os.path.join(ROOT, BUILD, "reeved"), "--out", pages], check=True, stdout=subprocess.DEVNULL)
    provider = IdentityProvider(folder)
    with start_node(settings={"egress_allow": "127.0.0.1/32", "egress_ca": provider.certificate, "console_dir": pages}) as node, Chromium() as browser, standing(node, provider) as place:
        let_people_in(place, provider)
        for test in (test_there_and_back, test_somebody_elses_answer, test_confirm, test_busy):
            test(suite, place, browser)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
