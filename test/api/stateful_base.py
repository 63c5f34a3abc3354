# SPDX-License-Identifier: Apache-2.0
"""What every client of the stateful test has: how it asks, repeats and compares, and what must hold for every answer."""
import json
import random
import re
import time

from client import Bearer, Broken, Connection, Digest
from world import PREFIX

PROJECT_ROLES = ("GROUP_CLUSTER_MANAGER", "GROUP_CLUSTER_CREATOR", "GROUP_CLUSTER_LOG_VIEWER", "GROUP_DATA_ACCESS_ADMIN",
                 "GROUP_DATA_ACCESS_READ_WRITE", "GROUP_DATA_ACCESS_READ_ONLY", "GROUP_SEARCH_INDEX_EDITOR", "GROUP_INDEX_MANAGER",
                 "GROUP_BACKUP_MANAGER", "GROUP_BACKUP_CREATOR", "GROUP_ACCESS_MANAGER", "GROUP_DATABASE_ACCESS_ADMIN",
                 "GROUP_NETWORK_ACCESS_MANAGER", "GROUP_ALERTS_MANAGER", "GROUP_OBSERVABILITY_VIEWER", "GROUP_READ_ONLY")
ORG_ROLES = ("ORG_MEMBER", "ORG_READ_ONLY", "ORG_BILLING_ADMIN", "ORG_GROUP_CREATOR", "ORG_BILLING_READ_ONLY")


class Wrong(Exception):
    """An answer that contradicts the model; the message says how."""


class Seen:
    """An answer, when it was asked for and when it came."""

    __slots__ = ("answer", "start", "end", "dry", "document")

    def __init__(self, answer, start, end, dry, enveloped):
        self.answer, self.start, self.end, self.dry = answer, start, end, dry
        document = answer.json()
        if enveloped and isinstance(document, dict) and set(document) == {"status", "content"}:
            document = document["content"]
        self.document = document

    @property
    def status(self):
        return self.answer.status

    @property
    def code(self):
        return self.answer.code()

    @property
    def number(self):
        etag = self.answer.headers.get("etag")
        return int(etag.strip('"')) if etag else None

    def __repr__(self):
        return repr(self.answer)


def without_links(part):
    """A document as both nodes would give it: links carry the address of the node."""
    if isinstance(part, list):
        return [without_links(one) for one in part]
    if isinstance(part, dict):
        return {key: without_links(value) for key, value in part.items() if key != "links"}
    return part


def shape_of(part):
    """What a schema can see of a document, without its values: names, types, and whether lists are empty."""
    if isinstance(part, dict):
        return tuple((key, shape_of(value)) for key, value in part.items())
    if isinstance(part, list):
        return ("list",) + tuple(sorted({repr(shape_of(one)) for one in part[:20]}))
    return type(part).__name__


class SampledContract:
    """Holds answers against the OpenAPI document: the first of every shape, and one in `every` of the others."""

    def __init__(self, validator, every):
        self.validator, self.every = validator, every
        self.shapes, self.checked, self.seen = {}, 0, 0

    def problems(self, answer):
        self.seen += 1
        path, _, query = answer.target.partition("?")
        operation, _ = self.validator.find(answer.method, path)
        headers = answer.headers
        key = (operation["operationId"] if operation else path, answer.status, headers.get("content-type"), "etag" in headers,
               re.sub(r"=\d+", "", query), shape_of(answer.json()))
        count = self.shapes.get(key, 0)
        self.shapes[key] = count + 1
        if count >= 2 and count % self.every:
            return []
        self.checked += 1
        return self.validator.check(answer.method, answer.target, answer.status, headers, answer.body)


class TwinConnection(Connection):
    """A connection whose request and answer can be taken apart, to have two requests under way at once."""

    def begin(self, method, target, pairs, body):
        if self._socket is None:
            self._open()
        lines = ["%s %s HTTP/1.1" % (method, target), "Host: localhost:%d" % self.address[1],
                 "Content-Length: %d" % len(body)] + ["%s: %s" % pair for pair in pairs]
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + body)

    def finish(self, method, target):
        return self._read_answer(method, target)


