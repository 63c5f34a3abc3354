#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The console against real hosts: the life of a cluster by mouse, by keyboard alone and with a finger on a phone. Needs root.

    test/console/fleet_test.py [--report FOLDER] [--only by-mouse]

The browser is on the machine of the fleet's client, and so is psql, which gets the strings that the page gives to people.
"""
import argparse
import base64
import json
import os
import secrets
import sys
import time
from urllib.parse import quote

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cluster")]
sys.dont_write_bytecode = True

import console_test  # noqa: E402
import rig  # noqa: E402
from tenant import psql  # noqa: E402

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
from state import CONTROL, Problem, wait_until  # noqa: E402

NAME = "reeve.example.org"  # passkeys need one
IN_FORCE_S, GONE_S = 60, 120
LEFT_SHOWN = 10
LEFT_OF_BACKUPS = "ls /var/lib/reeve/stanzas | grep -E '^[0-9a-f]{24}' || true"


def serve_console(fleet, folder):
    """As an operator who has a name for the service would set it up; the client's machine finds the name in its /etc/hosts."""
    rig.stop_control_plane(fleet)
    control.certificate(fleet, "console", addresses=CONTROL.values(), names=[NAME])
    own = {"base_url": "https://%s:%d" % (NAME, control.API_PORT), "console_dir": folder, "certificate": fleet.path("tls/console/certificate.pem"),
           "certificate_key": fleet.path("tls/console/key.pem")}
    for node in CONTROL:
        with open(control.conf(fleet, node), encoding="utf-8") as file:
            rows = [line for line in file if line.partition(" = ")[0] not in own]
        with open(control.conf(fleet, node), "w", encoding="utf-8") as file:
            file.writelines([*rows, *("%s = %s\n" % row for row in own.items())])
    rig.start_control_plane(fleet)
    with open("/etc/netns/%s/hosts" % network.namespace(fleet, "client"), "w", encoding="utf-8") as file:
        file.write("127.0.0.1 localhost\n%s %s\n" % (CONTROL["control1"], NAME))
    return own["base_url"]


def trusted_key(fleet):
    """What the browser is told instead of an authority: the key of this one certificate. With any other error of TLS it makes no passkey."""
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    with open(fleet.path("tls/console/certificate.pem"), "rb") as file:
        key = x509.load_pem_x509_certificate(file.read()).public_key()
    digest = hashes.Hash(hashes.SHA256())
    digest.update(key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))
    return base64.b64encode(digest.finalize()).decode()


class Client:
    """What the program in the browser cannot do by itself."""

    def __init__(self, fleet, report):
        self.fleet, self.report, self.in_force = fleet, report, []

    def acts(self):
        return {"psql": self.psql, "gone": self.gone, "report": self.write_report}

    def psql(self, text):
        """With the string of the page, and what the page says must be put into it: password and authority. Users and addresses are with the hosts seconds after the answer."""
        asked = json.loads(text)
        string = asked["string"].replace("<DB_PASSWORD>", quote(asked["password"], safe=""))
        string += "&sslrootcert=" + quote(self.fleet.path("tls/authority.pem"), safe="")
        began = time.monotonic()
        while (last := psql(self.fleet, string, "SELECT 1"))[0] != 0 and time.monotonic() - began < IN_FORCE_S:
            time.sleep(0.2)
        self.in_force.append(time.monotonic() - began)
        status, output, error = psql(self.fleet, string, asked["statement"], timeout=60) if last[0] == 0 else last
        return {"status": status, "output": output, "error": error}

    def gone(self, cluster):
        try:
            wait_until(lambda: not rig.members(self.fleet, cluster), cluster + " is gone", GONE_S)
        except Problem:
            return False
        return True

    def left(self):
        """Nothing of any cluster is left: in the database, in etcd, on the hosts, on the repository host."""
        def found():
            backups = hosts.run(self.fleet, self.fleet.repositories[0], "sh", "-c", LEFT_OF_BACKUPS).split()
            return rig.left_behind(self.fleet) + ["backups: " + one for one in backups]
        try:
            wait_until(lambda: not found(), "nothing is left", GONE_S, every=1)
        except Problem:
            return found()
        return []

    def write_report(self, text):
        rounds = json.loads(text)
        lines = ["# The console on a fleet", "",
                 "Written by `make console-fleet-test`: Debian's Chromium on a client of a fleet with three hosts and a repository host, and psql beside it with the strings that the page shows. "
                 "Ran on %s." % rig.machine(), "",
                 "Clicks are taps on the phone; a choice from a list counts as two. Keys are those that were pressed, Tab and every letter of names and passwords among them. "
                 "Seconds include waiting for the hosts, the first point of a measurement (a minute) and slow queries (every minute).", "",
                 "| | " + " | ".join("%s, %d %s" % (one["how"], one["members"], "member" if one["members"] == 1 else "members") for one in rounds) + " |", "|---|" + "---|" * len(rounds)]
        for what in dict.fromkeys(stage["what"] for one in rounds for stage in one["stages"]):
            cells = []
            for one in rounds:
                stage = next((stage for stage in one["stages"] if stage["what"] == what), None)
                cells.append("%.1f s, %d clicks, %d keys" % (stage["seconds"], stage["presses"], stage["keys"]) if stage else "–")
            lines.append("| %s | %s |" % (what, " | ".join(cells)))
        lines.append("| **all** | %s |" % " | ".join("**%.0f s, %d clicks, %d keys**" % (sum(stage["seconds"] for stage in one["stages"]), one.get("presses", 0), one.get("keys", 0)) for one in rounds))
        lines += ["", "A user and an address that were added on the page were in force for psql after %.1f s at most." % max(self.in_force, default=0), "", "## Pictures", ""]
        lines += ["- [%s](fleet/%s)" % (name[:-5].replace("-", " "), name) for name in sorted(os.listdir(os.path.join(self.report, "fleet"))) if name.endswith(".webp")]
        with open(os.path.join(self.report, "fleet.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", metavar="FOLDER", default=os.path.join(console_test.BUILD, "console-report"), help="where the report and its pictures go")
    parser.add_argument("--only", action="append", help="by-mouse, by-keys or by-finger")
    chosen = parser.parse_args()
    first_load = console_test.build()
    report = os.path.abspath(chosen.report)
    os.makedirs(os.path.join(report, "fleet"), exist_ok=True)
    passed = failed = 0
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            base = serve_console(fleet, os.path.join(console_test.BUILD, "console"))
            client = Client(fleet, report)
            again = ["--recover"] if os.environ.get("REEVE_FLEET") else []  # of an earlier run on the same fleet
            words = {"base": base, "token": control.reeved(fleet, "enrol", "you@example.org", *again).strip(), "pictures": os.path.join(report, "fleet"),
                     "flags": ["--ignore-certificate-errors-spki-list=" + trusted_key(fleet)]}
            if chosen.only or os.environ.get("REEVE_FLEET"):
                words.update(only=chosen.only or None, mark="-" + secrets.token_hex(2))
            passed, failed = console_test.run("fleet", words, client.acts(), network.client_command(fleet, []))
            left = client.left() if failed == 0 else ["after a failure nobody looks"]
            passed, failed = passed + (not left), failed + len(left)
            print("".join("FAIL left behind: %s\n" % one for one in left[:LEFT_SHOWN]), end="")
    except Problem as problem:
        print("FAIL %s" % problem)
        failed += 1
    print("console: %d checks, %d failed, first load %s" % (passed + failed, failed, first_load))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
