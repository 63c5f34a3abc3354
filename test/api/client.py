# SPDX-License-Identifier: Apache-2.0
"""A small, fast client for tests: HTTP/1.1 over TLS with keep-alive, bearer tokens and Digest (RFC 7616).

Deliberately not http.client: the matrices send tens of thousands of requests, some of them wrong on purpose, and every
answer is wanted as it came.
"""
import base64
import hashlib
import json
import os
import re
import secrets
import socket
import ssl
import threading
import time

MEDIA_TYPE = "application/vnd.svc.2025-03-12+json"


class Answer:
    """What came back. Header names are in lower case; one that came several times is a list in `all_headers`."""

    __slots__ = ("method", "target", "status", "reason", "headers", "all_headers", "body", "_json")

    def __init__(self, method, target, status, reason, pairs, body):
        self.method, self.target = method, target
        self.status, self.reason, self.body = status, reason, body
        self.headers, self.all_headers = {}, {}
        for name, value in pairs:
            self.headers[name] = value
            self.all_headers.setdefault(name, []).append(value)
        self._json = None

    def json(self):
        if self._json is None and self.body:
            self._json = json.loads(self.body)
        return self._json

    def code(self):
        """The errorCode of an error document, else None."""
        try:
            document = self.json()
        except ValueError:
            return None
        if isinstance(document, dict) and "content" in document:
            document = document["content"]
        return document.get("errorCode") if isinstance(document, dict) else None

    def __repr__(self):
        return "<%s %s: %d %r>" % (self.method, self.target, self.status, self.body[:300])


class Broken(Exception):
    """The connection ended before the whole answer was there."""


# ---- Credentials: what goes into Authorization ----
class Bearer:
    def __init__(self, token):
        self.token = token

    def header(self, method, target):
        return "Bearer " + self.token

    def refresh(self, answer):
        return False


class Literal:
    """An Authorization header as it is, for what is wrong on purpose."""

    def __init__(self, text):
        self.text = text

    def header(self, method, target):
        return self.text

    def refresh(self, answer):
        return False


