# SPDX-License-Identifier: Apache-2.0
"""Between a node and its database: passes everything on, and breaks a connection just before the statement that it was told to.

It listens on a unix socket in a folder of its own, where libpq finds it by `host=FOLDER`. It reads only as much of the protocol as it needs: where
one message ends, whether a transaction was begun, and which messages run a statement (Bind).
"""
import os
import re
import socket
import struct
import tempfile
import threading

BIND, QUERY = b"B", b"Q"


class Postgres:
    def __init__(self, dsn, spares=()):
        """`spares`: names of statements that it neither counts nor breaks."""
        words = dict(word.split("=", 1) for word in dsn.split())
        self.real = os.path.join(words["host"], ".s.PGSQL." + words["port"])
        self.folder = tempfile.mkdtemp(prefix="proxy.", dir=words["host"])
        os.chmod(self.folder, 0o755)  # nodes may be another user
        self.dsn = re.sub(r"\bhost=\S+", "host=" + self.folder, dsn)
        self.spares = spares
        self.lock, self.left, self.broken = threading.Lock(), 0, None
        self.listener = socket.socket(socket.AF_UNIX)
        path = os.path.join(self.folder, os.path.basename(self.real))
        self.listener.bind(path)
        os.chmod(path, 0o777)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def break_before(self, number):
        """The connection of the number-th statement in a transaction from now on breaks before it. 0: none."""
        with self.lock:
            self.left, self.broken = number, None

    def is_next(self, statement):
        """Whether it is this one. Then `broken` has its name."""
        with self.lock:
            if self.left == 0 or statement in self.spares:
                return False
            self.left -= 1
            if self.left > 0:
                return False
            self.broken = statement
            return True

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return  # closed
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.real)
            threading.Thread(target=pass_on, args=(server, client), daemon=True).start()
            threading.Thread(target=self.pass_statements, args=(client, server), daemon=True).start()

    def pass_statements(self, client, server):
        """From the node to the database, message by message."""
        waiting, in_transaction, has_started = b"", False, False
        try:
            while data := client.recv(65536):
                waiting += data
                at = 0
                while (end := message_end(waiting, at, has_started)) is not None:
                    kind = waiting[at:at + 1] if has_started else b""
                    if kind == QUERY:
                        in_transaction = not waiting.startswith((b"COMMIT", b"ROLLBACK"), at + 5)
                    if kind == BIND and in_transaction and self.is_next(statement_of(waiting[at + 5:end])):
                        return
                    has_started, at = True, end
                server.sendall(waiting[:at])
                waiting = waiting[at:]
        except OSError:
            pass  # one of them has ended the connection
        finally:
            shut(client, server)


def message_end(data, at, has_kind):
    """Where the message that begins at `at` ends; None when it is not whole yet. Only the first one of a connection has no kind."""
    head = 5 if has_kind else 4
    if len(data) < at + head:
        return None
    end = at + head - 4 + struct.unpack_from("!i", data, at + head - 4)[0]
    return end if end <= len(data) else None


def statement_of(bind):
    """The second of two names, behind that of the portal."""
    return bind.split(b"\0", 2)[1].decode()


def pass_on(server, client):
    try:
        while data := server.recv(65536):
            client.sendall(data)
    except OSError:
        pass
    finally:
        shut(client, server)


def shut(*sockets):
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it is already
