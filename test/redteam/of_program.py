# SPDX-License-Identifier: Apache-2.0
"""Programs that show a token instead of a secret: jobs of others at the same provider, a provider that lies, people's tokens, and tenants who trust what is not theirs.
Against the node of of_provider.py, which has two real providers."""
import threading
import time
import urllib.parse

from client import Bearer
from federation_test import encode
from of_provider import pages_of
from programs_test import ASSERTION, JOBS, SUBJECT, Programs
from rows import Attack
from world import PREFIX

NAMED, SIGNED = "a program's token names what its account trusts", "a program's token is signed, and for us"
lock = threading.Lock()


def programs_of(ground):
    """Made when the first attack asks: an account of the owner trusts a job at the first provider; the other organization has a provider of its own that lies."""
    place = pages_of(ground)
    with lock:
        if not hasattr(ground, "programs"):
            programs = ground.programs = Programs(place, place.provider)
            federation = place.must(200, "GET", "/orgs/%s/federationSettings" % place.elsewhere.home, caller=place.elsewhere)["id"]
            programs.liars = place.must(200, "POST", "/federationSettings/%s/identityProviders" % federation, {
                "idpType": "WORKLOAD", "displayName": "Liar", "issuerUri": place.liar.issuer, "audience": JOBS}, place.elsewhere)["id"]
            if not programs.is_let_in(programs.sign()):
                raise AssertionError("the job itself is refused")
        return ground.programs


def shown(ground, make, **more):
    programs = programs_of(ground)
    status, document = programs.exchange(make(programs), **more)
    return "a token of the account" if "access_token" in document else None if status in (400, 401, 413) else "%d %r" % (status, document)


def as_a_person(ground):
    programs = programs_of(ground)
    answer = programs.place.connection.ask("GET", PREFIX + "/orgs/" + programs.place.owner.home, Bearer(programs.sign(email="ada@federated.example")))
    return None if answer.status == 401 else repr(answer)


def trusts(ground, own):
    """The other organization names a provider of this one: its jobs would come as theirs, and theirs be seen."""
    programs = programs_of(ground)
    place = programs.place
    wanted = [programs.trust(SUBJECT)] if own else [programs.trust(SUBJECT, programs.liars)]
    caller = place.elsewhere if own else place.owner
    answer = place.ask("POST", "/orgs/%s/serviceAccounts" % caller.home, {"name": "x", "description": "x", "roles": ["ORG_READ_ONLY"], "secretExpiresAfterHours": 8,
                                                                          "trustedIdentities": wanted}, caller)
    return None if answer.status == 400 else repr(answer)


def changes_account(ground):
    """Whoever may not change an account does not say whom it trusts."""
    programs = programs_of(ground)
    answer = programs.place.ask("PATCH", programs.account_path, {"trustedIdentities": [programs.trust("x", programs.liars)]}, programs.place.elsewhere)
    return None if answer.status in (401, 403, 404) else repr(answer)


def large(ground):
    place = pages_of(ground)
    form = urllib.parse.urlencode({"grant_type": "client_credentials", "client_id": "reeve_sa_" + "0" * 24, "client_assertion_type": ASSERTION, "client_assertion": "a" * 100000}).encode()
    answer = place.connection.send_once("POST", "/api/oauth/token", [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")], form)
    return None if answer.status in (400, 413) and b"invalid_client" not in answer.body else repr(answer)


def attacks(ground):
    for what, subject in (("another repository", "repo:evil/shop:ref:refs/heads/main"), ("a longer name", SUBJECT + "2"), ("a shorter one", SUBJECT[:-1]), ("another case", SUBJECT.upper()),
                          ("two names", [SUBJECT, "x"]), ("no name", None), ("an object", {"": SUBJECT})):
        yield Attack("a job of %s at the same provider" % what, "network", NAMED, lambda s=subject: shown(ground, lambda p: p.sign(sub=s)), alone=True)
    for what, make in (("another provider says that it is the first", lambda p: p.place.liar.sign({"iss": p.provider.issuer, "aud": JOBS, "sub": SUBJECT})),
                       ("another provider says it of the same job", lambda p: p.place.liar.sign({"aud": JOBS, "sub": SUBJECT})),
                       ("without a signature", lambda p: "%s.%s." % (encode({"alg": "none"}), p.sign().split(".")[1])),
                       ("with HS256", lambda p: "%s.%s.%s" % (encode({"alg": "HS256", "kid": "one"}), *p.sign().split(".")[1:])),
                       ("with a spoilt signature", lambda p: p.sign()[:-20] + "A" * 20),
                       ("for another audience", lambda p: p.sign(aud="urn:reeve")), ("that is over", lambda p: p.sign(exp=int(time.time()) - 120)),
                       ("of a person", lambda p: p.provider.token("ada@federated.example"))):
        yield Attack("a program's token: " + what, "network", SIGNED, lambda m=make: shown(ground, m), alone=True)
    for what, client in (("another organization's account", lambda p: p.place.elsewhere.client_id), ("an account that trusts nobody", lambda p: p.place.owner.client_id)):
        yield Attack("the right token for " + what, "tenant", NAMED, lambda c=client: shown(ground, lambda p: p.sign(), client_id=c(programs_of(ground))), alone=True)
    yield Attack("a program's token in place of a person's", "network", NAMED, lambda: as_a_person(ground), alone=True)
    for what, own in (("another organization's provider", True), ("a provider that others made", False)):
        yield Attack("an account trusts " + what, "tenant", NAMED, lambda o=own: trusts(ground, o), alone=True)
    yield Attack("another organization says whom an account trusts", "tenant", NAMED, lambda: changes_account(ground), alone=True)
    yield Attack("100 KB instead of a token", "network", SIGNED, lambda: large(ground), alone=True)
