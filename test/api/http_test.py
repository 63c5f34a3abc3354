#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The edge of the service: what nginx and the module make of connections and messages, before any operation runs.

    script/with-services /usr/bin/python3 test/api/http_test.py [--build build] [NAME…]
"""
import base64
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import http_config_test
import http_messages as messages
from client import PATIENCE, wait_until
from node import ROOT, Node, free_port, make_certificate

BUILD = os.environ.get("REEVE_BUILD", "build")
FIELDS = {"detail", "error", "errorCode", "parameters", "reason"}
PUBLIC = b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
ROOT_REQUEST = b"GET /api/svc/v2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
UNGUARDED = {"guard_failures_per_minute": 1000000, "log_lines_per_minute": 0}
counted = 0  # messages that were sent and judged, beside the tests that unittest counts


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def document(self):
        return json.loads(self.body)


class Raw:
    """A socket and what was read from it but belongs to the next answer."""

    def __init__(self, sock):
        self.sock, self.rest = sock, b""

    def send(self, data):
        self.sock.sendall(data)

    def reply(self, head=False):
        """The next answer; None when the node closed the connection instead."""
        while b"\r\n\r\n" not in self.rest:
            if not self._more():
                return None
        top, _, self.rest = self.rest.partition(b"\r\n\r\n")
        lines = top.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers.setdefault(name.lower(), []).append(value.strip())
        status = int(lines[0].split()[1])
        if status == 100:
            return Reply(status, headers, b"")
        length = 0 if head or status in (204, 304) else int(headers["content-length"][0])
        while len(self.rest) < length:
            if not self._more():
                raise AssertionError("the body of the answer is cut short")
        body, self.rest = self.rest[:length], self.rest[length:]
        return Reply(status, headers, body)

    def is_closed(self):
        return not self.rest and not self._more()

    def _more(self):
        try:
            piece = self.sock.recv(65536)
        except (ConnectionError, ssl.SSLError):
            return False
        self.rest += piece
        return bool(piece)

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def check_reply(test, reply, status, code=None, what=""):
    """Every answer has these headers; every error is a document with exactly five fields."""
    test.assertIsNotNone(reply, what + ": closed without an answer")
    test.assertEqual(reply.status, status, f"{what}: {reply.body[:200]}")
    for name, pattern in (("x-request-id", "[0-9a-f]{32}"), ("cache-control", "no-store"), ("server", "reeve"),
                          ("strict-transport-security", "max-age=.*"), ("x-content-type-options", "nosniff")):
        test.assertEqual(len(reply.headers.get(name, [])), 1, f"{what}: {name} in {reply.headers}")
        test.assertRegex(reply.headers[name][0], "^" + pattern + "$", what)
    if status >= 400:
        test.assertEqual(reply.headers["content-type"], ["application/json"], what)
        if reply.body:
            document = reply.document()
            test.assertEqual(set(document), FIELDS, what)
            test.assertEqual(document["error"], status, what)
            if code:
                test.assertEqual(document["errorCode"], code, what)


@contextlib.contextmanager
def locked(table, seconds):
    """Holds a table so that every request that reads it waits."""
    sql = f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT 'locked'; SELECT pg_sleep({seconds}); COMMIT;"
    with subprocess.Popen(["psql", "-X", "-q", "-A", "-t", os.environ["REEVE_TEST_SUPER_DSN"]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True, bufsize=1) as psql:
        psql.stdin.write(sql.replace("; ", ";\n") + "\n")
        psql.stdin.close()
        for line in psql.stdout:
            if "locked" in line:
                break
        yield
        psql.stdout.read()


@contextlib.contextmanager
def held(table):
    """Holds a table until the block ends, so that every request that reads it waits."""
    with subprocess.Popen(["psql", "-X", "-q", "-A", "-t", os.environ["REEVE_TEST_SUPER_DSN"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as psql:
        psql.stdin.write(f"BEGIN;\nLOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;\nSELECT 'locked';\n")
        for line in psql.stdout:
            if "locked" in line:
                break
        try:
            yield
        finally:
            psql.stdin.write("COMMIT;\n")
            psql.stdin.close()


def somebody_waits():
    """Whether a request waits for a lock."""
    asked = subprocess.run(["psql", "-X", "-A", "-t", os.environ["REEVE_TEST_SUPER_DSN"], "-c", "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"],
                           capture_output=True, text=True, check=True)
    return asked.stdout.strip() != "0"


def refuses(node):
    try:
        node.connect().close()
        return False
    except OSError:
        return True


def token_request():
    """Asks for a token with credentials that are well formed and unknown: the node has to look into the database."""
    word = base64.b64encode(b"reeve_sa_0123456789abcdef01234567:reeve_secret_" + b"a" * 49)
    body = b"grant_type=client_credentials"
    return (b"POST /api/oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic " + word +
            b"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


class OneNode(unittest.TestCase):
    """Tests that share a node and leave it as it was."""
    settings = {"header_timeout_s": 20, "body_timeout_s": 1, "workers": 2}

    @classmethod
    def setUpClass(cls):
        cls.node = Node(build=BUILD, settings={**UNGUARDED, **cls.settings})
        cls.addClassCleanup(cls.node.close)
        cls.node.start()
        cls.context = cls.node.tls_context()

    def raw(self, timeout=10):
        return Raw(self.node.connect(context=self.context, timeout=timeout))

    def ask(self, data):
        with self.raw() as raw:
            raw.send(data)
            return raw.reply()


class Messages(OneNode):
    def judge(self, name, parts, status, code):
        with self.raw() as raw:
            try:
                for i, part in enumerate(parts):
                    if i > 0:
                        time.sleep(0.002)  # so that the node reads them one after the other
                    raw.send(part)
            except (ConnectionError, ssl.SSLError):
                pass  # it answered and closed before it had everything
            what = f"{name}, split at {len(parts[0])}" if len(parts) > 1 else name
            check_reply(self, raw.reply(), status, code, what)
            if status != 401 and raw.sock:
                raw.sock.settimeout(5)
                if code == messages.BAD and "header" not in what:
                    self.assertIsNone(raw.reply(), what + ": a second answer")

    def run_all(self, cases):
        global counted
        problems = []
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for future in [pool.submit(self.judge, *case) for case in cases]:
                try:
                    future.result()
                    counted += 1
                except (AssertionError, OSError) as problem:
                    problems.append(str(problem))
        self.assertEqual(problems[:10], [], f"{len(problems)} of {len(cases)}")

    def test_malformed_messages_are_refused_with_a_document(self):
        self.run_all([(name, [data], status, code) for name, data, status, code in messages.refused()])

    def test_malformed_messages_are_refused_however_they_are_split(self):
        cases = []
        for name, data, status, code in messages.refused():
            places = range(1, len(data)) if len(data) < 200 else range(1, len(data), max(1, len(data) // 20))
            cases += [(name, [data[:at], data[at:]], status, code) for at in places]
        self.assertGreater(len(cases), 2000)
        self.run_all(cases)

    def test_unusual_messages_are_accepted_however_they_are_split(self):
        cases = []
        for name, data in messages.accepted():
            status, code = (405, "METHOD_NOT_ALLOWED") if "method" in name else (401, "NOT_AUTHENTICATED")
            cases += [(name, [data[:at], data[at:]], status, code) for at in range(1, len(data), 1 if len(data) < 200 else 50)]
        self.run_all(cases)

    def test_a_second_request_hidden_in_the_first_is_not_answered(self):
        hidden = PUBLIC
        for lines, body in (
            ((b"Content-Length: 0", b"Transfer-Encoding: chunked"), b"0\r\n\r\n"),
            ((b"Transfer-Encoding: chunked", b"Content-Length: 4"), b"0\r\n\r\n"),
            ((b"Content-Length: 0", b"Content-Length: %d" % len(hidden)), b""),
            ((b"Content-Length : %d" % len(hidden),), b""),
            ((b"Transfer-Encoding: xchunked",), b"0\r\n\r\n"),
            ((b"Transfer-Encoding:\x0bchunked",), b"0\r\n\r\n"),
            ((b"X: y\r\n Content-Length: 0",), b""),
            ((b"X: y\0\r\nContent-Length: 0",), b""),
        ):
            with self.subTest(lines=lines), self.raw() as raw:
                raw.send(messages.post(*lines, body=body + hidden))
                check_reply(self, raw.reply(), 400, None, str(lines))
                self.assertTrue(raw.is_closed())

    def test_a_body_is_never_read_as_a_request(self):
        with self.raw() as raw:
            raw.send(messages.post(b"Content-Length: %d" % len(PUBLIC), body=PUBLIC) + ROOT_REQUEST)
            self.assertEqual([raw.reply().status, raw.reply().status], [401, 401])


class Bodies(OneNode):
    def test_a_body_of_exactly_one_mebibyte_is_taken(self):
        body = b" " * (1 << 20)
        check_reply(self, self.ask(messages.post(b"Content-Length: %d" % len(body), body=body)), 401)

    def test_a_chunked_body_of_exactly_one_mebibyte_is_taken(self):
        body = b"".join(b"400\r\n" + b" " * 1024 + b"\r\n" for _ in range(1024)) + b"0\r\n\r\n"
        check_reply(self, self.ask(messages.post(b"Transfer-Encoding: chunked", body=body)), 401)

    def test_many_tiny_chunks_are_taken_and_no_file_is_written(self):
        body = b"1\r\n \r\n" * 200000 + b"0\r\n\r\n"
        check_reply(self, self.ask(messages.post(b"Transfer-Encoding: chunked", body=body)), 401)
        temp = os.path.join(self.node.settings["run_dir"], "temp", "client_body")
        self.assertEqual(sum(len(files) for _, _, files in os.walk(temp)), 0)

    def test_a_byte_more_than_one_mebibyte_is_refused(self):
        body = b" " * ((1 << 20) + 1)
        form = body[:(8 << 10) + 1]  # of those whom nobody knows yet
        for data, most in ((messages.post(b"Content-Length: %d" % len(body), body=body), 1 << 20),
                           (messages.post(b"Content-Length: %d" % len(form), body=form, target=messages.TOKEN_TARGET), 8 << 10),
                           (messages.post(b"Transfer-Encoding: chunked", body=b"%x\r\n" % len(form) + form + b"\r\n0\r\n\r\n",
                                          target=messages.TOKEN_TARGET), 8 << 10)):
            with self.raw() as raw:
                with contextlib.suppress(OSError):
                    raw.send(data)
                reply = raw.reply()
                check_reply(self, reply, 413, "BODY_TOO_LARGE")
                self.assertEqual(reply.document()["parameters"], [most])

    def test_a_body_that_does_not_come_is_answered_408_and_closed(self):
        for data in (messages.post(b"Content-Length: 10", body=b"{", target=messages.TOKEN_TARGET),
                     messages.post(b"Transfer-Encoding: chunked", body=b"5\r\nhe", target=messages.TOKEN_TARGET)):
            with self.raw() as raw:
                raw.send(data)
                began = time.monotonic()
                check_reply(self, raw.reply(), 408, "REQUEST_TIMEOUT")
                self.assertLess(time.monotonic() - began, 3 * PATIENCE)
                self.assertTrue(raw.is_closed())

    def test_a_body_that_drips_is_answered_408(self):
        with self.raw() as raw:
            raw.send(messages.post(b"Content-Length: 1000", target=messages.TOKEN_TARGET))
            began = time.monotonic()
            raw.sock.settimeout(0.3)
            reply = None
            while reply is None and time.monotonic() - began < 10:
                with contextlib.suppress(OSError):
                    raw.send(b" ")
                try:
                    reply = raw.reply()
                except TimeoutError:
                    pass
            check_reply(self, reply, 408, "REQUEST_TIMEOUT")

    def test_expect_continue_is_answered(self):
        with self.raw() as raw:
            raw.send(messages.post(b"Content-Length: 2", b"Expect: 100-continue", target=messages.TOKEN_TARGET))
            self.assertEqual(raw.reply().status, 100)
            raw.send(b"{}")
            self.assertEqual(raw.reply().status, 400)

    def test_who_is_refused_is_not_asked_for_its_body(self):
        with self.raw() as raw:
            raw.send(messages.post(b"Content-Length: 2", b"Expect: 100-continue"))
            check_reply(self, raw.reply(), 401)
            self.assertTrue(raw.is_closed())  # what comes next could be the body or another request

    def test_the_body_of_a_refused_request_is_passed_over(self):
        form = b"5\r\nhello\r\n0\r\n\r\n"
        with self.raw() as raw:
            for data in (messages.post(b"Content-Length: 300000", body=b"x" * 300000), messages.post(b"Transfer-Encoding: chunked", body=form),
                         messages.post(b"Content-Length: 5", body=b"hello")) * 3:
                raw.send(data)
                check_reply(self, raw.reply(), 401)
            raw.send(messages.post(b"Content-Length: 60"))  # answered before its body comes, which holds what looks like a request
            check_reply(self, raw.reply(), 401)
            raw.send(b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".ljust(60) + ROOT_REQUEST)
            check_reply(self, raw.reply(), 401)
            self.assertEqual(raw.rest, b"")

    def test_a_malformed_body_of_a_refused_request_ends_the_connection(self):
        for name, body in messages.CHUNKS:
            with self.raw(3) as raw:
                raw.send(messages.post(b"Transfer-Encoding: chunked", body=body + ROOT_REQUEST))
                check_reply(self, raw.reply(), 401, None, name)
                self.assertIsNone(raw.reply(), name + ": a second answer")

    def test_a_large_body_is_refused_before_it_is_sent(self):
        with self.raw() as raw:
            raw.send(messages.post(b"Content-Length: 2000000", b"Expect: 100-continue"))
            check_reply(self, raw.reply(), 413, "BODY_TOO_LARGE")


class Connections(OneNode):
    def test_requests_in_one_packet_are_answered_in_order(self):
        with self.raw() as raw:
            raw.send((ROOT_REQUEST + PUBLIC.replace(b"openapi.json", b"nothing")) * 20)
            seen = [raw.reply() for _ in range(40)]
        self.assertEqual([reply.status for reply in seen], [401, 404] * 20)
        self.assertEqual(len({reply.headers["x-request-id"][0] for reply in seen}), 40)

    def test_head_has_the_headers_of_get_and_no_body(self):
        with self.raw() as raw:
            raw.send(PUBLIC.replace(b"GET", b"HEAD", 1) + PUBLIC)
            head, get = raw.reply(head=True), raw.reply()
        self.assertEqual((head.status, get.status), (200, 200))
        self.assertEqual(head.headers["content-length"], get.headers["content-length"])
        self.assertEqual(set(head.headers), set(get.headers))

    def test_http_1_0_is_closed_after_the_answer(self):
        with self.raw() as raw:
            raw.send(b"GET /api/svc/v2 HTTP/1.0\r\n\r\n")
            check_reply(self, raw.reply(), 401)
            self.assertTrue(raw.is_closed())

    def test_plain_http_on_the_tls_port_is_refused_with_a_document(self):
        with Raw(socket.create_connection(("127.0.0.1", self.node.port), 5)) as raw:
            raw.send(ROOT_REQUEST)
            reply = raw.reply()
        check_reply(self, reply, 400, "INVALID_REQUEST")
        self.assertEqual(reply.document()["parameters"], ["TLS is required"])

    def test_old_tls_is_refused(self):
        for version in ("-tls1", "-tls1_1"):
            done = subprocess.run(["openssl", "s_client", version, "-cipher", "ALL:@SECLEVEL=0", "-connect", f"127.0.0.1:{self.node.port}"],
                                  input=b"", capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0, version)

    def test_tls_sessions_are_resumed(self):
        context = ssl.create_default_context(cafile=self.node.ca)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        first = self.node.connect(context=context)
        session = first.session
        first.close()
        with context.wrap_socket(socket.create_connection(("127.0.0.1", self.node.port)), server_hostname="localhost",
                                 session=session) as second:
            self.assertTrue(second.session_reused)

    def test_clients_that_leave_harm_nobody(self):
        for _ in range(100):
            raw = self.raw()
            raw.send(token_request())
            raw.close()
        check_reply(self, self.ask(ROOT_REQUEST), 401)
        self.assertEqual(len(self.node.workers()), 2)

    def test_clients_that_leave_while_a_thread_works_harm_nobody(self):
        with locked("principal", 2):
            for _ in range(50):
                raw = self.raw()
                raw.send(token_request())
                raw.close()
            # HTTP/2 tells the node at once that a stream is cancelled.
            subprocess.run(["curl", "-s", "--http2", "--max-time", "0.3", "--cacert", self.node.ca, "-u",
                            "reeve_sa_0123456789abcdef01234567:reeve_secret_" + "a" * 49, "-d",
                            "grant_type=client_credentials", self.node.base_url + "/api/oauth/token"], check=False,
                           stdout=subprocess.DEVNULL)
        before = self.node.workers()
        check_reply(self, self.ask(ROOT_REQUEST), 401)
        self.assertEqual(self.node.workers(), before)
        self.assertNotIn("signal", self.node.error_text())


class HTTP2(OneNode):
    def curl(self, *arguments):
        done = subprocess.run(["curl", "-sS", "--http2", "--cacert", self.node.ca, "-o", "-", "-w",
                               "\n%{http_version} %{http_code} %{content_type}", *arguments], capture_output=True, check=True)
        body, _, last = done.stdout.rpartition(b"\n")
        return last.decode().split(), body

    def test_an_answer_and_a_refusal(self):
        facts, body = self.curl(self.node.base_url + "/api/svc/v2")
        self.assertEqual(facts, ["2", "401", "application/json"])
        self.assertEqual(set(json.loads(body)), FIELDS)

    def test_a_header_that_stands_twice_is_refused(self):
        facts, body = self.curl("-H", "Accept: a/b", "-H", "accept: c/d", self.node.base_url + "/api/svc/v2")
        self.assertEqual((facts[1], json.loads(body)["errorCode"]), ("400", "INVALID_HEADER"))

    def test_too_many_headers_are_refused(self):
        headers = [word for i in range(101) for word in ("-H", f"x-{i}: y")]
        facts, body = self.curl(*headers, self.node.base_url + "/api/svc/v2")
        self.assertEqual((facts[1], json.loads(body)["errorCode"]), ("431", "HEADERS_TOO_LARGE"))

    def test_a_large_body_is_refused_and_a_full_one_taken(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b" " * (1 << 20))
            file.flush()
            facts, _ = self.curl("--data-binary", "@" + file.name, self.node.base_url + "/api/svc/v2/groups")
            self.assertEqual(facts[1], "401")
            file.write(b" ")
            file.flush()
            facts, body = self.curl("--data-binary", "@" + file.name, self.node.base_url + "/api/svc/v2/groups")
        self.assertEqual((facts[1], json.loads(body)["errorCode"]), ("413", "BODY_TOO_LARGE"))

    def test_head(self):
        facts, body = self.curl("-I", self.node.base_url + "/api/openapi.json")
        self.assertEqual(facts[:2], ["2", "200"])
        self.assertIn(b"content-length:", body)

    def test_many_streams_at_once(self):
        done = subprocess.run(["h2load", "-n", "2000", "-c", "8", "-m", "32", self.node.base_url + "/api/svc/v2"],
                              capture_output=True, text=True, check=True)
        self.assertIn("2000 done", done.stdout)
        self.assertIn("2000 4xx", done.stdout)
        self.assertIn("0 errored", done.stdout)


class Logs(OneNode):
    def test_a_line_is_json_and_tells_no_secret(self):
        with self.raw() as raw:
            raw.send(messages.get(b"Authorization: Bearer canary-header", line=b"GET /api/svc/v2/groups/%22%0a?token=canary-query HTTP/1.1"))
            reply = raw.reply()
            raw.send(b"POST /api/svc/v2/\xc3\xa9?x=canary-query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n")
            raw.reply()
        with self.raw() as raw:
            raw.send(b"BROKEN\x01canary-query\r\n\r\n")
            raw.reply()
        written = lambda: [l for l in self.node.log_lines() if l["requestId"] == reply.headers["x-request-id"][0]]
        wait_until(written, 5)
        lines = self.node.log_lines()
        line = next(l for l in lines if l["requestId"] == reply.headers["x-request-id"][0])
        self.assertEqual((line["method"], line["path"], line["status"], line["client"], line["tls"]),
                         ("GET", "/api/svc/v2/groups/%22%0a", reply.status, "127.0.0.1", "TLSv1.3"))
        self.assertGreater(line["durationMs"], 0)
        self.assertIn(line["errorCode"], ("INVALID_CREDENTIALS", "INVALID_PATH_PARAMETER"))
        self.assertEqual([l["method"] for l in lines if l["status"] == 413], ["POST"])
        for name in (self.node.log, self.node.stderr):
            with open(name, encoding="utf-8") as f:
                self.assertNotIn("canary", f.read())


class Operator(OneNode):
    def test_live_and_ready(self):
        self.assertEqual(self.node.operator("/livez"), (200, '{"live":true}'))
        self.assertEqual(self.node.operator("/readyz"), (200, '{"ready":true}'))
        self.assertEqual(self.node.operator("/nothing")[0], 404)

    def test_a_node_that_is_about_to_leave_is_not_ready_and_works(self):
        sign = os.path.join(self.node.folder, "run", "leaving")
        with open(sign, "w", encoding="ascii"):
            pass
        try:
            self.assertEqual(self.node.operator("/readyz"), (503, '{"ready":false,"missing":"the node is stopping"}'))
            self.assertEqual(self.node.operator("/livez")[0], 200)
            check_reply(self, self.ask(ROOT_REQUEST), 401)
        finally:
            os.unlink(sign)
        self.assertEqual(self.node.operator("/readyz")[0], 200)

    def test_the_operators_listener_does_not_answer_the_api_nor_the_other_way(self):
        self.assertEqual(self.node.operator("/api/svc/v2")[0], 404)
        check_reply(self, self.ask(PUBLIC.replace(b"/api/openapi.json", b"/metrics")), 404, "RESOURCE_NOT_FOUND")

    def test_metrics_are_summed_over_processes_and_survive_a_reload(self):
        def total():
            text = self.node.operator("/metrics")[1]
            return text, sum(int(n) for n in re.findall(r"^reeve_http_requests_total\{[^}]*\} (\d+)$", text, re.M))
        wait_until(lambda: "reeve_processes 2\n" in total()[0], 60)  # the node is ready with the first of them
        _, before = total()
        for _ in range(60):  # new connections, so that both processes get some
            self.ask(ROOT_REQUEST)
        text, after = total()
        self.assertEqual(after - before, 60)
        self.assertIn("reeve_processes 2\n", text)
        self.node.reload()
        self.assertEqual(total()[1], after)
        names = set()
        for line in text.splitlines():
            self.assertRegex(line, r"^# (HELP|TYPE) [a-z_]+ .+$|^[a-z_]+(\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\})? [0-9.]+$")
            if line.startswith("# TYPE"):
                self.assertNotIn(line, names)
                names.add(line)
        buckets = [int(n) for n in re.findall(r'^reeve_http_request_duration_seconds_bucket\{operation="getRoot",[^}]*\} (\d+)$', text, re.M)]
        self.assertEqual(buckets, sorted(buckets))
        self.assertEqual(len(buckets), 15)

    def test_every_metric_is_explained_and_every_explained_one_is_there(self):
        with open(os.path.join(ROOT, "docs/reference/metrics.md"), encoding="utf-8") as file:
            rows = {name: (kind, set(labels.split(", ")) - {""}) for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*?) \|", file.read(), re.M)}
        self.ask(ROOT_REQUEST)
        text = self.node.operator("/metrics")[1]
        self.assertEqual({name: kind for name, kind in re.findall(r"^# TYPE (\S+) (\w+)$", text, re.M)}, {name: kind for name, (kind, _) in rows.items()})
        for name, labels in re.findall(r"^([a-z_]+)(?:\{([^}]*)\})? ", text, re.M):
            name = re.sub("_(bucket|sum|count)$", "", name) if name not in rows else name
            self.assertLessEqual(set(re.findall(r"([a-z]+)=", labels)), rows[name][1], name)


class Life(unittest.TestCase):
    def node(self, **more):
        settings = {**UNGUARDED, **more.pop("settings", {})}
        node = Node(build=BUILD, settings=settings, **more)
        self.addCleanup(node.close)
        return node

    def test_reload_takes_a_new_certificate_and_drops_no_connection(self):
        node = self.node(workers=2).start()
        old = node.tls_context()
        with Raw(node.connect(context=old)) as raw:
            raw.send(ROOT_REQUEST)
            check_reply(self, raw.reply(), 401)
            with open(node.ca, encoding="ascii") as f:
                first = ssl.PEM_cert_to_DER_cert(f.read())
            make_certificate(node.folder, common_name="second")
            node.reload()
            raw.send(ROOT_REQUEST)  # the old process still answers the connection that it has
            reply = raw.reply()
            check_reply(self, reply, 401)
            self.assertEqual(reply.headers["connection"], ["close"])
        with node.connect() as new:
            self.assertNotEqual(new.getpeercert(binary_form=True), first)

    def test_reload_takes_changes_of_reeve_conf(self):
        node = self.node().start()
        port = free_port()
        node.write_conf(listen=[f"127.0.0.1:{node.port}", f"127.0.0.1:{port}"])
        node.reload()
        with Raw(node.connect(port=port)) as raw:
            raw.send(ROOT_REQUEST)
            check_reply(self, raw.reply(), 401)

    def test_a_mistake_in_reeve_conf_keeps_the_old_configuration(self):
        node = self.node().start()
        node.write_conf(threads=0)
        before = node.workers()
        node.send(signal.SIGHUP)
        wait_until(lambda: "threads cannot be \"0\"" in node.error_text(), 10)
        time.sleep(0.5)  # in which it would begin others
        self.assertEqual(node.workers(), before)
        with Raw(node.connect()) as raw:
            raw.send(ROOT_REQUEST)
            check_reply(self, raw.reply(), 401)

    def test_many_reloads_under_load_fail_no_request(self):
        node = self.node(workers=2).start()
        context, stop, failures, done = node.tls_context(), threading.Event(), [], [0]

        def client():
            raw = None
            while not stop.is_set():
                try:
                    raw = raw or Raw(node.connect(context=context))
                    raw.send(ROOT_REQUEST)
                    reply = raw.reply()
                    if reply is None or reply.status != 401:
                        failures.append(reply and reply.status)
                    done[0] += 1
                    if reply is None or reply.headers["connection"] == ["close"]:
                        raw.close()
                        raw = None
                except OSError as problem:
                    failures.append(repr(problem))
                    raw = None
        clients = [threading.Thread(target=client) for _ in range(8)]
        for thread in clients:
            thread.start()
        for _ in range(5):
            before = done[0]
            node.reload()
            wait_until(lambda before=before: failures or done[0] > before + 50, 60)
        stop.set()
        for thread in clients:
            thread.join()
        self.assertEqual(failures, [])

    def test_quit_answers_what_is_open(self):
        node = self.node().start()
        half, waiting = Raw(node.connect()), Raw(node.connect())
        half.send(messages.post(b"Content-Length: 4", body=b"{ "))
        with held("principal"):
            waiting.send(token_request())
            wait_until(somebody_waits, 5)
            node.send(signal.SIGQUIT)
            wait_until(lambda: refuses(node), 5)
            self.assertIsNone(node.process.poll())
            half.send(b" }")
            check_reply(self, half.reply(), 401)
        reply = waiting.reply()
        self.assertIsNotNone(reply, "the request in the thread was dropped")
        self.assertIn(reply.status, (401, 503))  # on a busy machine it may wait for longer than a statement may
        self.assertEqual(node.process.wait(15 * PATIENCE), 0)
        self.assertNotIn("signal", node.error_text())

    def test_workers_end_with_a_master_that_is_killed(self):
        node = self.node(workers=2).start()
        workers = node.kill()
        self.assertEqual(len(workers), 2)
        self.assertEqual([pid for pid in workers if os.path.exists(f"/proc/{pid}")], [])
        node.start()  # on the same ports

    def test_a_worker_that_is_killed_is_replaced(self):
        node = self.node().start()
        old = node.workers()
        os.kill(old[0], signal.SIGKILL)
        wait_until(lambda: node.workers() not in (old, []), 5)
        node.wait_ready()
        self.assertNotEqual(node.workers(), old)
        self.assertIn("reeve_processes 1\n", node.operator("/metrics")[1])

    def test_two_nodes_on_one_machine(self):
        first, second = self.node().start(), self.node().start()
        for node in (first, second):
            with Raw(node.connect()) as raw:
                raw.send(ROOT_REQUEST)
                check_reply(self, raw.reply(), 401)

    def test_not_ready_without_a_database_and_says_so(self):
        node = self.node(dsn="host=/nonexistent dbname=reeve", migrate=False)
        node.start(wait=False).wait_listening()
        status, text = node.operator("/readyz", timeout=15)
        self.assertEqual(status, 503)
        self.assertTrue(json.loads(text)["missing"])
        self.assertEqual(node.operator("/livez")[0], 200)

    def test_more_requests_than_threads_and_queue_are_answered_503(self):
        node = self.node(settings={"threads": 1, "thread_queue": 2}).start()
        raws = [Raw(node.connect()) for _ in range(12)]
        with locked("principal", 1.5):
            for raw in raws:
                raw.send(token_request())
            replies = [raw.reply() for raw in raws]
        refused = [reply for reply in replies if reply.status == 503]
        self.assertGreaterEqual(len(refused), 6)
        for reply in refused:
            check_reply(self, reply, 503, "OVERLOADED")
            self.assertIn("retry-after", reply.headers)

    def test_an_ordinary_user_can_run_a_node(self):
        if os.geteuid() != 0:
            self.skipTest("this run is an ordinary user's")
        node = self.node(user_id=65534)
        for folder, _, files in os.walk(node.folder):
            for path in [folder] + [os.path.join(folder, f) for f in files]:
                os.chown(path, 65534, 65534)
        node.start()
        with Raw(node.connect()) as raw:
            raw.send(ROOT_REQUEST)
            check_reply(self, raw.reply(), 401)


class Reads(unittest.TestCase):
    """Reads that the event loop sends down its own database connection."""

    def test_a_lost_database_connection_harms_only_what_was_on_its_way(self):
        node = Node(build=BUILD, workers=2, settings=UNGUARDED)
        self.addCleanup(node.close)
        node.start()
        made = json.loads(node.run("bootstrap", "--organization", "Reads", "--owner", "reads@example.org", "--json").stdout)
        node.run("limit", "set", "--org", made["orgId"], "--set", "all", "--capacity", "100000000", "--refill", "100000000")
        word = base64.b64encode((made["clientId"] + ":" + made["clientSecret"]).encode())
        body = b"grant_type=client_credentials"
        context = node.tls_context()
        with Raw(node.connect(context=context)) as raw:
            raw.send(b"POST /api/oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic " + word +
                     b"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            token = raw.reply().document()["access_token"].encode()
        request = (b"GET /api/svc/v2/orgs/" + made["orgId"].encode() + b" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                   token + b"\r\n\r\n")
        seen, stop = [], threading.Event()

        def client():
            while not stop.is_set():  # a connection ends after so many requests (keepalive_requests)
                with contextlib.suppress(ConnectionError), Raw(node.connect(context=context)) as raw:
                    reply = True
                    while reply is not None and not stop.is_set():
                        raw.send(request * 10)  # several reads in one turn of the loop
                        for _ in range(10):
                            reply = reply and raw.reply()
                            seen.extend([reply.status] if reply else [])
                        time.sleep(0.1 if reply and reply.status == 503 else 0)  # as whoever is told to come back later
        clients = [threading.Thread(target=client) for _ in range(8)]
        for thread in clients:
            thread.start()
        time.sleep(1)
        for _ in range(3):
            cut = len(seen)
            subprocess.run(["psql", "-X", "-q", os.environ["REEVE_TEST_SUPER_DSN"], "-c",
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reeve'"],
                           check=True, stdout=subprocess.DEVNULL)
            wait_until(lambda cut=cut: len(seen) > cut + 1000 and set(seen[-1000:]) == {200}, 60)
        stop.set()
        for thread in clients:
            thread.join(60 * PATIENCE)
            self.assertFalse(thread.is_alive(), "a request was never answered")
        self.assertLessEqual(set(seen), {200, 503})
        self.assertGreater(seen.count(200), len(seen) * 0.8)
        self.assertNotIn("signal", node.error_text())
        wait_until(lambda: "reeve_read_pipelines_ready 2\n" in node.operator("/metrics")[1], 60)


class ProxyProtocol(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.node = Node(build=BUILD, settings={**UNGUARDED, "proxy_listen": f"0.0.0.0:{cls.port}", "balancers": ["127.0.0.1/32", "10.0.0.0/8"]})
        cls.addClassCleanup(cls.node.close)
        cls.node.start()

    def through(self, source, header):
        raw = socket.create_connection(("127.0.0.1", self.port), 5, source_address=(source, 0))
        raw.sendall(header)
        return Raw(self.node.tls_context().wrap_socket(raw, server_hostname="localhost"))

    def test_the_address_of_a_listed_balancer_is_believed(self):
        with self.through("127.0.0.1", b"PROXY TCP4 203.0.113.9 127.0.0.1 4711 8443\r\n") as raw:
            raw.send(ROOT_REQUEST)
            reply = raw.reply()
        check_reply(self, reply, 401)
        with self.through("127.0.0.1", b"PROXY TCP6 2001:db8::9 ::1 4711 8443\r\n") as raw:
            raw.send(ROOT_REQUEST)
            check_reply(self, raw.reply(), 401)
        wait_until(lambda: {"203.0.113.9", "2001:db8::9"} <= {line["client"] for line in self.node.log_lines()}, 5)

    def test_somebody_else_is_turned_away(self):
        with self.through("127.0.0.2", b"PROXY TCP4 203.0.113.77 127.0.0.1 4711 8443\r\n") as raw:
            raw.send(ROOT_REQUEST)
            self.assertIsNone(raw.reply())
        time.sleep(0.1)
        self.assertNotIn("203.0.113.77", {line["client"] for line in self.node.log_lines()})

    def test_a_header_is_not_believed_on_any_listener(self):
        for port, start in ((self.node.port, b""), (self.port, b"PROXY TCP4 203.0.113.10 127.0.0.1 1 2\r\n")):
            raw = socket.create_connection(("127.0.0.1", port), 5)
            raw.sendall(start)
            with Raw(self.node.tls_context().wrap_socket(raw, server_hostname="localhost")) as tls:
                tls.send(messages.get(b"X-Forwarded-For: 198.51.100.1", b"X-Real-IP: 198.51.100.1", b"Forwarded: for=198.51.100.1"))
                check_reply(self, tls.reply(), 401)
        time.sleep(0.1)
        self.assertNotIn("198.51.100.1", {line["client"] for line in self.node.log_lines()})

    def test_the_header_is_needed_there_and_refused_elsewhere(self):
        raw = socket.create_connection(("127.0.0.1", self.port), 5)
        with self.assertRaises(OSError):
            self.node.tls_context().wrap_socket(raw, server_hostname="localhost")
        raw = socket.create_connection(("127.0.0.1", self.node.port), 5)
        raw.sendall(b"PROXY TCP4 203.0.113.9 127.0.0.1 4711 8443\r\n")
        with self.assertRaises(OSError):
            self.node.tls_context().wrap_socket(raw, server_hostname="localhost")


def main(arguments):
    global BUILD
    if "--build" in arguments:
        at = arguments.index("--build")
        BUILD = arguments[at + 1]
        del arguments[at:at + 2]
    http_config_test.BUILD = BUILD
    loader, here = unittest.TestLoader(), sys.modules[__name__]
    if arguments:
        tests = loader.loadTestsFromNames(arguments, here)
    else:
        tests = unittest.TestSuite([loader.loadTestsFromModule(http_config_test), loader.loadTestsFromModule(here)])
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"http: {result.testsRun - failed + counted} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
