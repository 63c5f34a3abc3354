#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the packages, installs them on a machine of their own with the commands of docs/install.md as they stand, and sees that what
they install works and may do little.

  test/package/package_test.py [--packages FOLDER]     needs root; with FOLDER, or REEVE_PACKAGES, they are not built
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
for folder in ("api", "fleet"):
    sys.path.insert(0, os.path.join(ROOT, "test", folder))
import image  # noqa: E402
from machine import Machine, wait  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

MOST_EXPOSURE = 2.5  # of systemd-analyze security: 0 is nothing, 10 everything


def commands_of(title):
    """The shell blocks of one section of docs/install.md."""
    with open(os.path.join(ROOT, "docs/install.md"), encoding="utf-8") as file:
        section = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % re.escape(title), file.read(), re.M | re.S).group(1)
    return re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S)


def test_install(suite, machine):
    """Every command of the page, and what the last one answers."""
    answer = None
    for block in commands_of("One machine"):
        began = time.monotonic()
        done = machine.shell("cd /root\n" + block, check=False, timeout=300)
        suite.check(done.returncode == 0, "%s%s%s", block, done.stdout, done.stderr)
        suite.say("%4.1f s  %s" % (time.monotonic() - began, block.splitlines()[0]))
        answer = done.stdout
        if "systemctl start" in block:
            suite.check(wait(lambda: machine.run("systemctl", "is-active", "reeve-api", "reeve-worker", check=False).stdout.split() == ["active", "active"]),
                        "the services are active")
    suite.equal([one["name"] for one in json.loads(answer)["results"]], ["Example"], "the first call")


def test_hardening(suite, machine):
    for unit in ("reeve-api", "reeve-worker"):
        text = machine.run("systemd-analyze", "security", "--no-pager", unit, check=False).stdout
        exposure = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", text).group(1))
        suite.check(exposure <= MOST_EXPOSURE, "%s may do too much: %s", unit, text)
        suite.say("%s: exposure %.1f of 10" % (unit, exposure))
        pid = machine.run("systemctl", "show", "--property", "MainPID", "--value", unit).stdout.strip()
        status = machine.shell("cat /proc/%s/status; stat --format 'owner %%U' /proc/%s" % (pid, pid)).stdout
        for line in ("NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "owner reeve"):
            suite.check(line in status, "%s: %r is not in %s", unit, line, status)
    suite.equal(machine.shell("stat --format '%a %U:%G' /etc/reeve").stdout.strip(), "750 root:reeve", "/etc/reeve")


def test_upgrade(suite, machine, packages):
    """The same again as a newer version: the schema is looked at, both services run the new files, and the node still answers."""
    before = machine.run("systemctl", "show", "--property", "MainPID", "--value", "reeve-api").stdout
    done = machine.shell("cd /root && apt-get install --yes --reinstall ./%s" % os.path.basename(glob.glob(packages + "/reeve-server_*.deb")[0]), check=False)
    suite.check(done.returncode == 0 and "bringing the schema" in done.stdout, "installing it again: %s%s", done.stdout, done.stderr)
    suite.check(wait(lambda: machine.run("systemctl", "is-active", "reeve-api", check=False).stdout.strip() == "active"), "it is active again")
    suite.check(machine.run("systemctl", "show", "--property", "MainPID", "--value", "reeve-api").stdout != before, "the node was started again")
    suite.check(wait(lambda: machine.shell(commands_of("One machine")[-1], check=False).returncode == 0), "it answers")


def test_removal(suite, machine):
    machine.shell("apt-get purge --yes reeve-server")
    suite.equal(machine.shell("ls /etc/reeve").stdout.split(), ["key", "tls.crt", "tls.key"], "what an operator made is left where it is")
    suite.equal(machine.run("systemctl", "is-active", "reeve-api", check=False).stdout.strip(), "inactive", "the service after it was removed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", default=os.environ.get("REEVE_PACKAGES"))
    options = parser.parse_args()
    ends_on_signal()
    suite = Suite("packages")
    with tempfile.TemporaryDirectory() as folder:
        packages = options.packages or folder
        if not options.packages:
            began = time.monotonic()
            subprocess.run([os.path.join(ROOT, "script/build-packages"), packages], check=True, stdout=subprocess.DEVNULL)
            suite.say("built in %.0f s" % (time.monotonic() - began))
        with Machine(image.ensure(suite.say, image.SERVER), "a") as machine:
            for path in glob.glob(packages + "/*.deb"):
                machine.put(path, "/root/")
            test_install(suite, machine)
            test_hardening(suite, machine)
            test_upgrade(suite, machine, packages)
            test_removal(suite, machine)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
