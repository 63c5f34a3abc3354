# SPDX-License-Identifier: Apache-2.0
"""Signing in on a SAML provider's pages with a real browser: Debian's Chromium, the console as it is built, and a real provider (pysaml2). The answer comes with a POST from
another site, with which the browser sends none of our cookies, to a page whose only script is allowed by its hash: what a browser makes of that is seen here."""
import http.server
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

from chromium import PROGRAM, Chromium
from client import wait_until
from provider_browser_test import ADA, TYPE, until
from saml_provider import SamlProvider, SamlTraveller
from saml_sign_in_test import SamlPlace
from suite import Suite, ends_on_signal
from world import BUILD, ROOT, World, connect, sql, start_node


def open_page(browser, url):
    """As people do: with the policies of the pages."""
    browser.ask("Page.setBypassCSP", enabled=False)
    browser.ask("Page.navigate", url=url)


def sign_in(browser, node, path):
    open_page(browser, node.base_url + path)
    wait_until(lambda: browser.run(TYPE % ADA), 20)


def test_there_and_back(suite, place, browser):
    """With both ways to ask; the address that somebody wanted survives the way."""
    node = place.node
    for number, binding in enumerate(("HTTP-POST", "HTTP-REDIRECT"), 1):
        place.must(200, "PATCH", place.path, {"requestBinding": binding})
        sign_in(browser, node, "/console/account")
        page = until(browser, node.base_url + "/console/account")
        suite.check(ADA in until(browser, ADA), "who is signed in, asked with %s: %s", binding, page[:200])
        suite.equal(sql("SELECT count(*) FROM console_session WHERE provider_id IS NOT NULL"), str(number), "sessions of the provider")
        suite.equal(browser.run("document.cookie + (sessionStorage.getItem('reeve.saml') ?? '')"), "", "what scripts see of cookies and answers afterwards")
        browser.ask("Network.clearBrowserCookies")


def test_refused(suite, place, browser):
    """What is refused leads to a page that says what to change."""
    place.provider.who = "eve@elsewhere.example"
    sign_in(browser, place.node, "/console/sign-in?next=/console/account")
    page = until(browser, "Begin again")
    suite.check("the domain of the address is not associated with the provider" in page, "why it is refused: %s", page[:300])
    suite.check("next=%2Fconsole%2Faccount" in browser.run("document.querySelector('a.button').href"), "where they wanted to go")
    place.provider.who = ADA


def test_somebody_elses_answer(suite, place, browser, folder):
    """Login CSRF: another site has the browser post an answer that somebody else got for themselves."""
    attacker = SamlTraveller(place.node)
    back = attacker.visit_provider(attacker.begin(ADA))
    form = ("<!doctype html><form id=f method=post action='%s'><input name=SAMLResponse value='%s'><input name=RelayState value='%s'></form><script>f.submit()</script>"
            % (back.acs, back.response, back.state)).encode()

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(form)

        def log_message(self, *args):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*place.provider.tls)
    site.socket = context.wrap_socket(site.socket, server_side=True)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    before = sql("SELECT count(*) FROM console_session")
    for what in ("in a browser that began nothing", "in a browser that is on its way itself"):
        browser.ask("Network.clearBrowserCookies")
        if "way" in what:
            open_page(browser, place.node.base_url + "/console/sign-in")
            until(browser, "organization's sign-in")
            browser.run("fetch('/api/sign-in/provider', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"username\": \"%s\"}' }).then(() => 0)" % ADA)
        open_page(browser, "https://127.0.0.1:%d/" % site.server_port)
        page = until(browser, "Begin again")
        suite.check(("did not begin here" if "nothing" in what else "another browser's question") in page, "%s: %s", what, page[:300])
    site.shutdown()
    site.server_close()
    suite.equal(sql("SELECT count(*) FROM console_session"), before, "sessions that came of it")
    suite.equal(attacker.finish(back).status, 200, "the answer itself was right")


def test_confirm(suite, place, browser):
    """What is grave is confirmed at the provider, which is asked to ask anew."""
    browser.ask("Network.clearBrowserCookies")
    sign_in(browser, place.node, "/console/sign-in?next=/console/account")
    until(browser, place.node.base_url + "/console/account")
    sql("UPDATE console_session SET verified_at = now() - interval '6 minutes'; SELECT pg_notify('reeve_authority', 'all')")
    browser.run("""(async () => {
        const answer = await fetch('/api/sign-in/provider/confirm', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
        location.assign((await answer.json()).authorizationUrl);
    })()""")
    until(browser, "You have confirmed")
    suite.equal(sql("SELECT bool_or(now() - verified_at < interval '1 minute') FROM console_session"), "t", "the session after the confirmation")


def main():
    ends_on_signal()
    suite = Suite("saml-browser")
    if shutil.which(PROGRAM) is None:
        suite.say("skipped: there is no %s" % PROGRAM)
        return suite.finish()
    folder = tempfile.mkdtemp(prefix="saml.", dir=os.environ.get("REEVE_TEST_DIR"))
    os.chmod(folder, 0o755)
    pages = os.path.join(folder, "console")
    subprocess.run([os.path.join(ROOT, "script", "build-console"), "--reeved", os.path.join(ROOT, BUILD, "reeved"), "--out", pages], check=True, stdout=subprocess.DEVNULL)
    provider = SamlProvider(folder)
    provider.who = ADA
    with start_node(settings={"console_dir": pages}) as node, Chromium() as browser:
        try:
            world = World(node, with_roles=False)
            with connect(node) as connection:
                place = SamlPlace(world, node, node, connection, provider)
                provider.start(place.metadata())
                browser.ask("Network.enable")
                for test in (test_there_and_back, test_refused, test_confirm):
                    test(suite, place, browser)
                test_somebody_elses_answer(suite, place, browser, folder)
            world.close()
        finally:
            provider.stop()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
