# SPDX-License-Identifier: Apache-2.0
"""Agents: installed as a unit on every host, and joined with a token as an operator does it."""
import json
import os
import shutil

import control
import hosts
import packages
from state import CONTROL, NETWORK, wait_until

AGENT = "/opt/reeve/reeve-agent"
PACKAGE = "/root/reeve-agent.deb"
UNIT = """[Unit]
Description=Reeve agent
After=dbus.service network.target

[Service]
Type=exec
ExecStart={agent} run
Restart=always
RestartSec=1
# Databases are units of their own: what happens to the agent does not happen to them.
KillMode=mixed
MemorySwapMax=0
LimitCORE=0

[Install]
WantedBy=multi-user.target
""".format(agent=AGENT)


def url(fleet, name):
    """Hosts are spread over the nodes of the control plane."""
    addresses = list(CONTROL.values())
    return "https://%s:%d" % (addresses[list(fleet.hosts).index(name) % len(addresses)], control.AGENT_PORT)


def token(fleet, name):
    host = fleet.host(name)
    answer = control.reeved(fleet, "fleet", "token", "--host", name, "--provider", host["provider"], "--region", host["region"],
                            "--zone", host["zone"], *(["--purpose", host["purpose"]] if "purpose" in host else []), "--json")
    return json.loads(answer)["token"]


def install(fleet, name):
    """Not enabled before the host has joined: until then there is nothing to run. A package waits until the host has booted."""
    if fleet.packages:
        os.makedirs(hosts.folder(fleet, name, "root", "root"), exist_ok=True)
        shutil.copyfile(packages.find(fleet.packages, "reeve-agent"), hosts.folder(fleet, name, "root") + PACKAGE)
        return
    hosts.write_file(fleet, name, "/etc/systemd/system/reeve-agent.service", UNIT)


def join(fleet, name):
    """On the booted host: a token, the join, the addresses that members may have if it has members, and the unit."""
    if fleet.packages:
        hosts.run(fleet, name, "dpkg", "--install", PACKAGE)
    agent = "reeve-agent" if fleet.packages else AGENT
    if os.environ.get("REEVE_VOLUMES"):  # none, full or thin
        hosts.run(fleet, name, agent, "volumes", os.environ["REEVE_VOLUMES"])
    hosts.run(fleet, name, agent, "join", "--url", url(fleet, name), "--token", token(fleet, name), "--start")
    if "pool" in fleet.host(name):
        control.reeved(fleet, "fleet", "address", "add", "--host", name, "--prefix", str(NETWORK.prefixlen), fleet.host(name)["pool"])


def wait_seen(fleet, names, seconds=30):
    """Until every agent has reported that it reached a goal."""
    def seen():
        rows = control.superuser(fleet, "SELECT name FROM host WHERE state = 'ACTIVE' AND last_seen_at IS NOT NULL")
        return set(names) <= {row[0] for row in rows}
    wait_until(seen, "agents report", seconds)
