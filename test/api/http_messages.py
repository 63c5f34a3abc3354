# SPDX-License-Identifier: Apache-2.0
"""Messages that are not quite HTTP, and what must come of each. Tables only; http_test.py sends them.

A row is (name, bytes, status, errorCode). Every one is also sent in two parts, split at each place, because a parser that
is right for a whole message may be wrong for half of one.
"""

TARGET = b"/api/svc/v2/groups"
TOKEN_TARGET = b"/api/oauth/token"  # its body is read from anybody; elsewhere only from those who may do what they ask for
HOST = b"Host: localhost\r\n"


def get(*lines, line=b"GET " + TARGET + b" HTTP/1.1"):
    return line + b"\r\n" + HOST + b"".join(l + b"\r\n" for l in lines) + b"\r\n"


def post(*lines, body=b"", target=TARGET):
    return b"POST " + target + b" HTTP/1.1\r\n" + HOST + b"".join(l + b"\r\n" for l in lines) + b"\r\n" + body


BAD = "INVALID_REQUEST"

# ---- Refused ----
REQUEST_LINES = [
    ("method in small letters", b"get", 400), ("method with a sign", b"G@T", 400), ("method with a digit", b"GET1", 400),
    ("method with a NUL", b"G\0ET", 400), ("method with a tab behind it", b"GET\t", 400), ("no method", b"", 400),
    ("method in quotes", b"\"GET\"", 400), ("a method that is not ASCII", "GÉT".encode(), 400),
]
TARGETS = [
    ("without a slash", b"api/svc/v2"), ("an asterisk", b"*"), ("a NUL", b"/api\0/svc"), ("an encoded NUL", b"/api/%00"),
    ("a broken escape", b"/api/%zz"), ("half an escape", b"/api/%2"), ("above the root", b"/../etc/passwd"),
    ("above the root, encoded", b"/%2e%2e/%2e%2e/etc/passwd"), ("a space", b"/api/a b"), ("two spaces", b"/api  x"),
    ("a tab", b"/api/\tx"), ("only a scheme", b"https:"), ("a scheme without slashes", b"https:api"),
    ("a scheme with one slash", b"https:/api"), ("an empty host", b"https:///api"), ("a host with a space", b"https://a b/api"),
    ("a bracket left open", b"https://[::1/api"), ("a control character", b"/api/\x01"), ("DEL", b"/api/\x7f"),
]
VERSIONS = [
    b"HTTP/1.1x", b"HTTP/1.", b"HTTP/1", b"HTTP/", b"HTTP", b"HTP/1.1", b"http/1.1", b"HTTP/a.1", b"HTTP/1.a", b"HTTP/.1", b"HTTP/-1.1",
    b"HTTP/0.9", b"HTTP/2.0", b"HTTP/3.0", b"HTTP/9.9", b"HTTP/1.1 HTTP/1.1", b"HTTP/1.1111", b"HTTP/11.1", b"ICY/1.1", b"\x00",
]
HEADER_LINES = [
    ("space before the colon", b"Accept : a/b"), ("tab before the colon", b"Accept\t: a/b"),
    ("a length with a space before its colon", b"Content-Length : 5"), ("a coding with a space before its colon", b"Transfer-Encoding : chunked"),
    ("a folded line", b"X-A: b\r\n c: d"), ("a folded length", b"Content-Length:\r\n 5"), ("a folded first line", b" X-A: b"),
    ("no colon", b"X-A"), ("only a colon", b":"), ("no name", b": b"), ("a name with a NUL", b"X\0A: b"), ("a NUL in the value", b"X-A: b\0c"),
    ("a bare CR in the value", b"X-A: b\rc"), ("a bare CR in the name", b"X\rA: b"), ("a control character in the value", b"X-A: b\x01c"),
    ("DEL in the value", b"X-A: b\x7fc"), ("escape in the value", b"X-A: \x1b[31m"), ("an at sign in the name", b"X@A: b"),
    ("brackets in the name", b"X(A): b"), ("a slash in the name", b"X/A: b"), ("quotes in the name", b"\"X\": b"),
    ("a name that is not ASCII", "X-É: b".encode()), ("a control character in the name", b"X\x01A: b"),
    ("a second Host", b"Host: other"), ("a second equal Host", b"Host: localhost"),
]
HOSTS = [
    ("no Host", b""), ("an empty Host", b"Host:\r\n"), ("a Host with a space", b"Host: a b\r\n"), ("a Host with a slash", b"Host: a/b\r\n"),
    ("a Host with a NUL", b"Host: a\0b\r\n"), ("a Host that is two dots", b"Host: a..b\r\n"),
]
LENGTHS = [b"abc", b"-1", b"+5", b"5,5", b"5, 5", b"0x5", b"1e3", b"5 5", b"5;", b"99999999999999999999", b"\xb2", b"5.0", b"''"]
CODINGS = [b"gzip", b"identity", b"chunked, gzip", b"gzip, chunked", b"chunked, chunked", b"chunked;q=1", b"xchunked", b"chunkedx", b"\"chunked\"", b"chu nked"]
CHUNKS = [
    ("a size that is no number", b"zz\r\n\r\n0\r\n\r\n"), ("a negative size", b"-1\r\nx\r\n0\r\n\r\n"), ("no size", b"\r\nhello\r\n0\r\n\r\n"),
    ("a size with a sign", b"+5\r\nhello\r\n0\r\n\r\n"), ("a size with 0x", b"0x5\r\nhello\r\n0\r\n\r\n"), ("a chunk longer than its size", b"5\r\nhelloworld\r\n0\r\n\r\n"),
    ("a size beyond 64 bits", b"FFFFFFFFFFFFFFFFFF\r\n"), ("a NUL as size", b"\0\r\n\r\n"), ("a size with a space before it", b" 5\r\nhello\r\n0\r\n\r\n"),
]
ONCE = [b"Authorization: Bearer x", b"Accept: */*", b"Content-Type: application/json", b"Idempotency-Key: 1", b"If-Match: *", b"If-None-Match: *"]


