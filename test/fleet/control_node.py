# SPDX-License-Identifier: Apache-2.0
"""The control side's own machine in a fleet of packages: Debian 12 with a systemd of its own, `reeve-server` installed by dpkg, and its units.

A deployment has a machine for every node; here one machine has both, so that each unit is there twice, as the package has it but for
names and paths: whatever a unit may not do, it may not do here either. PostgreSQL, Redis, etcd and PowerDNS are beside it (control.py), in
the fleet's folder, which the units see.
"""
import contextlib
import os
import re
import shutil

import container
import hosts
import network
import packages
from state import Problem, wait_until

NAME = "control"
PACKAGE = "/root/reeve-server.deb"
UNITS = "/lib/systemd/system"
MASKED = ["nginx.service", "postgresql.service", "redis-server.service"]  # of the image; the fleet has its own


def boot(fleet, root_image):
    """The machine, with the package on it and nothing running."""
    folder = hosts.folder(fleet, NAME)
    container.mount(fleet.prefix + NAME, root_image, folder)
    root = os.path.join(folder, "root")
    for unit in MASKED:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(root, "etc/systemd/system", unit))
        os.symlink("/dev/null", os.path.join(root, "etc/systemd/system", unit))
    shutil.copyfile(packages.find(fleet.packages, "reeve-server"), root + PACKAGE)
    process = container.boot(fleet.prefix + NAME, folder, NAME, ["--network-namespace-path=" + network.path(fleet, NAME), "--bind=" + fleet.folder])
    with open(os.path.join(folder, "nspawn.pid"), "w") as file:
        file.write(str(process.pid))
    wait_until(lambda: hosts.init_pid(fleet, NAME), NAME + " is powered on", 60)
    hosts.wait_booted(fleet, NAME)
    hosts.run(fleet, NAME, "dpkg", "--install", PACKAGE)


def own(fleet, *paths):
    """The user that the package has made may read these."""
    with open(hosts.folder(fleet, NAME, "root", "etc/passwd")) as file:
        words = next(line.split(":") for line in file if line.startswith("reeve:"))
    for path in paths:
        os.chown(path, int(words[2]), int(words[3]))


def write_unit(fleet, name, kind, conf, run_dir):
    """`reeve-api` or `reeve-worker` of the package for one of the nodes; the unit's name."""
    unit = "reeve-%s.service" % name
    with open(hosts.folder(fleet, NAME, "root") + "%s/reeve-%s.service" % (UNITS, kind)) as file:
        text = file.read()
    text = text.replace("/etc/reeve/reeve.conf", conf).replace("/run/reeve/", run_dir + "/")
    text = re.sub(r"^RuntimeDirectory=.*$", "RuntimeDirectory=" + os.path.basename(run_dir), text, flags=re.M)
    text = re.sub(r"^ConditionPathExists=.*\n", "", text, flags=re.M)
    log = fleet.path("log", name + ".log")
    text = text.replace("[Service]\n", "[Service]\nBindPaths=%s\nStandardOutput=append:%s\nStandardError=append:%s\n" % (fleet.folder, log, log))
    if conf not in text or run_dir.rsplit("/", 1)[1] not in text:
        raise Problem("the package's unit reeve-%s is not as expected" % kind)
    hosts.write_file(fleet, NAME, "/etc/systemd/system/" + unit, text)
    return unit