class Base:
    def __init__(self, number, seed, nodes, orgs, shared, complete, validator, every, accept):
        self.number, self.random = number, random.Random("%s/%d" % (seed, number))
        self.nodes, self.orgs, self.shared, self.complete = nodes, orgs, shared, complete
        self.contract = SampledContract(validator, every)
        self.accept = accept
        self.connections = [TwinConnection(address, tls) for address, tls in nodes]
        self.digests = [Digest(org.public_key, org.private_key) for org in orgs]
        self.steps, self.adds, self.removes, self.set_reads = [], [], [], []
        self.names = []        # ("held" or "freed", org, name, id, start, end)
        self.counts, self.events, self.failures = {}, {}, []
        self.serial = 0

    # ---- Asking ----
    def count(self, what, amount=1):
        self.counts[what] = self.counts.get(what, 0) + amount

    def count_conflict(self, answer):
        """At the same moment: by operation, because some of them should not be."""
        operation, _ = self.contract.validator.find(answer.method, answer.target.partition("?")[0])
        self.count("%s of %s" % (answer.code(), operation["operationId"] if operation else answer.target))

    def happened(self, *events):
        for event in events:
            self.events[event] = self.events.get(event, 0) + 1

    def unique(self, what):
        self.serial += 1
        return "%s-%d-%d" % (what, self.number, self.serial)

    def auth(self, org):
        return self.digests[org] if self.random.random() < 0.1 else Bearer(self.orgs[org].token)

    def look(self, answer):
        """What must hold for every answer."""
        self.count("answers")
        if answer.status >= 500:
            raise Wrong("an answer of %d: %r" % (answer.status, answer))
        problems = self.contract.problems(answer)
        if problems:
            raise Wrong("not as documented: %r: %s" % (answer, problems[:3]))

    def ask(self, method, target, auth, body=None, headers=None, query=(), dry=False, node=None):
        """Asks one of the nodes, now and then in another form. An answer that only says "at the same moment" is asked for again."""
        query = list(query)
        draw = self.random.random()
        enveloped = draw < 0.08
        if enveloped:
            query.append("envelope=true")
        elif draw < 0.10:
            query.append("pretty=true")
        if dry:
            query.append("dryRun=true")
        whole = PREFIX + target + ("?" + "&".join(query) if query else "")
        node = self.random.randrange(len(self.connections)) if node is None else node
        for _ in range(20):
            start = time.monotonic()
            try:
                answer = self.connections[node].ask(method, whole, auth, body, headers or {}, accept=self.accept)
            except (OSError, Broken) as why:
                raise Wrong("%s %s got no answer: %r" % (method, whole, why)) from why
            end = time.monotonic()
            self.look(answer)
            if answer.status == 409 and answer.code() in ("CONCURRENT_CHANGE", "IDEMPOTENCY_KEY_IN_FLIGHT"):
                self.count_conflict(answer)
                time.sleep(0.01 * self.random.random())
                continue
            if dry and answer.status < 300 and answer.headers.get("dry-run") != "true":
                raise Wrong("a dry run does not say so: %r" % answer)
            return Seen(answer, start, end, dry, enveloped)
        raise Wrong("refused twenty times: %r" % answer)

    def expect(self, seen, *statuses):
        if seen.status not in statuses:
            raise Wrong("%r, and %s was expected" % (seen, " or ".join(map(str, statuses))))
        return seen

    def post(self, target, auth, body, status, dry=None):
        """A POST; often with a key, then at times repeated, also at the same moment on both nodes."""
        dry = self.random.random() < 0.04 if dry is None else dry
        if dry or self.random.random() < 0.5:
            return self.expect(self.ask("POST", target, auth, body, dry=dry), *([204, 200] if status == 204 else [200 if dry and status == 201 else status]))
        headers = {"Idempotency-Key": self.unique("key")}
        draw = self.random.random()
        if draw < 0.08 and isinstance(auth, Bearer):
            return self.post_twice_at_once(target, auth, body, status, headers)
        query = ["envelope=true"] if draw > 0.9 else []
        whole = PREFIX + target + ("?" + query[0] if query else "")
        first = self.once(whole, auth, body, headers, bool(query))
        self.expect(first, *([204, 200] if status == 204 else [status]))
        if draw < 0.25:
            again = self.once(whole, auth, body, headers, bool(query))
            self.check_replay(first, again)
        elif draw < 0.28:
            other = dict(body, name="other") if isinstance(body, dict) and "name" in body else None
            if other:
                refused = self.once(whole, auth, other, headers, bool(query))
                if refused.status != 422:
                    raise Wrong("a key was used for another request: %r" % refused)
                self.count("keys refused for another request")
        return first

    def once(self, whole, auth, body, headers, enveloped):
        """Exactly this request, repeated while it is said to be in flight."""
        for _ in range(50):
            start = time.monotonic()
            answer = self.random.choice(self.connections).ask("POST", whole, auth, body, headers, accept=self.accept)
            end = time.monotonic()
            self.look(answer)
            if answer.status == 409 and answer.code() in ("CONCURRENT_CHANGE", "IDEMPOTENCY_KEY_IN_FLIGHT"):
                self.count_conflict(answer)
                time.sleep(0.01)
                continue
            return Seen(answer, start, end, False, enveloped)
        raise Wrong("in flight for ever: %r" % answer)

    def check_replay(self, first, again):
        self.count("posts repeated")
        if again.answer.headers.get("idempotency-replayed") != "true":
            raise Wrong("not marked as repeated: %r" % again)
        if (again.status, again.number) != (first.status, first.number) or without_links(again.document) != without_links(first.document):
            raise Wrong("another answer when repeated: %r, then %r" % (first, again))

    def post_twice_at_once(self, target, auth, body, status, headers):
        """The same request on both nodes at once: it has one effect, and both answers say the same, sooner or later."""
        whole, raw = PREFIX + target, json.dumps(body).encode()
        pairs = list(headers.items()) + [("Accept", self.accept), ("Content-Type", "application/json"),
                                         ("Authorization", auth.header("POST", whole))]
        start = time.monotonic()
        for connection in self.connections:
            connection.begin("POST", whole, pairs, raw)
        answers = [connection.finish("POST", whole) for connection in self.connections]
        end = time.monotonic()
        for answer in answers:
            self.look(answer)
        self.count("posts sent to both nodes at once")
        good = [Seen(answer, start, end, False, False) for answer in answers if answer.status == status]
        for answer in answers:
            if answer.status != status and answer.code() not in ("CONCURRENT_CHANGE", "IDEMPOTENCY_KEY_IN_FLIGHT"):
                raise Wrong("twice at once: %r" % answers)
        again = self.once(whole, auth, body, headers, False)
        again.start = start
        if good:
            self.check_replay(good[0], again)
        for one in good:
            if without_links(one.document) != without_links(good[0].document):
                raise Wrong("twice at once had two effects: %r" % answers)
        return self.expect(good[0] if good else again, status)

    def change(self, method, target, auth, body, status, number=None):
        """A PATCH or DELETE of what is the client's own; at times with If-Match, at times only tried."""
        headers, dry = {}, self.random.random() < 0.05
        if number is not None:
            draw = self.random.random()
            if draw < 0.4:
                headers = {"If-Match": '"%d"' % number}
            elif draw < 0.45:
                stale = self.ask(method, target, auth, body, {"If-Match": '"%d"' % (number - 1 if number > 1 else 999999999)})
                self.expect(stale, 412)
                self.count("stale If-Match refused")
        # An envelope makes 204 into 200.
        return self.expect(self.ask(method, target, auth, body, headers, dry=dry), status, 200)

    def pick(self, owned):
        return self.random.choice(list(owned)) if owned else None

    def org_of_new(self):
        return self.random.randrange(len(self.orgs))

    def check_list(self, seen, field, wanted, what):
        got = [one[field] for one in seen.document["results"]]
        if set(got) != wanted or len(got) != len(wanted) or seen.document["totalCount"] != len(wanted):
            raise Wrong("%s: %s, and %s were acknowledged: %r" % (what, got, sorted(wanted), seen))

    def same(self, seen, wanted, what):
        for field, value in wanted.items():
            got = seen.document.get(field)
            if isinstance(value, (set, frozenset)):
                got = set(got)
            if got != value:
                raise Wrong("%s: %s is %r, and %r was acknowledged: %r" % (what, field, got, value, seen))

    def remember(self, model, seen):
        """The number only grows, and is the same while nothing changes (unknown: None)."""
        if model["number"] is not None and seen.number != model["number"]:
            raise Wrong("the ETag is %s, and %s was acknowledged: %r" % (seen.number, model["number"], seen))
        if seen.number == model.get("moved_from"):
            raise Wrong("the ETag is %s still, although something was taken away: %r" % (seen.number, seen))
        model["number"], model["moved_from"] = seen.number, None
