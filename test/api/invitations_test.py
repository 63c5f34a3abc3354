# SPDX-License-Identifier: Apache-2.0
"""Invitations by mail, with a real worker and a real mail server: only the mailbox sees the token, also when the worker is killed at every
fail point or the server is away; the names of a person are told to each organization by themselves (S8)."""
import json
import os
import sys
import tempfile

from alerts_test import Worker
from authenticator import Passkey
from browser import Browser
from client import Bearer, wait_until
from federation_test import AUDIENCE, IdentityProvider
from mailbox import Mailbox
from suite import Suite, ends_on_signal
from world import PREFIX, World, connect, invitation_token, no_limits, reeved, sql, start_node

FAILPOINTS = ("invitation:mail:before-effect", "invitation:mail:after-effect")


class Place:
    def __init__(self, suite, world, node, mailbox, provider):
        self.suite, self.world, self.node, self.mailbox, self.provider = suite, world, node, mailbox, provider
        self.connection = connect(node)
        self.inviter, self.other = world.make_caller("Inviting"), world.make_caller("Other")
        no_limits([self.inviter.home, self.other.home])
        self.worker = Worker(node.conf)

    def ask(self, method, target, caller=None, body=None):
        return self.connection.ask(method, target if target.startswith("/api") else PREFIX + target, caller.bearer() if caller else None, body)

    def invite(self, caller, address, way="users"):
        body = {"username": address, "roles": {"orgRoles": ["ORG_MEMBER"]} if way == "users" else ["ORG_MEMBER"]}
        answer = self.ask("POST", "/orgs/%s/%s" % (caller.home, way), caller, body)
        self.suite.check(answer.status in (200, 201), "an invitation: %r", answer)
        return answer

    def accept(self, address, first, last):
        return self.ask("POST", "/api/invitations/accept", None, {**self.mailbox.invitation(address), "firstName": first, "lastName": last})

    def member(self, caller, address):
        return self.ask("GET", "/orgs/%s/users?username=%s" % (caller.home, address), caller).json()["results"][0]


def test_only_the_mailbox_sees_the_token(suite, place):
    """S8: whoever invites gets no token, from no answer, list, event or repetition; so they cannot accept for the invited."""
    project = place.world.make_project(place.inviter, "guests")
    answers = [place.invite(place.inviter, "a@example.org"), place.invite(place.inviter, "b@example.org", "invites"),
               place.ask("POST", "/groups/%s/users" % project, place.inviter, {"username": "c@example.org", "roles": ["GROUP_READ_ONLY"]}),
               place.ask("POST", "/groups/%s/access" % project, place.inviter, {"username": "d@example.org", "roles": ["GROUP_READ_ONLY"]}),
               place.ask("POST", "/groups/%s/invites" % project, place.inviter, {"username": "e@example.org", "roles": ["GROUP_READ_ONLY"]})]
    answers += [place.ask("GET", "/orgs/%s/%s" % (place.inviter.home, what), place.inviter) for what in ("users", "invites", "events?itemsPerPage=500")]
    tokens = [place.mailbox.invitation(letter + "@example.org")["token"] for letter in "abcde"]
    suite.equal(len(set(tokens)), 5, "S8: tokens in five mailboxes")
    for token in tokens:
        suite.check(token.startswith("reeve_inv_") and not any(token.encode() in answer.body for answer in answers), "S8: a token in an answer")
    suite.check(not any(b'"token"' in answer.body or b"reeve_inv_" in answer.body for answer in answers), "S8: something like a token in an answer")
    text = place.mailbox.texts("a@example.org")[0]
    suite.check(place.inviter.client_id in text and '"Inviting"' in text and "/api/invitations/accept" in text, "what the mail says: %s", text)
    suite.equal(place.accept("a@example.org", "Ann", "Ash").status, 200, "S8: accepted by who has the mailbox")
    kept = sql("SELECT sealed_token IS NULL FROM invitation WHERE username = 'a@example.org'")
    suite.equal(kept, "t", "S8: a token that is kept when nobody needs it")