class Digest:
    """Answers the challenge once, then counts nonce uses; a nonce is never shared between processes."""

    def __init__(self, user, password, algorithm="SHA-256", realm="reeve"):
        self.user, self.algorithm = user, algorithm
        self._hash = {"SHA-256": hashlib.sha256, "MD5": hashlib.md5}[algorithm]
        self.realm = realm
        self._a1 = self._hex("%s:%s:%s" % (user, realm, password))
        self._lock = threading.Lock()
        self._nonce, self._count, self._owner = None, 0, None

    def _hex(self, text):
        return self._hash(text.encode()).hexdigest()

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["_lock"], state["_hash"]
        state["_nonce"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._hash = {"SHA-256": hashlib.sha256, "MD5": hashlib.md5}[self.algorithm]
        self._lock = threading.Lock()

    def header(self, method, target):
        with self._lock:
            if self._owner != os.getpid():
                self._nonce, self._owner = None, os.getpid()
            if self._nonce is None:
                return None
            self._count += 1
            nonce, count = self._nonce, "%08x" % self._count
        cnonce = secrets.token_hex(8)
        a2 = self._hex("%s:%s" % (method, target))
        response = self._hex(":".join((self._a1, nonce, count, cnonce, "auth", a2)))
        return ('Digest username="%s", realm="%s", nonce="%s", uri="%s", algorithm=%s, qop=auth, nc=%s, cnonce="%s", '
                'response="%s"' % (self.user, self.realm, nonce, target, self.algorithm, count, cnonce, response))

    def refresh(self, answer):
        """Takes the nonce of a 401; true when the request should be sent again with it."""
        for challenge in answer.all_headers.get("www-authenticate", []):
            if not challenge.startswith("Digest ") or "algorithm=%s," % self.algorithm not in challenge + ",":
                continue
            nonce = re.search(r'nonce="([^"]+)"', challenge).group(1)
            with self._lock:
                first = self._nonce is None
                self._nonce, self._count, self._owner = nonce, 0, os.getpid()
            return first or "stale=true" in challenge
        return False


# ---- The connection ----
def trust(ca_file):
    """A TLS context that trusts the development CA and nothing else."""
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class Connection:
    """One connection to one node, opened when needed and again when the node closed it. Not for several threads."""

    def __init__(self, address, tls, source=None, timeout=30, server_name="localhost"):
        self.address, self.tls, self.source, self.timeout, self.server_name = address, tls, source, timeout, server_name
        self._socket, self._rest = None, b""
        self._session = None

    def _open(self):
        raw = socket.create_connection(self.address, timeout=self.timeout,
                                       source_address=(self.source, 0) if self.source else None)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._socket = self.tls.wrap_socket(raw, server_hostname=self.server_name, session=self._session)
        except BaseException:
            raw.close()
            raise
        self._rest = b""

    def close(self):
        if self._socket is not None:
            try:
                self._session = self._socket.session
                self._socket.close()
            except OSError:
                pass
            self._socket = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self):
        piece = self._socket.recv(65536)
        if not piece:
            raise Broken("closed by the node")
        self._rest += piece

    def _read_answer(self, method, target):
        while True:
            end = self._rest.find(b"\r\n\r\n")
            while end < 0:
                self._receive()
                end = self._rest.find(b"\r\n\r\n")
            head, self._rest = self._rest[:end].decode("latin-1").split("\r\n"), self._rest[end + 4:]
            _, status, reason = (head[0] + "  ").split(" ", 2)
            status = int(status)
            if status >= 200:
                break
        pairs = []
        for line in head[1:]:
            name, _, value = line.partition(":")
            pairs.append((name.lower(), value.strip()))
        headers = dict(pairs)
        body = b""
        if method != "HEAD" and status not in (204, 304):
            if headers.get("transfer-encoding", "").lower() == "chunked":
                body = self._read_chunks()
            elif "content-length" in headers:
                body = self._read_bytes(int(headers["content-length"]))
            else:
                body = self._read_to_end()
        answer = Answer(method, target, status, reason.strip(), pairs, body)
        if headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def _read_bytes(self, count):
        while len(self._rest) < count:
            self._receive()
        body, self._rest = self._rest[:count], self._rest[count:]
        return body

    def _read_chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self._rest:
                self._receive()
            size, self._rest = self._rest.split(b"\r\n", 1)
            count = int(size.split(b";")[0], 16)
            piece = self._read_bytes(count + 2)[:-2]
            if count == 0:
                return body
            body += piece

    def _read_to_end(self):
        try:
            while True:
                self._receive()
        except Broken:
            body, self._rest = self._rest, b""
            return body

    def send_once(self, method, target, headers, body):
        """One exchange as given: nothing is added but Host and Content-Length."""
        lines = ["%s %s HTTP/1.1" % (method, target)]
        names = {name.lower() for name, _ in headers}
        if "host" not in names:
            lines.append("Host: %s:%d" % (self.server_name, self.address[1]))
        lines += ["%s: %s" % pair for pair in headers]
        if (body is not None or method in ("POST", "PUT", "PATCH")) and not names & {"content-length", "transfer-encoding"}:
            lines.append("Content-Length: %d" % len(body or b""))
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        fresh = self._socket is None
        if fresh:
            self._open()
        try:
            self._socket.sendall(head + (body or b""))
            return self._read_answer(method, target)
        except (OSError, Broken) as why:
            nothing_came = not self._rest
            self.close()
            # A connection that was idle may be closed at any time; then nothing was done with the request.
            if fresh or not nothing_came or isinstance(why, socket.timeout):
                raise
            self._open()
            try:
                self._socket.sendall(head + (body or b""))
                return self._read_answer(method, target)
            except (OSError, Broken):
                self.close()
                raise

    def ask(self, method, target, auth=None, body=None, headers=(), accept=MEDIA_TYPE):
        """Sends a request; a Digest challenge is answered once. `body`: bytes as they are, anything else as JSON."""
        pairs = list(headers.items()) if isinstance(headers, dict) else list(headers)
        names = {name.lower() for name, _ in pairs}
        if accept and "accept" not in names:
            pairs.append(("Accept", accept))
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None and "content-type" not in names:
            pairs.append(("Content-Type", "application/json"))
        value = auth.header(method, target) if auth else None
        answer = self.send_once(method, target, pairs + ([("Authorization", value)] if value else []), body)
        if answer.status == 401 and auth and auth.refresh(answer):
            value = auth.header(method, target)
            answer = self.send_once(method, target, pairs + [("Authorization", value)], body)
        return answer

    # ---- OAuth ----
    def _client_form(self, path, client_id, client_secret, form):
        basic = base64.b64encode(("%s:%s" % (client_id, client_secret)).encode()).decode()
        return self.send_once("POST", path, [("Authorization", "Basic " + basic), ("Accept", "application/json"),
                                             ("Content-Type", "application/x-www-form-urlencoded")], form.encode())

    def fetch_token(self, client_id, client_secret):
        answer = self._client_form("/api/oauth/token", client_id, client_secret, "grant_type=client_credentials")
        if answer.status != 200:
            raise AssertionError("no token for %s: %r" % (client_id, answer))
        return answer.json()["access_token"]

    def revoke_token(self, client_id, client_secret, token):
        answer = self._client_form("/api/oauth/revoke", client_id, client_secret, "token=" + token)
        if answer.status != 200:
            raise AssertionError("not revoked: %r" % answer)


PATIENCE = float(os.environ.get("REEVE_PATIENCE", "1"))  # of whoever runs the suites (run_all.py): so many times as long may everything take


def wait_until(question, seconds, pause=0.05):
    """Asks until the answer is true; returns how long it took, or fails."""
    seconds *= PATIENCE
    began = time.monotonic()
    while not question():
        if time.monotonic() - began > seconds:
            raise AssertionError("not within %s seconds" % seconds)
        time.sleep(pause)
    return time.monotonic() - began
