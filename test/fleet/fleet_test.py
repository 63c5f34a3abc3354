#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The test fleet itself: hosts, network and what is left of it. Needs root and no control plane.

A fleet whose `kill` spares a process, or whose `down` leaves one, would make every result of test/cluster worthless.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "api")]
sys.dont_write_bytecode = True

import hosts  # noqa: E402
import image  # noqa: E402
import network  # noqa: E402
from state import CLIENT, Fleet  # noqa: E402
from suite import Suite  # noqa: E402


def fleet_command(folder, *words, **options):
    return subprocess.run([os.path.join(HERE, "fleet"), words[0], "--dir", folder, *words[1:]], capture_output=True, text=True,
                          timeout=180, check=False, **options)


def reaches(fleet, machine, address, tries=1):
    """Whether a packet gets there: a refused connection is an answer, too."""
    return any(try_to_reach(fleet, machine, address) for _ in range(tries))


def try_to_reach(fleet, machine, address):
    result = subprocess.run(network.command(fleet, machine, ["bash", "-c", "timeout 1 bash -c '</dev/tcp/%s/9'" % address]),
                            capture_output=True, text=True, check=False)
    return "refused" in result.stderr


def left_of(prefix):
    """Everything on this machine that carries a fleet's id."""
    found = network.existing(prefix) + hosts.mounts(prefix) + ["process %d" % pid for pid in hosts.holders(prefix)]
    found += [entry for entry in os.listdir(hosts.CGROUPS) if entry.startswith(prefix)]
    found += [entry for entry in os.listdir("/etc/netns") if entry.startswith(prefix)] if os.path.isdir("/etc/netns") else []
    return found


def two_fleets_live_side_by_side(suite, folder):
    fleets = []
    for name in "ab":
        result = fleet_command(os.path.join(folder, name), "up", "--bare", "--hosts", "2")
        if not suite.check(result.returncode == 0, "fleet %s comes up: %s", name, result.stderr):
            return
        fleets.append(Fleet.load(os.path.join(folder, name)))
    first, second = fleets
    suite.check(first.id != second.id, "two fleets have two ids")
    suite.check(reaches(first, "h1", first.hosts["h2"]["address"]), "hosts of one fleet reach each other")
    network.cut(second, "h2")
    suite.check(reaches(first, "h1", first.hosts["h2"]["address"]), "what is cut in one fleet is not cut in the other")
    suite.check(not reaches(second, "h1", second.hosts["h2"]["address"]), "a host that is cut off is not reached")
    network.heal(second, "h2")
    suite.check(reaches(second, "h1", second.hosts["h2"]["address"], tries=5), "and is reached when it is healed")
    for only in ("in", "out"):
        network.cut(second, "h2", only)
        suite.check(not reaches(second, "h1", second.hosts["h2"]["address"]), "a host that is cut off one way gives no answer")
        suite.check(reaches(second, "h2", second.hosts["h2"]["address"]), "and still reaches itself")
        network.heal(second, "h2")
    suite.check(reaches(second, "h1", second.hosts["h2"]["address"], tries=5), "it is reached when that is healed")
    resolver = subprocess.run(network.client_command(first, ["cat", "/etc/resolv.conf"]), capture_output=True, text=True, check=False)
    suite.check("10.78.0.2" in resolver.stdout, "a client's resolver is the fleet's")
    suite.check(reaches(first, "client", CLIENT["stranger"]), "clients are on the network")

    result = fleet_command(second.folder, "down")
    suite.check(result.returncode == 0, "one fleet goes down: %s", result.stderr)
    suite.equal(left_of(second.prefix), [], "what is left of it")
    suite.equal([hosts.state(first, name) for name in first.hosts], ["running", "running"], "hosts of the other fleet")
    a_killed_host_is_off_and_comes_back(suite, first)
    fleet_command(first.folder, "down")
    suite.equal(left_of(first.prefix), [], "what is left of the first fleet")
    suite.check(not os.path.exists(first.folder), "its folder is gone")


def a_killed_host_is_off_and_comes_back(suite, fleet):
    hosts.write_file(fleet, "h1", "/etc/systemd/system/probe.service",
                     "[Service]\nType=exec\nExecStart=/usr/bin/sleep 100000\n[Install]\nWantedBy=multi-user.target\n")
    hosts.run(fleet, "h1", "systemctl", "enable", "--now", "probe.service")
    hosts.run(fleet, "h1", "ip", "address", "add", "10.78.1.1/16", "dev", "eth0")
    hosts.run(fleet, "h1", "sh", "-c", "echo kept > /var/lib/kept")
    suite.check(reaches(fleet, "client", "10.78.1.1"), "an address that was added on a host is reached")
    before = network.processes(network.namespace(fleet, "h1"))
    began = time.monotonic()
    hosts.kill(fleet, "h1")
    took = time.monotonic() - began
    suite.check(took < 2, "a power-off takes %.1f s" % took)
    suite.equal([pid for pid in before if not hosts.is_zombie(pid)], [], "processes of a host that is off")
    suite.equal(hosts.state(fleet, "h1"), "off", "the host")
    suite.check(not reaches(fleet, "client", "10.78.1.1"), "its address is gone")
    hosts.start(fleet, "h1")
    hosts.wait_booted(fleet, "h1")
    suite.equal(hosts.run(fleet, "h1", "cat", "/var/lib/kept"), "kept\n", "what it wrote")
    suite.equal(hosts.run(fleet, "h1", "systemctl", "is-active", "probe.service"), "active\n", "a unit that was enabled")
    suite.check(not reaches(fleet, "client", "10.78.1.1"), "an address that no unit adds does not come back")
    suite.check(reaches(fleet, "client", fleet.hosts["h1"]["address"]), "its own does")


def an_up_that_was_killed_is_cleaned(suite, folder, count):
    for number in range(count):
        state = os.path.join(folder, "killed%d" % number)
        process = subprocess.Popen([os.path.join(HERE, "fleet"), "up", "--bare", "--dir", state], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.1, 1.8))
        process.kill()
        process.wait()
        if not os.path.exists(os.path.join(state, "fleet.json")):
            suite.passed += 1  # before it had made anything
            continue
        prefix = Fleet.load(state).prefix
        result = fleet_command(state, "down")
        suite.check(result.returncode == 0, "down after a killed up: %s", result.stderr)
        suite.equal(left_of(prefix), [], "what is left of an up that was killed")


def main():
    if os.geteuid() != 0:
        print("not run: a fleet needs root")
        return 0
    suite = Suite("fleet")
    image.ensure(suite.say)
    with tempfile.TemporaryDirectory(prefix="reeve-fleet-test.") as folder:
        try:
            two_fleets_live_side_by_side(suite, folder)
            an_up_that_was_killed_is_cleaned(suite, folder, 5)
        finally:
            for name in os.listdir(folder):
                fleet_command(os.path.join(folder, name), "down")
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
