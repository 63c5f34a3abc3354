# SPDX-License-Identifier: Apache-2.0
"""A TypeScript client is made from the OpenAPI document, compiled strictly, and makes one call of each family to a real node.

    REEVE_BUILD=build script/with-services /usr/bin/python3 test/openapi/client_test.py

The calls are in client/calls.ts. What is generated and compiled lies in the build folder, in openapi-client/.
"""
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "api"))
import node_packages
from suite import ends_on_signal
from world import BUILD, ROOT, bootstrap, make_fleet, no_limits, reeved, start_node

SOURCE = os.path.join(HERE, "client")
TOOLS = os.path.join(SOURCE, "node_modules", ".bin")
FOLDER = os.path.join(ROOT, BUILD, "openapi-client")
DOCUMENT = os.path.join(FOLDER, "openapi.json")


def run(what, *command, folder=FOLDER, **environment):
    """Whether it ended well; how long it took is said, and what it printed when it did not."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    print("  %s: %.0f s" % (what, time.monotonic() - began), flush=True)
    if done.returncode != 0 or what == "calls":
        print(done.stdout, end="", flush=True)
    return done.returncode == 0


def compile_client():
    # Without the option a field with a default would be one that must be sent.
    return (run("types", os.path.join(TOOLS, "openapi-typescript"), DOCUMENT, "--default-non-nullable", "false", "-o", "schema.ts")
            and run("tsc --strict", os.path.join(TOOLS, "tsc"), "-p", "."))


def make_calls():
    with start_node() as node:
        make_fleet()
        owner = bootstrap(node.conf, "Typed")
        no_limits([owner.home])
        return run("calls", "node", os.path.join("out", "calls.js"), NODE_EXTRA_CA_CERTS=node.ca, REEVE_BASE_URL=node.base_url,
                   REEVE_OPENAPI=DOCUMENT, REEVE_CLIENT_ID=owner.client_id, REEVE_CLIENT_SECRET=owner.client_secret)


def main():
    ends_on_signal()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for name in ("calls.ts", "tsconfig.json", "package.json"):
        shutil.copy(os.path.join(SOURCE, name), FOLDER)
    os.symlink(os.path.join(SOURCE, "node_modules"), os.path.join(FOLDER, "node_modules"))
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(reeved("openapi", "--base-url", "https://reeve.example.org"))
    node_packages.install(SOURCE)
    if compile_client() and make_calls():
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
