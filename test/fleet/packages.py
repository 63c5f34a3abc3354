# SPDX-License-Identifier: Apache-2.0
"""A fleet of what users install: programs of the Debian packages that script/build-packages makes, and nothing of a build folder.

Hosts get `reeve-agent` installed by dpkg and run the package's own unit. Programs of the control side and the command line are
taken out of their packages; test/package installs those on a machine of their own.
"""
import glob
import os
import shutil
import subprocess

from state import ROOT, Problem

PROGRAMS = {"reeve-server": ["usr/bin/reeved", "usr/lib/reeve/ngx_http_reeve_module.so"], "reeve-cli": ["usr/bin/reeve"]}


def build(folder, *words):
    """By script/build-packages, which takes these words, too; the folder."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run([os.path.join(ROOT, "script/build-packages"), *words, folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def find(folder, package):
    found = glob.glob(os.path.join(folder, package + "_*.deb"))
    if len(found) != 1:
        raise Problem("%s has %d packages %s; script/build-packages makes one" % (folder, len(found), package))
    return found[0]


def take_programs(folder, into):
    """As if `into` were a build folder, without the agent."""
    os.makedirs(into)
    for package, files in PROGRAMS.items():
        whole = os.path.join(into, package)
        subprocess.run(["dpkg-deb", "--extract", find(folder, package), whole], check=True)
        for file in files:
            os.rename(os.path.join(whole, file), os.path.join(into, os.path.basename(file)))
        shutil.rmtree(whole)
