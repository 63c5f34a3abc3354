# SPDX-License-Identifier: Apache-2.0
"""Those whom alerts of a fleet tell: a mail server and an HTTPS receiver on the control side, and when each thing came."""
import email
import http.server
import json
import re
import ssl
import threading
import time

from aiosmtpd.controller import Controller

import rig

import control  # noqa: E402  (found by rig)
import network  # noqa: E402

MAIL_PORT = 8625


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.told.note("webhook", self.headers["Reeve-Notification-Id"], body["about"], body["alert"]["id"])
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Told:
    """Everything that came: (by mail or webhook, which notification, what about it, whose alert) and the moment it came first."""

    def __init__(self, fleet):
        self.fleet, self.lock, self.came, self.again = fleet, threading.Lock(), {}, 0
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(fleet.path("tls/control/certificate.pem"), fleet.path("tls/control/key.pem"))
        self.mail = Controller(self, hostname=control.RECEIVER[0], port=MAIL_PORT)
        with network.inside(fleet, "control"):  # threads that begin here stay in that network
            self.server = http.server.ThreadingHTTPServer(control.RECEIVER, Handler)
            self.mail.start()
        self.server.told, self.server.daemon_threads = self, True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.notifications = [{"typeName": "WEBHOOK", "webhookUrl": "https://%s:%d/hook" % control.RECEIVER},
                              {"typeName": "EMAIL", "emailAddress": "oncall@example.org"}]

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content)
        about = "CLOSED" if "closed" in message["Subject"] else "OPENED"
        text = message.get_payload(decode=True).decode()
        self.note("mail", message["Message-ID"], about, re.search(r"^Alert: ([0-9a-f]{24})$", text, re.M)[1])
        return "250 taken"

    def note(self, way, notification, about, alert):
        with self.lock:
            self.again += (way, notification, about, alert) in self.came
            self.came.setdefault((way, notification, about, alert), time.monotonic())

    def about(self, alert, about):
        """How the alert was told: the ways, in order, each notification once; and when the last of them came."""
        with self.lock:
            found = [(key[0], at) for key, at in self.came.items() if key[2:] == (about, alert)]
        return sorted(way for way, _ in found), max((at for _, at in found), default=0)

    def first(self, way, alert):
        with self.lock:
            return next((at for key, at in self.came.items() if key[0] == way and key[2:] == ("OPENED", alert)), None)

    def configure(self):
        """The fleet's nodes and workers send their mails here from now on."""
        for node in control.CONTROL:
            with open(control.conf(self.fleet, node), "a") as file:
                file.write("smtp = smtp://%s:%d\nsmtp_from = reeve@example.org\n" % (control.RECEIVER[0], MAIL_PORT))
        rig.stop_control_plane(self.fleet)
        rig.start_control_plane(self.fleet)

    def close(self):
        self.mail.stop()
        self.server.shutdown()
        self.server.server_close()
