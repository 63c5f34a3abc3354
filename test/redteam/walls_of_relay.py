# SPDX-License-Identifier: Apache-2.0
"""Walls of relays of private endpoints, taken down on their host while the agent, which would put them up again, sleeps."""
import contextlib

import hosts
from relay_attacks import FILES, RULES
from walls import Wall


@contextlib.contextmanager
def asleep(ground):
    relay = ground.relays.thief
    hosts.run(ground.fleet, relay.host, "systemctl", "stop", "reeve-agent")
    try:
        yield relay
    finally:
        hosts.run(ground.fleet, relay.host, "systemctl", "start", "reeve-agent")


def no_rules(ground):
    with asleep(ground) as relay:
        hosts.run(ground.fleet, relay.host, "nft", "delete", "table", "inet", "reeve_relay")
        yield


def everything_is_seen(ground):
    """Both halves: what it sees, and what its user may read."""
    victim = "/var/lib/reeve/relays/" + ground.relays.victim.id
    with asleep(ground) as relay:
        folder = "/etc/systemd/system/%s.d" % relay.unit
        hosts.write_file(ground.fleet, relay.host, folder + "/red.conf", "[Service]\nTemporaryFileSystem=\nTemporaryFileSystem=/run:ro\n")
        again = "systemctl daemon-reload; systemctl restart " + relay.unit
        hosts.run(ground.fleet, relay.host, "sh", "-c", "chmod 755 %s; chmod 644 %s/haproxy.cfg; %s" % (victim, victim, again))
        try:
            yield
        finally:
            hosts.run(ground.fleet, relay.host, "sh", "-c", "chmod 750 %s; chmod 640 %s/haproxy.cfg; rm -r %s; %s" % (victim, victim, folder, again))


WALLS = [
    Wall(RULES, "nft delete table inet reeve_relay", no_rules, ("from a client with another tenant's endpoint", "from the victim's address")),
    Wall(FILES, "without TemporaryFileSystem=/var/lib/reeve, and files that everybody may read", everything_is_seen, ("<victim>",)),
]
