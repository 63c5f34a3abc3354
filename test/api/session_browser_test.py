# SPDX-License-Identifier: Apache-2.0
"""Passkeys with a real browser: Debian's Chromium and the authenticator in it make the first passkey and sign in with it, and what the browser does
with our cookie is seen from a page of another origin."""
import shutil
import sys

from chromium import PROGRAM, Chromium
from suite import Suite, ends_on_signal
from world import PREFIX, World, no_limits, reeved, sql, start_node

# What a page of ours does; it will be the console's.
PAGE = """
const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '');
const send = async (path, body) => {
    const answer = await fetch(path, { method: body === undefined ? 'GET' : 'POST', headers: { 'Content-Type': 'application/json' },
                                       body: body === undefined ? undefined : JSON.stringify(body) });
    const said = await answer.text();
    return { status: answer.status, said: said ? JSON.parse(said) : null };
};
const sign = async (challenge, rpId) => {
    const made = await navigator.credentials.get({ publicKey: { challenge: bytes(challenge), rpId, userVerification: 'required' } });
    return { challenge, credentialId: text(made.rawId), clientData: text(made.response.clientDataJSON),
             authenticatorData: text(made.response.authenticatorData), signature: text(made.response.signature) };
};
"""
ENROL = PAGE + """
(async () => {
    const { status, said } = await send('/api/sign-in/enrolment', { token: '%s' });
    if (status !== 200) return { status, said };
    const made = await navigator.credentials.create({ publicKey: {
        challenge: bytes(said.enrol), rp: { id: said.rpId, name: 'Reeve' }, user: { id: bytes(said.userHandle), name: said.username, displayName: said.username },
        pubKeyCredParams: [-7, -257, -8].map(alg => ({ type: 'public-key', alg })), authenticatorSelection: { residentKey: 'required', userVerification: 'required' } } });
    return send('/api/sign-in/enrol', { token: '%s', name: 'Chromium', publicKey: text(made.response.getPublicKey()),
        registration: { challenge: said.enrol, clientData: text(made.response.clientDataJSON), authenticatorData: text(made.response.getAuthenticatorData()) },
        assertion: await sign(said.signIn, said.rpId) });
})()"""
SIGN_IN = PAGE + """
(async () => {
    const { said } = await send('/api/sign-in/challenge');
    return send('/api/sign-in/%s', await sign(said['%s'], said.rpId));
})()"""
WRITE = "fetch('%s', { method: 'PATCH', mode: '%s', credentials: 'include', headers: { 'Content-Type': 'application/json' }, body: '{\"name\": \"By a page\"}' })"


def test_passkey(suite, node, world, browser):
    name = "chromium@example.org"
    world.make_person(name, world.a.home, "ORG_OWNER")
    token = reeved("enrol", name, "--config", node.conf).strip()
    browser.open(node.base_url + "/api/openapi.json")
    answer = browser.run("{" + ENROL % (token, token) + "}")
    suite.equal((answer["status"], answer["said"].get("username")), (200, name), "a first passkey by Chromium: %r" % answer)
    who = "{" + PAGE + "send('%s/')}" % PREFIX
    suite.equal(browser.run(who)["said"].get("caller", {}).get("name"), name, "who the browser is")
    suite.equal(browser.run("document.cookie"), "", "what scripts see of the cookie")
    answer = browser.run("{" + PAGE + "send('/api/sign-out', {})}")
    suite.equal(answer["status"], 204, "signing out")
    suite.equal(browser.run(who)["status"], 401, "after signing out: no cookie is sent")
    answer = browser.run("{" + SIGN_IN % ("passkey", "signIn") + "}")
    suite.equal((answer["status"], answer["said"].get("username")), (200, name), "signing in by Chromium: %r" % answer)
    sql("UPDATE console_session SET verified_at = now() - interval '6 minutes'")
    answer = browser.run("{" + SIGN_IN % ("confirm", "confirm") + "}")
    suite.equal(answer["status"], 200, "confirming by Chromium: %r" % answer)
    suite.equal(sql("SELECT bool_or(now() - verified_at < interval '1 minute') FROM console_session"), "t", "when it was confirmed")


def test_other_origin(suite, node, world, browser, other):
    """Another port is another origin, and the same site: SameSite does not keep the cookie from it, and Origin and Sec-Fetch-Site have to."""
    before = sql("SELECT name FROM organization WHERE id = decode('%s', 'hex')" % world.a.home)
    browser.open(other.base_url + "/api/openapi.json")
    for mode in ("cors", "no-cors"):
        try:
            browser.run(WRITE % (node.base_url + PREFIX + "/orgs/" + world.a.home, mode) + ".then(answer => answer.status)")
        except AssertionError:
            pass
    form = ("new Promise(done => { const f = document.createElement('form'); f.method = 'POST'; f.enctype = 'text/plain'; f.action = '%s/api/sign-out'; "
            "(document.body || document.documentElement).append(f); f.submit(); setTimeout(done, 1500) })" % node.base_url)
    try:
        browser.run(form)
    except AssertionError:
        pass
    suite.equal(sql("SELECT name FROM organization WHERE id = decode('%s', 'hex')" % world.a.home), before, "a name that another origin's page changed")
    refused = [line for line in node.log_lines() if line.get("status") == 403]
    suite.check(refused, "no request of the other page with the cookie was refused: it was not tried")
    browser.open(node.base_url + "/api/openapi.json")
    suite.equal(browser.run("{" + PAGE + "send('%s/')}" % PREFIX)["status"], 200, "the session after another page tried to end it")


def main():
    ends_on_signal()
    suite = Suite("sessions-browser")
    if shutil.which(PROGRAM) is None:
        suite.say("skipped: there is no %s" % PROGRAM)
        return suite.finish()
    with start_node() as node, start_node(migrate=False) as other, Chromium() as browser:
        world = World(node, with_roles=False)
        no_limits([world.a.home])
        browser.add_authenticator()
        test_passkey(suite, node, world, browser)
        test_other_origin(suite, node, world, browser, other)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
