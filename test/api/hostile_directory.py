# SPDX-License-Identifier: Apache-2.0
"""A directory that means harm: it speaks TLS and enough of LDAP to let everybody bind, and answers a search as its mode says."""
import socket
import ssl
import threading
import time

SUCCESS, REFERRAL = b"\x0a\x01\x00\x04\x00\x04\x00", b"\x0a\x01\x0a\x04\x00\x04\x00"


def sized(tag, body):
    length = bytes([len(body)]) if len(body) < 128 else bytes([0x84]) + len(body).to_bytes(4, "big")
    return bytes([tag]) + length + body


def message(number, body, controls=b""):
    return sized(0x30, sized(0x02, number) + body + controls)


def entry(number, name, values, attribute=b"uid"):
    attributes = sized(0x30, sized(0x30, sized(0x04, attribute) + sized(0x31, b"".join(sized(0x04, one) for one in values))))
    return message(number, sized(0x64, sized(0x04, name) + attributes))


def cookie():
    value = sized(0x30, b"\x02\x01\x00" + sized(0x04, b"more"))
    return sized(0xa0, sized(0x30, sized(0x04, b"1.2.840.113556.1.4.319") + sized(0x04, value)))


class HostileDirectory:
    MODES = ("silent", "slow bytes", "no TLS", "entries without end", "pages without end", "a message of two gigabytes", "a value of three megabytes",
             "not LDAP at all", "referral", "reference", "odd names", "gone in a search")

    def __init__(self, certificate, key, elsewhere=0):
        """`elsewhere` is the port that it refers to."""
        self.mode, self.elsewhere, self.asked = "silent", elsewhere, 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                made, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(made, self.mode), daemon=True).start()

    def close(self):
        self.socket.close()

    def talk(self, made, mode):
        self.asked += 1
        try:
            if mode == "no TLS":
                time.sleep(60)
                return
            with self.context.wrap_socket(made, server_side=True) as peer:
                while True:
                    asked = peer.recv(65536)
                    if not asked:
                        return
                    number, kind = asked[4:5] if asked[1] < 128 else asked[5:6], 0
                    at = 5 if asked[1] < 128 else 2 + (asked[1] & 127) + 3
                    number, kind = asked[at - 1:at], asked[at]
                    if kind == 0x60:
                        peer.sendall(message(number, sized(0x61, SUCCESS)))
                    elif kind == 0x63:
                        self.answer(peer, number, mode)
                    elif kind == 0x42:
                        return
        except (OSError, IndexError):
            pass
        finally:
            made.close()

    def answer(self, peer, number, mode):
        name, done = b"uid=x,ou=people,dc=example,dc=org", message(number, sized(0x65, SUCCESS))
        there = b"ldap://127.0.0.1:%d/dc=example,dc=org" % self.elsewhere
        if mode == "silent":
            time.sleep(60)
        elif mode == "gone in a search":
            peer.sendall(entry(number, name, [b"x"]))
            raise ConnectionResetError
        elif mode == "slow bytes":
            for byte in entry(number, name, [b"x" * 1000]):
                peer.sendall(bytes([byte]))
                time.sleep(1)
        elif mode == "entries without end":
            while True:
                peer.sendall(entry(number, name, [b"x"]) * 100)
        elif mode == "pages without end":
            peer.sendall(message(number, sized(0x65, SUCCESS), cookie()))
        elif mode == "a message of two gigabytes":
            peer.sendall(b"\x30\x84\x7f\xff\xff\xff\x02\x01" + number + b"\x64")
            while True:
                peer.sendall(b"x" * 65536)
        elif mode == "a value of three megabytes":
            peer.sendall(entry(number, name, [b"y" * (3 << 20)]) + done)
        elif mode == "not LDAP at all":
            peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n" * 100)
        elif mode == "referral":
            peer.sendall(message(number, sized(0x65, REFERRAL + sized(0xa3, sized(0x04, there)))))
        elif mode == "reference":
            peer.sendall(message(number, sized(0x73, sized(0x04, there))) + done)
        elif mode == "odd names":
            odd = [b"a\nb", b"a\x00b", b"a'b", b'a"; DROP ROLE x; --', b"\xff\xfe", b"x" * 100000, b"postgres", b"reeve", b"", b"+reeve_ldap,all"]
            peer.sendall(b"".join(entry(number, name, [one]) for one in odd) + done)
