# SPDX-License-Identifier: Apache-2.0
"""Just enough HTTP/2 to misbehave: frames are written by hand, windows are as small as one likes, and nothing is read unless asked for."""
import socket
import ssl
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """A header that is put into no table and not compressed. Both are shorter than 127 bytes, or the length takes more than one."""
    def text(data):
        data = data.encode() if isinstance(data, str) else data
        if len(data) < 127:
            return bytes([len(data)]) + data
        rest, length = len(data) - 127, b"\x7f"
        while rest >= 128:
            length += bytes([rest % 128 + 128])
            rest //= 128
        return length + bytes([rest]) + data
    return b"\x00" + text(name) + text(value)


class Http2:
    """One connection. `window` is what every stream may be sent without asking again."""

    def __init__(self, node, window=65535, source=None, timeout=20, receive_buffer=None):
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.settimeout(timeout)
        if source:
            raw.bind((source, 0))
        raw.connect(("127.0.0.1", node.port))
        context = ssl.create_default_context(cafile=node.ca)
        context.set_alpn_protocols(["h2"])
        self.sock = context.wrap_socket(raw, server_hostname="localhost")
        self.sock.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, window)))
        self.next, self.rest, self.statuses, self.bytes, self.reset, self.ended = 1, b"", {}, {}, {}, set()

    def headers(self, method, path, token=None, more=()):
        block = literal(":method", method) + literal(":path", path) + literal(":scheme", "https") + literal(":authority", "localhost")
        if token:
            block += literal("authorization", "Bearer " + token)
        return block + b"".join(literal(name, value) for name, value in more)

    def request(self, method, path, token=None, more=(), ends=True):
        stream, self.next = self.next, self.next + 2
        return stream, frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, self.headers(method, path, token, more))

    def ask(self, method, path, token=None, more=(), ends=True):
        stream, data = self.request(method, path, token, more, ends)
        self.sock.sendall(data)
        return stream

    def send(self, data):
        self.sock.sendall(data)

    def widen(self, stream, by):
        self.sock.sendall(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", by)))

    def read(self, seconds):
        """What comes within so many seconds, and all that is there then; False when the server closed the connection."""
        while True:
            self.sock.settimeout(seconds)
            try:
                piece = self.sock.recv(262144)
            except (TimeoutError, ssl.SSLWantReadError):
                return True
            except OSError:
                return False
            if not piece:
                return False
            self._parse(piece)
            seconds = 0.001

    def _parse(self, piece):
        self.rest += piece
        while len(self.rest) >= 9:
            length = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < 9 + length:
                break
            kind, flags, stream = struct.unpack(">BBI", self.rest[3:9])
            self._take(kind, flags, stream, self.rest[9:9 + length])
            self.rest = self.rest[9 + length:]

    def _take(self, kind, flags, stream, payload):
        if kind == HEADERS:
            self.statuses[stream] = self._status(payload)
        elif kind == DATA:
            self.bytes[stream] = self.bytes.get(stream, 0) + len(payload)
        elif kind == RST_STREAM:
            self.reset[stream] = int.from_bytes(payload, "big")
        elif kind == SETTINGS and not flags & ACK:
            self.sock.sendall(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.sock.sendall(frame(PING, ACK, 0, payload))
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            self.ended.add(stream)

    @staticmethod
    def _status(payload):
        """nginx writes :status first: an entry of the static table, or its name from there and three digits."""
        known = {0x88: 200, 0x89: 204, 0x8b: 304, 0x8c: 400, 0x8d: 404, 0x8e: 500}
        if payload and payload[0] == 0x20:  # the size of the table
            payload = payload[1:]
        if payload and payload[0] in known:
            return known[payload[0]]
        return int(payload[2:5]) if payload[1] == 3 else payload[:6].hex()

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