def test_names_are_of_one_organization(suite, place):
    """S8: another organization that a person joins sees the names that they gave there, and not those they have elsewhere."""
    place.invite(place.other, "a@example.org")
    wait_until(lambda: len(place.mailbox.texts("a@example.org")) == 2, 30)
    suite.equal(place.accept("a@example.org", "Anonymous", "Guest").status, 200, "accepted by somebody with an account")
    person = place.member(place.other, "a@example.org")
    seen = [(one["firstName"], one["lastName"]) for one in (
        person, place.member(place.inviter, "a@example.org"), place.ask("GET", "/users/" + person["id"], place.other).json(),
        place.ask("GET", "/users/byName/a@example.org", place.inviter).json())]
    suite.equal(seen, [("Anonymous", "Guest"), ("Ann", "Ash"), ("Anonymous", "Guest"), ("Ann", "Ash")], "S8: names in two organizations")
    team = place.ask("POST", "/orgs/%s/teams" % place.other.home, place.other, {"name": "t", "usernames": ["a@example.org"]}).json()["id"]
    shown = place.ask("GET", "/orgs/%s/teams/%s/users" % (place.other.home, team), place.other).json()["results"][0]
    suite.equal((shown["firstName"], shown["lastName"]), ("Anonymous", "Guest"), "S8: names in a team")
    answer = place.ask("DELETE", "/orgs/%s/users/%s" % (place.other.home, person["id"]), place.other)
    suite.equal(answer.status, 204, "a member leaves")
    suite.equal(sql("SELECT count(*) FROM member_name WHERE org_id = decode('%s', 'hex')" % place.other.home), "0", "names of who has left")


def test_accepted_by_signing_in(suite, place):
    """Somebody with an account accepts with their own credentials, and nobody else does."""
    federation = place.ask("GET", "/orgs/%s/federationSettings" % place.inviter.home, place.inviter).json()["id"]
    reeved("federation", "add-domain", place.inviter.home, "federated.example", "--config", place.node.conf)
    place.world.make_person("ada@federated.example", place.inviter.home)
    place.world.make_person("bob@federated.example", place.inviter.home)
    settings = "/federationSettings/" + federation
    provider = place.ask("POST", settings + "/identityProviders", place.inviter, {
        "displayName": "Login", "issuerUri": place.provider.issuer, "audience": AUDIENCE, "associatedDomains": ["federated.example"]}).json()["id"]
    place.ask("PATCH", "%s/connectedOrgConfigs/%s" % (settings, place.inviter.home), place.inviter, {"identityProviderId": provider})
    wait_until(lambda: place.ask("GET", "%s/identityProviders/%s" % (settings, provider), place.inviter).json()["keyIds"], 60)
    invitation = place.invite(place.other, "Ada@federated.example").json()["id"]

    def accept(auth, **body):
        return place.connection.ask("POST", "/api/invitations/accept", auth, body)
    ada, bob = (Bearer(place.provider.token(name + "@federated.example")) for name in ("ada", "bob"))
    for what, auth, body, expected in (
            ("the inviter", place.other.bearer(), {"invitationId": invitation}, (404, "INVITATION_NOT_VALID")),
            ("another person", bob, {"invitationId": invitation}, (404, "INVITATION_NOT_VALID")),
            ("no credentials", None, {"invitationId": invitation}, (400, None)),
            ("a token of nobody", Bearer("x"), {"invitationId": invitation}, (401, None)),
            ("an invitation that there is not", ada, {"invitationId": "0" * 24}, (404, "INVITATION_NOT_VALID")),
            ("no invitation", ada, {}, (400, "MISSING_ATTRIBUTE"))):
        answer = accept(auth, **body)
        suite.check(answer.status == expected[0] and expected[1] in (None, answer.code()), "S8: %s accepts: %r", what, answer)
    answer = accept(ada, invitationId=invitation, firstName="Countess", lastName="Lovelace")
    suite.equal(answer.status, 200, "S8: accepted by signing in: %r" % answer)
    member = place.member(place.other, "ada@federated.example")
    suite.equal((member["orgMembershipStatus"], member["firstName"]), ("ACTIVE", "Countess"), "S8: a member by signing in")
    suite.equal(accept(ada, invitationId=invitation).status, 404, "once")


