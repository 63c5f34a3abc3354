# SPDX-License-Identifier: Apache-2.0
"""What stands before nodes: one address whose connections go to the first node that takes them. It looks at no byte."""
import contextlib
import socket
import threading

from node import free_port


class Relay:
    def __init__(self):
        self.port, self.nodes = free_port(), []
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def base_url(self):
        return "https://localhost:%d" % self.port

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client):
        for node in list(self.nodes):
            with contextlib.suppress(OSError):
                server = socket.create_connection(("127.0.0.1", node.port), timeout=5)
                server.settimeout(None)
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=(one, other), daemon=True).start()
                return
        client.close()

    @staticmethod
    def _copy(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self):
        self.listener.close()
