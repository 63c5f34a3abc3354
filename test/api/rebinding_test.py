# SPDX-License-Identifier: Apache-2.0
"""DNS rebinding against the live egress: a name server whose answer changes with every question, first an address that is allowed, then one that is not.
Webhooks, the documents of identity providers and checks of directories go to names of it, with a real worker: nobody ever connects to the private
address, and the sentence that the tenant reads does not tell it. Needs root: the worker has a resolv.conf of its own, in its own mount namespace."""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from client import wait_until
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, connect, no_limits, sql, start_node

SERVER, ALLOWED, PRIVATE = "127.0.0.77", "127.0.0.1", "127.0.0.2"


class NameServer:
    """Answers every question for an address at once, with no time to live; the two addresses take turns for each name."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((SERVER, 53))
        self.asked = {}
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            question, peer = self.socket.recvfrom(4096)
            self.socket.sendto(self.answer(question), peer)

    def answer(self, question):
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode())
            at += 1 + question[at]
        kind, end, name = struct.unpack(">H", question[at + 1:at + 3])[0], at + 5, ".".join(labels).lower()
        if kind != 1 or not name.endswith(".rebind.example"):
            return question[:2] + b"\x84\x00\x00\x01\x00\x00\x00\x00\x00\x00" + question[12:end]
        count = self.asked[name] = self.asked.get(name, 0) + 1
        first = name.startswith("good")
        address = ALLOWED if (count % 2 == 1) == first else PRIVATE
        return question[:2] + b"\x84\x00\x00\x01\x00\x01\x00\x00\x00\x00" + question[12:end] + b"\xc0\x0c\x00\x01\x00\x01" + \
            struct.pack(">IH", 0, 4) + socket.inet_aton(address)


class Listener:
    """Counts who connects, and sends them away."""

    def __init__(self, address, port=0):
        self.socket = socket.create_server((address, port), backlog=100)
        self.port, self.count = self.socket.getsockname()[1], 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            made, _ = self.socket.accept()
            self.count += 1
            made.close()


def main():
    ends_on_signal()
    suite = Suite("rebinding")
    if os.geteuid() != 0:
        suite.say("not root: skipped")
        return suite.finish()
    folder = tempfile.mkdtemp(prefix="rebinding.", dir=os.environ.get("REEVE_TEST_DIR"))
    resolver = os.path.join(folder, "resolv.conf")
    with open(resolver, "w", encoding="ascii") as file:
        file.write("nameserver %s\noptions timeout:1 attempts:1\n" % SERVER)
    names, allowed = NameServer(), Listener(ALLOWED)
    private = Listener(PRIVATE, allowed.port)
    with start_node(workers=1, settings={"egress_allow": ALLOWED + "/32"}) as node:
        world = World(node, with_roles=False)
        owner = world.make_caller("Rebinding")
        no_limits([owner.home])
        command = "mount --bind %s /etc/resolv.conf && exec %s worker --config %s" % (resolver, os.path.join(ROOT, BUILD, "reeved"), node.conf)
        with open(os.path.join(folder, "worker.log"), "ab") as log:
            worker = subprocess.Popen(["unshare", "-m", "sh", "-c", command], stdout=log, stderr=log)
        try:
            connection, project = connect(node), world.make_project(owner, "rebinding")

            def ask(method, target, body=None):
                return connection.ask(method, PREFIX + target, owner.bearer(), body)
            hooks = [ask("POST", "/orgs/%s/webhooks" % owner.home, {"url": "https://%s%d.rebind.example:%d/" % (kind, number, allowed.port)}).json()["id"]
                     for kind in ("good", "bad") for number in range(4)]
            settings = "/federationSettings/" + ask("GET", "/orgs/%s/federationSettings" % owner.home).json()["id"]
            providers = [ask("POST", settings + "/identityProviders", {
                "displayName": "Login", "issuerUri": "https://%sidp.rebind.example:%d" % (kind, allowed.port), "audience": "a"}).json()["id"] for kind in ("good", "bad")]
            checks = [ask("POST", "/groups/%s/userSecurity/ldap/verify" % project, {
                "hostname": "%sldap%d.rebind.example" % (kind, number), "port": allowed.port, "bindUsername": "cn=a", "bindPassword": "b"}).json()["requestId"]
                for kind in ("good", "bad") for number in range(4)]

            def tried():
                sql("UPDATE webhook SET next_try_at = now() WHERE enabled")
                shown = [ask("GET", "/orgs/%s/webhooks/%s" % (owner.home, one)).json() for one in hooks]
                looked = [ask("GET", "/groups/%s/userSecurity/ldap/verify/%s" % (project, one)).json()["status"] for one in checks]
                keys = ["keysError" in ask("GET", "%s/identityProviders/%s" % (settings, one)).json() for one in providers]
                return all(one["failures"] >= 4 for one in shown) and all(keys) and "PENDING" not in looked
            wait_until(tried, 120)
            said = "".join(str(ask("GET", "/orgs/%s/webhooks/%s" % (owner.home, one)).json().get("lastError")) for one in hooks)
            said += "".join(str(ask("GET", "/groups/%s/userSecurity/ldap/verify/%s" % (project, one)).json().get("problem")) for one in checks)
            said += "".join(str(ask("GET", "%s/identityProviders/%s" % (settings, one)).json().get("keysError")) for one in providers)
            suite.equal(private.count, 0, "connections to an address that is not allowed")
            suite.check(allowed.count >= 8, "connections to the one that is: %d", allowed.count)
            suite.check(len(names.asked) == 18 and sum(names.asked.values()) >= 36, "questions to the name server: %r", names.asked)
            suite.check(PRIVATE not in said, "S11: what tenants are told: %s", said)
            suite.say("%d questions, %d connections to the allowed address, %d to the private one" % (
                sum(names.asked.values()), allowed.count, private.count))
        finally:
            worker.terminate()
            worker.wait(30)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
