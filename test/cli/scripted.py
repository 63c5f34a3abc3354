# SPDX-License-Identifier: Apache-2.0
"""A server over TLS that answers what it is told to, and remembers what it was asked. For what a real node does too rarely:
refusing twice in a row, or dying in the middle of an answer."""
import collections
import http.server
import json
import os
import socket
import ssl
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))

from node import make_certificate  # noqa: E402

Call = collections.namedtuple("Call", "at method path headers body")


class Scripted:
    """play([(status, headers, document) or "cut", …]): the answers to come, in this order; `decide(path)` gives them instead. Tokens are always given, but for the first
    `cut_tokens`; the first `slams` connections end before TLS is agreed on."""

    def __init__(self, folder):
        self.calls, self.answers, self.decide = [], [], None
        self.cut_tokens = self.slams = 0
        self.ca, key = make_certificate(folder, "scripted")
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.calls.append(Call(time.monotonic(), self.command, self.path, headers, body))
                if self.path == "/api/oauth/token" and outer.cut_tokens > 0:
                    outer.cut_tokens -= 1
                    step = "cut"
                elif self.path == "/api/oauth/token":
                    step = 200, {}, {"access_token": "t", "token_type": "Bearer", "expires_in": 3600}
                elif outer.decide:
                    step = outer.decide(self.path)
                else:
                    step = outer.answers.pop(0) if outer.answers else (500, {}, {})
                if step == "cut":
                    self.close_connection = True
                    self.connection.close()
                    return
                status, more, document = step
                text = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "X-Request-Id": "0" * 32, **more}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

            def handle(self):
                try:
                    super().handle()
                except (OSError, ValueError):
                    pass

        class Server(http.server.ThreadingHTTPServer):
            def get_request(self):
                if outer.slams > 0:
                    outer.slams -= 1
                    socket.socket.accept(self.socket)[0].close()
                    raise OSError("slammed")
                return super().get_request()

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.ca, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = "https://localhost:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def play(self, answers):
        self.calls.clear()
        self.answers = list(answers)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