def test_every_mail_arrives(suite, place):
    """A worker that is killed, or a mail server that is away, delays a mail; the token in each is the same."""
    place.worker.stop()
    for number, failpoint in enumerate(FAILPOINTS):
        address = "killed%d@example.org" % number
        place.worker.start(failpoint)
        place.invite(place.inviter, address)
        suite.check(place.worker.process.wait(60) != 0, "the worker dies at %s", failpoint)
        # Nobody else takes the mail for a minute; a test need not wait for that.
        sql("UPDATE invitation SET mail_due_at = now() WHERE username = '%s'" % address)
        place.worker.start()
        place.mailbox.invitation(address)
        wait_until(lambda a=address: sql("SELECT mailed_at IS NOT NULL AND mail_due_at IS NULL FROM invitation WHERE username = '%s'" % a) == "t", 30)
        suite.equal(len(set(place.mailbox.texts(address))), 1, "what %s reads" % address)
        suite.equal(place.accept(address, "K", "K").status, 200, "accepted after %s" % failpoint)
        place.worker.stop()
    place.mailbox.refuses = True
    place.worker.start()
    place.invite(place.inviter, "later@example.org")

    def problem():
        listed = json.loads(reeved("invitation", "list", "--json", "--config", place.node.conf))
        return [one["mailError"] for one in listed if one["username"] == "later@example.org"][0] or ""
    wait_until(problem, 30)
    place.mailbox.refuses = False
    suite.equal(place.accept("later@example.org", "L", "L").status, 200, "after the mail server is back")


def test_recovery_is_told(suite, place):
    """Whose passkeys and password were replaced gets a mail."""
    name = "lost@example.org"
    place.world.make_person(name, place.inviter.home, "ORG_MEMBER")
    first = Browser(place.node)
    suite.equal(first.enrol(reeved("enrol", name, "--config", place.node.conf).strip(), Passkey(place.node.base_url)).status, 200, "a first passkey")
    token = reeved("enrol", name, "--recover", "--config", place.node.conf).strip()
    suite.equal(len(place.mailbox.texts(name)), 0, "mails before the token was used")
    suite.equal(Browser(place.node).enrol_password(token, "a long enough secret").status, 200, "a password after a loss")
    wait_until(lambda: place.mailbox.texts(name), 30)
    text = place.mailbox.texts(name)[0]
    suite.check("were replaced" in text and "127.0.0.1" in text and token not in text, "the mail: %r", text)
    wait_until(lambda: sql("SELECT count(*) FROM person_mail") == "0", 10)
    suite.equal(len(place.mailbox.texts(name)), 1, "mails about it")


def test_without_a_mail_server(suite, place):
    """The operator sees who waits, and hands the token over; it is the one that would have been mailed."""
    place.worker.stop()
    invitation = place.invite(place.inviter, "by-hand@example.org").json()["id"]
    table = reeved("invitation", "list", "--config", place.node.conf)
    suite.check("by-hand@example.org" in table and invitation in table, "the operator's list: %s", table)
    token = invitation_token(place.node.conf, invitation)
    place.worker.start()
    suite.equal(place.mailbox.invitation("by-hand@example.org")["token"], token, "the operator's token, and the mailed one")
    suite.equal(place.accept("by-hand@example.org", "B", "H").status, 200, "accepted with it")
    for words in (("token", invitation), ("token", "0" * 24), ("token", "x"), ("send",)):
        suite.check(reeved("invitation", *words, "--config", place.node.conf, ok=False).returncode in (1, 2), "refused: %r", words)


