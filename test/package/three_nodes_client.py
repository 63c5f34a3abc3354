#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A client of three nodes: writes projects all the time, tries again as `reeve` does, and receives the organization's webhook.

  three_nodes_client.py SETTINGS     a JSON file: url, address, ca, token, org, folder, writers, receiver {port, certificate, key}

Each line of FOLDER/journal is one request that came to its end: when it began and ended, how often it was tried, what it made, or why
it failed. Each line of FOLDER/events is one delivery. Ends with TERM.
"""
import http.client
import http.server
import json
import os
import random
import signal
import socket
import ssl
import sys
import threading
import time
import urllib.parse

# As in src/cli/client.c.
RETRIES, FIRST_DELAY_S, LONGEST_DELAY_S, CONNECT_S, TIMEOUT_S = 5, 0.5, 30, 10, 60
PAUSE_S = 0.15


class Journal:
    def __init__(self, path):
        self.file, self.lock = open(path, "a", encoding="utf-8"), threading.Lock()

    def add(self, line):
        with self.lock:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()


class Connection(http.client.HTTPSConnection):
    """To the shared address, under the server's name. A connection that is silent is looked after, as curl does it."""

    def __init__(self, settings, context):
        super().__init__(urllib.parse.urlsplit(settings["url"]).hostname, timeout=TIMEOUT_S, context=context)
        self.address = settings["address"]

    def connect(self):
        plain = socket.create_connection((self.address, 443), timeout=CONNECT_S)
        plain.settimeout(TIMEOUT_S)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5)
        self.sock = self._context.wrap_socket(plain, server_hostname=self.host)


def delay_s(attempt, retry_after_s):
    delay = min(FIRST_DELAY_S * 2 ** (attempt - 1), LONGEST_DELAY_S)
    delay = delay / 2 + random.random() * delay / 2
    return retry_after_s + delay / 2 if retry_after_s > 0 else delay


def try_once(settings, context, name):
    """Status, seconds to wait, and the document or the text of a failure; the status is 0 without an answer."""
    connection = Connection(settings, context)
    try:
        connection.request("POST", "/api/svc/v2/groups", json.dumps({"name": name, "orgId": settings["org"]}),
                           {"Authorization": "Bearer " + settings["token"], "Content-Type": "application/json", "Idempotency-Key": name,
                            "Accept": "application/vnd.svc.2025-03-12+json"})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, int(answer.headers.get("Retry-After") or 0), json.loads(text) if answer.status < 300 else text.decode()
    except (OSError, http.client.HTTPException, ValueError) as problem:
        return 0, 0, "%s: %s" % (type(problem).__name__, problem)
    finally:
        connection.close()


def write(settings, context, journal, who, stop):
    number = 0
    while not stop.is_set():
        number += 1
        name, began, tries, said = "w%d-%d" % (who, number), time.time(), 0, []
        while True:
            tries += 1
            status, retry_after_s, found = try_once(settings, context, name)
            if 200 <= status < 300:
                journal.add({"name": name, "id": found["id"], "began": began, "ended": time.time(), "tries": tries, "said": said})
                break
            said.append([round(time.time() - began, 2), status, found[:200]])
            if status not in (0, 429, 503) and not (status == 409 and retry_after_s > 0) or tries > RETRIES:
                journal.add({"name": name, "failed": status, "began": began, "ended": time.time(), "tries": tries, "said": said})
                break
            stop.wait(delay_s(tries, retry_after_s))
        stop.wait(PAUSE_S)


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.events.add({"at": time.time(), "from": self.client_address[0], "sequences": [event["sequence"] for event in body["events"]]})
        self.send_response(204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def receive(settings):
    server = http.server.ThreadingHTTPServer(("0.0.0.0", settings["receiver"]["port"]), Receiver)
    server.daemon_threads = True
    server.events = Journal(os.path.join(settings["folder"], "events"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings["receiver"]["certificate"], settings["receiver"]["key"])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    stop, quiet = threading.Event(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: quiet.set())
    signal.signal(signal.SIGUSR1, lambda *_: stop.set())
    receive(settings)
    journal = Journal(os.path.join(settings["folder"], "journal"))
    context = ssl.create_default_context(cafile=settings["ca"])
    writers = [threading.Thread(target=write, args=(settings, context, journal, who, stop)) for who in range(settings["writers"])]
    for writer in writers:
        writer.start()
    for writer in writers:
        while writer.is_alive():
            writer.join(0.5)
            if quiet.is_set():
                os._exit(0)
    with open(os.path.join(settings["folder"], "written"), "w", encoding="ascii"):
        pass
    while not quiet.wait(0.5):
        pass


if __name__ == "__main__":
    main()
