# SPDX-License-Identifier: Apache-2.0
"""Clients in Python and Go are made from the OpenAPI document by script/make-clients, and make calls to a real node.

    REEVE_BUILD=build script/with-services /usr/bin/python3 test/openapi/clients_test.py [--all]

By default only of the families that they call: the generators need nearly a minute of a processor for all of them, which is what --all does.
The TypeScript client has a test of its own, client_test.py. What is generated lies in the build folder, in clients-test/.
"""
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "api"))
from suite import ends_on_signal
from world import BUILD, ROOT, bootstrap, make_fleet, no_limits, start_node

CALLS = os.path.join(HERE, "generators")
FOLDER = os.path.join(ROOT, BUILD, "clients-test")
FAMILIES = ["Projects", "Clusters"]
GO_LIBRARIES = "/usr/share/gocode"  # where Debian keeps them


def run(what, *command, **environment):
    began = time.monotonic()
    done = subprocess.run(command, cwd=FOLDER, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print("  %s: %.0f s" % (what, time.monotonic() - began), flush=True)
    if done.returncode != 0 or what.startswith(("calls", "clients")):
        print(done.stdout[-4000:], end="", flush=True)
    return done.returncode == 0


def make_clients(families):
    words = [word for name in families for word in ("--family", name)]
    return run("clients", os.path.join(ROOT, "script/make-clients"), "--reeved", os.path.join(ROOT, BUILD, "reeved"), "--out", FOLDER, *words, "python", "go")


def compile_go():
    """Without modules: there is no network, and Debian's libraries are not modules."""
    source = os.path.join(FOLDER, "path", "src")
    shutil.copytree(os.path.join(FOLDER, "go"), os.path.join(source, "reeve"))
    os.makedirs(os.path.join(source, "calls"))
    shutil.copy(os.path.join(CALLS, "calls.go"), os.path.join(source, "calls"))
    return run("go build", "go", "build", "-o", os.path.join(FOLDER, "calls"), "calls", GO111MODULE="off", GOFLAGS="", GOPATH=os.path.join(FOLDER, "path") + ":" + GO_LIBRARIES)


def make_calls():
    with start_node() as node:
        make_fleet()
        owner = bootstrap(node.conf, "Generated")
        no_limits([owner.home])
        environment = {"REEVE_SERVER": node.base_url, "REEVE_CA_FILE": node.ca, "REEVE_CLIENT_ID": owner.client_id, "REEVE_CLIENT_SECRET": owner.client_secret,
                       "REEVE_ORG_ID": owner.home}
        python = run("calls from Python", "/usr/bin/python3", os.path.join(CALLS, "calls.py"), os.path.join(FOLDER, "python"), **environment)
        return run("calls from Go", os.path.join(FOLDER, "calls"), **environment) and python


def main():
    ends_on_signal()
    missing = [name for name in ("java", "go") if not shutil.which(name)]
    if missing:
        print("not tried: there is no %s; script/bootstrap --automation installs it" % " and no ".join(missing))
        return 1
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    return 0 if make_clients([] if "--all" in sys.argv else FAMILIES) and compile_go() and make_calls() else 1


if __name__ == "__main__":
    sys.exit(main())