def test_security_contact_is_told(suite, place):
    """Who gets into an organization was changed: its security contact has it in their mailbox, at most once in ten minutes, and so has whoever was the contact before."""
    owner, first, second = place.other, "security@example.org", "new-security@example.org"

    def settings(address):
        suite.equal(place.ask("PATCH", "/orgs/%s/settings" % owner.home, owner, {"securityContact": address}).status, 200, "a contact")

    def account(name, role):
        answer = place.ask("POST", "/orgs/%s/serviceAccounts" % owner.home, owner, {"name": name, "description": "x", "roles": [role], "secretExpiresAfterHours": 24})
        suite.equal(answer.status, 201, "an account: %r" % answer)

    def ten_minutes_later():
        sql("UPDATE security_notice SET due_at = now(), told_at = told_at - interval '10 minutes'")
    odd = place.ask("PATCH", "/orgs/%s/settings" % owner.home, owner, {"securityContact": "a(b)@example.org"})
    suite.equal((odd.status, odd.json()["errorCode"]), (400, "INVALID_ATTRIBUTE_VALUE"), "an address that mail cannot be sent to")
    settings(first)
    wait_until(lambda: place.mailbox.texts(first), 30)
    suite.check("ORG_SETTINGS_CHANGED" in place.mailbox.texts(first)[0] and '"Other"' not in place.mailbox.texts(first)[0], "the first mail: %s", place.mailbox.texts(first))
    account("reads", "ORG_READ_ONLY")
    for number in range(60):
        account("owns %d" % number, "ORG_OWNER")
    suite.equal(sql("SELECT count(*) FROM security_notice WHERE recipient = '%s'" % first), "1", "rows for sixty accounts")
    suite.equal(len(place.mailbox.texts(first)), 1, "mails in the first ten minutes")
    place.mailbox.refuses = True
    ten_minutes_later()
    wait_until(lambda: sql("SELECT tries > 0 FROM security_notice WHERE recipient = '%s'" % first) == "t", 30)
    place.mailbox.refuses = False
    ten_minutes_later()
    wait_until(lambda: len(place.mailbox.texts(first)) == 2, 30)
    text = place.mailbox.texts(first)[1]
    suite.equal(text.count("SERVICE_ACCOUNT_CREATED, by "), 50, "lines of sixty accounts that may do everything, and of one that may not: %s" % text)
    suite.check("and 10 more" in text and owner.home in text, "the rest is counted: %s", text)
    settings(second)
    wait_until(lambda: place.mailbox.texts(second), 30)
    ten_minutes_later()
    wait_until(lambda: len(place.mailbox.texts(first)) == 3, 30)
    suite.check("ORG_SETTINGS_CHANGED" in place.mailbox.texts(first)[2], "who was the contact before: %s", place.mailbox.texts(first))
    settings(None)
    account("owns, and nobody is told", "ORG_OWNER")
    ten_minutes_later()
    wait_until(lambda: len(place.mailbox.texts(second)) == 2, 30)
    suite.check("SERVICE_ACCOUNT" not in place.mailbox.texts(second)[1], "only that they are not the contact any more: %s", place.mailbox.texts(second))


def main():
    ends_on_signal()
    suite = Suite("invitations")
    mailbox = Mailbox()
    provider = IdentityProvider(tempfile.mkdtemp(prefix="invitations.", dir=os.environ.get("REEVE_TEST_DIR")))
    settings = {"egress_allow": "127.0.0.1/32", "egress_ca": provider.certificate, "smtp": mailbox.url, "smtp_from": "reeve@example.net"}
    with start_node(workers=1, settings=settings) as node:
        provider.start(provider.make_keys("one:RSA"))
        world = World(node, with_roles=False)
        place = Place(suite, world, node, mailbox, provider)
        place.worker.start()
        try:
            for test in (test_only_the_mailbox_sees_the_token, test_names_are_of_one_organization, test_accepted_by_signing_in,
                         test_recovery_is_told, test_security_contact_is_told, test_every_mail_arrives, test_without_a_mail_server):
                test(suite, place)
        finally:
            if place.worker.process.poll() is None:
                place.worker.process.kill()
            provider.stop()
            mailbox.close()
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
