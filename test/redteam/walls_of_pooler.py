# SPDX-License-Identifier: Apache-2.0
"""Walls of a pooler, taken down beside the running primary. The agent, which would put them up again, sleeps meanwhile."""
import contextlib
import os
import stat
import time

import hosts
import of_database
import rig
from of_pooler import INSIDE, unit
from pooler_attacks import FILES, LIST, LOGIN
from walls import Wall

LOCAL = "SET synchronous_commit = local; "  # replicas may be away for a moment
WRITTEN = ("pgbouncer.ini", "hba.conf", "users.txt", "server.key")


@contextlib.contextmanager
def agent_asleep(ground):
    host = ground.attacker.host
    hosts.run(ground.fleet, host, "systemctl", "stop", "reeve-agent")
    try:
        yield
    finally:
        hosts.run(ground.fleet, host, "systemctl", "start", "reeve-agent")
        time.sleep(5)


def on_disk(ground, *names):
    return os.path.join(hosts.folder(ground.fleet, ground.attacker.host, "root") + "/var/lib/reeve/members", ground.attacker.id, *names)


def read_again(ground):
    hosts.run(ground.fleet, ground.attacker.host, "systemctl", "kill", "--signal=HUP", unit(ground.attacker))
    time.sleep(1)


def everybody_comes_in(ground):
    """As whom they like: what is left is what the server's function tells, and what the console's own list says."""
    changes = {"hba.conf": lambda text: "host all all 0.0.0.0/0 trust\n" + text, "pgbouncer.ini": lambda text: text.replace("client_tls_sslmode = require", "client_tls_sslmode = allow")}
    before = {}
    with agent_asleep(ground):
        try:
            for name, change in changes.items():
                with open(on_disk(ground, "pooler", name), "r+") as file:
                    before[name] = file.read()
                    file.seek(0)
                    file.truncate()
                    file.write(change(before[name]))
            read_again(ground)
            yield
        finally:
            for name, text in before.items():
                with open(on_disk(ground, "pooler", name), "w") as file:
                    file.write(text)
            read_again(ground)


def everybody_asks(ground):
    user, admin = of_database.user_of("readWrite"), of_database.user_of("serviceAdmin")
    rig.superuser(ground.fleet, ground.attacker, LOCAL + "GRANT USAGE, CREATE ON SCHEMA reeve_pooler TO PUBLIC; GRANT EXECUTE ON FUNCTION reeve_pooler.login(text) TO PUBLIC; "
                  "GRANT reeve_pooler TO %s, %s" % (user, admin))
    try:
        yield
    finally:
        rig.superuser(ground.fleet, ground.attacker, LOCAL + "REVOKE USAGE, CREATE ON SCHEMA reeve_pooler FROM PUBLIC; REVOKE EXECUTE ON FUNCTION reeve_pooler.login(text) FROM PUBLIC; "
                      "REVOKE reeve_pooler FROM %s, %s" % (user, admin))
        # Who has become somebody else stays so, and the next client of the pool has that session.
        rig.superuser(ground.fleet, ground.attacker, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('%s', '%s')" % (user, admin))


def everybody_reads(ground):
    paths = [on_disk(ground), on_disk(ground, "pooler"), *(on_disk(ground, "pooler", name) for name in WRITTEN)]
    with agent_asleep(ground):
        modes = {path: stat.S_IMODE(os.stat(path).st_mode) for path in paths}
        try:
            for path, mode in modes.items():
                os.chmod(path, mode | 0o005)
            yield
        finally:
            for path, mode in modes.items():
                os.chmod(path, mode)


def it_sees_its_member(ground):
    place = "/run/systemd/system/%s.d" % unit(ground.attacker)
    shell = lambda words: hosts.run(ground.fleet, ground.attacker.host, "sh", "-c", words, timeout=60)  # noqa: E731
    again = "systemctl daemon-reload; systemctl restart %s; sleep 1; systemctl is-active %s" % (unit(ground.attacker), unit(ground.attacker))
    with agent_asleep(ground):
        try:
            shell("mkdir -p {0}; printf '[Service]\\nBindPaths={1}\\n' > {0}/red.conf; {2}".format(place, ground.place.own, again))
            yield
        finally:
            shell("rm -r %s; %s" % (place, again))


WALLS = [
    Wall(LIST, "`host all all 0.0.0.0/0 trust` as the pooler's first rule, and TLS as clients like it", everybody_comes_in),
    Wall(LOGIN, "everybody may call login(), and users are in the role that does", everybody_asks, ("asks for a verifier", "becomes who may ask")),
    Wall(FILES, "chmod o+rx of the member's folder and of what the pooler reads", everybody_reads),
    Wall(INSIDE, "`BindPaths=` with the whole folder of the member in the pooler's unit", it_sees_its_member),
]
