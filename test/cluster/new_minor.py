# SPDX-License-Identifier: Apache-2.0
"""A newer minor version on a host of a fleet, without a network. Debian has one minor version of a release at a time, so the other one is made of it: the same
programs with another number in their version strings (17.11 becomes 17.12), put in their place one by one by renaming, as dpkg does it. Everything that asks a program
or a server for its version is told the new number; the code is that of the old version."""
import hosts
from state import Problem

FOLDER = "/usr/lib/postgresql/17/bin"

# Version strings keep their length, so nothing in the programs moves.
PATCH = r"""
import os, re, sys
folder, new = sys.argv[1], sys.argv[2].encode()
for name in os.listdir(folder):
    path = os.path.join(folder, name)
    if os.path.islink(path) or name.endswith(".new"):
        continue
    with open(path, "rb") as file:
        data = file.read()
    changed = re.sub(rb"17\.\d\d(?= \(Debian )", new, data)
    changed = re.sub(rb"(?<=\(Debian )17\.\d\d", new, changed)
    if changed != data:
        with open(path + ".new", "wb") as file:
            file.write(changed)
        os.chmod(path + ".new", 0o755)
        os.rename(path + ".new", path)
kept = os.path.join(folder, "postgres.good")
if os.path.exists(kept):
    os.rename(kept, os.path.join(folder, "postgres"))
"""

# Says that it is the new version, and never becomes a server.
BROKEN = """#!/bin/sh
case "$1" in
-V|--version) echo "postgres (PostgreSQL) %s (Debian broken)" ;;
*) echo "this server does not start" >&2; exit 1 ;;
esac
"""


def installed(fleet, host):
    """The number that the server's program on a host says."""
    return hosts.run(fleet, host, FOLDER + "/postgres", "--version").split()[2]


def next_minor(version):
    major, minor = version.split(".")
    if len(minor) != 2 or minor == "99":
        raise Problem("PostgreSQL %s: the next number has another length" % version)
    return "%s.%d" % (major, int(minor) + 1)


def install(fleet, host, version):
    # What was broken is replaced last, by the new version: the old one is in its place at no moment, as with dpkg.
    hosts.run(fleet, host, "/usr/bin/python3", "-c", PATCH, FOLDER, version)
    if installed(fleet, host) != version:
        raise Problem("%s says %s after the installation of %s" % (host, installed(fleet, host), version))


def install_broken(fleet, host, version):
    """What is running goes on: it has the old file, which is kept as postgres.good."""
    script = "set -e; cd %s; printf %%s \"$1\" > postgres.new; chmod 755 postgres.new; ln -f postgres postgres.good; mv -f postgres.new postgres" % FOLDER
    hosts.run(fleet, host, "sh", "-c", script, "sh", BROKEN % version)
    if installed(fleet, host) != version:
        raise Problem("%s does not say %s" % (host, version))