def refused():
    rows = []
    for name, method, status in REQUEST_LINES:
        rows.append((name, method + b" " + TARGET + b" HTTP/1.1\r\n" + HOST + b"\r\n", status, BAD))
    for name, target in TARGETS:
        rows.append(("target with " + name, b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", 400, BAD))
    for version in VERSIONS:
        rows.append(("version %r" % version, b"GET " + TARGET + b" " + version + b"\r\n" + HOST + b"\r\n", 400, BAD))
    for name, line in HEADER_LINES:
        rows.append((name, get(line), 400, BAD))
    for name, line in HOSTS:
        rows.append((name, b"GET " + TARGET + b" HTTP/1.1\r\n" + line + b"\r\n", 400, BAD))
    for length in LENGTHS:
        rows.append(("Content-Length %r" % length, post(b"Content-Length: " + length, body=b"hello"), 400, BAD))
    for coding in CODINGS:
        rows.append(("Transfer-Encoding %r" % coding, post(b"Transfer-Encoding: " + coding, body=b"5\r\nhello\r\n0\r\n\r\n"), 400, BAD))
    for name, body in CHUNKS:
        rows.append((name, post(b"Transfer-Encoding: chunked", body=body, target=TOKEN_TARGET), 400, BAD))
    for line in ONCE:
        rows.append(("%s twice" % line.split(b":")[0].decode(), get(line, line), 400, "INVALID_HEADER"))
    rows += [
        ("length and coding", post(b"Content-Length: 5", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400, BAD),
        ("coding and length", post(b"Transfer-Encoding: chunked", b"Content-Length: 5", body=b"0\r\n\r\n"), 400, BAD),
        ("two equal lengths", post(b"Content-Length: 5", b"Content-Length: 5", body=b"hello"), 400, BAD),
        ("two lengths", post(b"Content-Length: 5", b"Content-Length: 6", body=b"hello!"), 400, BAD),
        ("two codings", post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400, BAD),
        ("a coding in HTTP/1.0", b"POST " + TARGET + b" HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, BAD),
        ("CONNECT", b"CONNECT example.org:443 HTTP/1.1\r\n" + HOST + b"\r\n", 400, BAD),
        ("OPTIONS *", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 400, BAD),
        ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, BAD),
        ("HTTP/0.9", b"GET " + TARGET + b"\r\n", 400, BAD),
        ("a TLS record inside TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, BAD),
        ("noise", bytes(range(128, 160)) + b"\r\n\r\n", 400, BAD),
        ("JSON", b"{\"a\":1}\r\n\r\n", 400, BAD),
        ("TRACE", b"TRACE " + TARGET + b" HTTP/1.1\r\n" + HOST + b"\r\n", 405, "METHOD_NOT_ALLOWED"),
        ("101 headers", get(*[b"X-%d: y" % i for i in range(100)]), 431, "HEADERS_TOO_LARGE"),
        ("a long header", get(b"X-A: " + b"y" * 20000), 431, "HEADERS_TOO_LARGE"),
        ("many long headers", get(*[b"X-%d: %s" % (i, b"y" * 9000) for i in range(9)]), 431, "HEADERS_TOO_LARGE"),
        ("a long target", b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, "URI_TOO_LONG"),
        ("a large body", post(b"Content-Length: 1048577"), 413, "BODY_TOO_LARGE"),
        ("a very large body", post(b"Content-Length: 9999999999"), 413, "BODY_TOO_LARGE"),
        ("a large chunk", post(b"Transfer-Encoding: chunked", body=b"100001\r\nx", target=TOKEN_TARGET), 413, "BODY_TOO_LARGE"),
    ]
    return rows


def accepted():
    """Unusual, but HTTP: each reaches the API, which asks for credentials."""
    return [
        ("bare LF", get().replace(b"\r\n", b"\n")),
        ("empty lines first", b"\r\n\r\n" + get()),
        ("HTTP/1.0", b"GET " + TARGET + b" HTTP/1.0\r\n\r\n"),
        ("absolute target", b"GET https://localhost" + TARGET + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
        ("a version of the future", b"GET " + TARGET + b" HTTP/1.2\r\n" + HOST + b"\r\n"),
        ("header without a value", get(b"X-A:")),
        ("header with every allowed sign", get(b"!#$%&'*+-.^_`|~aZ0: x")),
        ("header that is not ASCII", get("X-A: é".encode())),
        ("tabs around a value", get(b"X-A:\t b \t")),
        ("an underscore in a name", get(b"X_A: b")),
        ("chunks", post(b"Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\n\r\n")),
        ("chunks with an extension", post(b"Transfer-Encoding: chunked", body=b"5;a=b\r\nhello\r\n0\r\n\r\n")),
        ("chunks with a trailer", post(b"Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\nX-T: a\r\n\r\n")),
        ("CHUNKED in capitals", post(b"Transfer-Encoding: CHUNKED", body=b"0\r\n\r\n")),
        ("leading zeros in a length", post(b"Content-Length: 0005", body=b"hello")),
        ("100 headers", get(*[b"X-%d: y" % i for i in range(99)])),
        ("an unknown method", b"PROPFIND " + TARGET + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
    ]
