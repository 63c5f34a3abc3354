#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Ansible collection, built and installed as users do it, against a real node: a playbook in check mode, twice, changed, and taken away.

    REEVE_BUILD=build script/with-services /usr/bin/python3 test/ansible/ansible_test.py

Nothing makes the clusters' members here, so tasks do not wait for them.
"""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "test", folder) for folder in ("api",)]
sys.dont_write_bytecode = True

from suite import Suite, ends_on_signal  # noqa: E402

BUILD = os.environ.get("REEVE_BUILD", "build")
COLLECTION = os.path.join(ROOT, "deploy", "ansible")
MODULES = sorted(name[:-3] for name in os.listdir(os.path.join(COLLECTION, "plugins", "modules")) if name.endswith(".py"))
PASSWORD = "correct-horse-battery"
TASKS = 6  # of site.yml that change something; the host is there already
TAKE_AWAY = """
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - reeve.admin.cluster: {project: web, name: orders, state: absent, wait: false}
    - reeve.admin.access_list_entry: {project: web, address: 192.0.2.0/24, state: absent}
    - reeve.admin.database_user: {project: web, username: app, state: absent}
    - reeve.admin.project: {name: wrong, state: absent}
"""
# Each is refused, and says why in words.
WRONG = [("reeve.admin.cluster", {"project": "web", "name": "small"}, "needs region and size"),
         ("reeve.admin.cluster", {"project": "web", "name": "orders", "size": "HUGE"}, "instanceSize"),
         ("reeve.admin.cluster", {"project": "nowhere", "name": "orders", "region": "EU_NORTH", "size": "M10"}, "there is no project"),
         ("reeve.admin.access_list_entry", {"project": "web", "address": "no address"}, "address"),
         ("reeve.admin.database_user", {"project": "web", "username": "eve", "password": "correct-horse-battery", "roles": ["rot@shop"]}, "roleName"),
         ("reeve.admin.project", {"name": "web; rm -rf /", "tags": {"x" * 300: "y"}}, ""),
         ("reeve.admin.host", {"name": "new"}, "needs provider and region")]


class Player:
    def __init__(self, suite, home, environment):
        self.suite, self.home = suite, home
        self.environment = {"PATH": os.path.abspath(os.path.join(ROOT, BUILD)) + ":/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8",
                            "ANSIBLE_COLLECTIONS_PATH": os.path.join(home, "collections"), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_LOCALHOST_WARNING": "False",
                            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "False", "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3", **environment}

    def run(self, *words):
        return subprocess.run(words, env=self.environment, cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def install(self):
        """As the guide says."""
        built = self.run("ansible-galaxy", "collection", "build", COLLECTION, "--output-path", self.home)
        self.suite.check(built.returncode == 0, "the collection is built: %s", built.stderr)
        archive = next((name for name in os.listdir(self.home) if name.endswith(".tar.gz")), "")
        installed = self.run("ansible-galaxy", "collection", "install", archive, "-p", "collections")
        self.suite.check(installed.returncode == 0, "and installed: %s", installed.stderr)

    def play(self, file, *words, what, **variables):
        """(figures of the last line, what refused tasks said)."""
        began = time.monotonic()
        done = self.run("ansible-playbook", file, "-e", json.dumps({"app_password": PASSWORD, **variables}), *words)
        self.suite.check(PASSWORD not in done.stdout + done.stderr, "the password is nowhere in what Ansible prints")
        last = re.search(r"^localhost +: (.*)$", done.stdout, re.M)
        stats = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", last[1])} if last else {}
        said = [json.loads(text).get("msg", "") for text in re.findall(r"^fatal: \[localhost\]: FAILED! => (.*)$", done.stdout, re.M)]
        self.suite.say("%-32s %5.1f s  ok=%s changed=%s failed=%s" % (what, time.monotonic() - began, stats.get("ok"), stats.get("changed"), stats.get("failed")))
        self.suite.check(stats.get("failed") == 0, "%s: %s", what, said or done.stdout[-2000:] + done.stderr[-2000:])
        return stats, said

    def wrong(self):
        """Every task is refused in words, and none falls over."""
        file = os.path.join(self.home, "wrong.yml")
        with open(file, "w") as out:
            json.dump([{"hosts": "localhost", "connection": "local", "gather_facts": False,
                        "tasks": [{module: arguments, "ignore_errors": True} for module, arguments, _ in WRONG]}], out)
        stats, said = self.play(file, what="wrong tasks")
        self.suite.equal((stats.get("ignored"), len(said)), (len(WRONG), len(WRONG)), "tasks that were refused")
        for (module, arguments, says), message in zip(WRONG, said):
            self.suite.check(says in message and "Traceback" not in message and "MODULE FAILURE" not in message, "%s %s: %s", module, arguments, message)


@contextlib.contextmanager
def node_only():
    """What a host needs to have joined is done by hand: no agent is there."""
    from world import bootstrap, make_fleet, no_limits, start_node
    with start_node() as node:
        make_fleet()
        node.run("fleet", "init")
        owner = bootstrap(node.conf, "First")
        no_limits([owner.home])
        yield operator_of(node), {"REEVE_SERVER": node.base_url, "REEVE_CA_FILE": node.ca, "REEVE_CLIENT_ID": owner.client_id,
                                  "REEVE_CLIENT_SECRET": owner.client_secret, "REEVE_ORG_ID": owner.home}


def operator_of(node):
    token = json.loads(node.run("operator", "add", "ada", "--json").stdout)["token"]
    return {"REEVE_OPERATOR_URL": "http://127.0.0.1:%d" % node.operator_port, "REEVE_OPERATOR_TOKEN": token}


def see(player, *words):
    done = player.run("reeve", *words, "--output", "json")
    return json.loads(done.stdout) if done.returncode == 0 else {"problem": done.stderr}


def walk(suite, player, playbook, tasks):
    """What a team does with a playbook, seen by `reeve` from outside."""
    stats, _ = player.play(playbook, "--check", what="check mode, nothing there yet")
    suite.equal(stats.get("changed"), tasks, "changes that it would make")
    suite.equal([one["name"] for one in see(player, "projects", "list")["results"]], [], "projects after check mode")
    stats, _ = player.play(playbook, what="first run")
    suite.equal(stats.get("changed"), tasks, "changes of the first run")
    cluster = see(player, "clusters", "get", "orders", "--project", "web")
    suite.equal(cluster["replicationSpecs"][0]["regionConfigs"][0]["electableSpecs"]["nodeCount"], 3, "members of the cluster")
    suite.equal(see(player, "database-users", "get", "app", "--project", "web").get("roles"), [{"roleName": "readWrite", "databaseName": "shop"}], "roles of the user")
    stats, _ = player.play(playbook, what="second run")
    suite.equal(stats.get("changed"), 0, "changes of the second run")
    stats, _ = player.play(playbook, "--check", what="check mode, all of it there")
    suite.equal(stats.get("changed"), 0, "changes that check mode sees then")
    larger = "M20"
    stats, _ = player.play(playbook, "--check", "--diff", what="check mode of a larger size", size=larger)
    suite.equal(stats.get("changed"), 1, "changes that it would make")
    suite.equal(see(player, "clusters", "get", "orders", "--project", "web")["generation"], cluster["generation"], "the cluster after check mode")
    stats, _ = player.play(playbook, what="a larger size", size=larger)
    suite.equal(stats.get("changed"), 1, "changes that it made")
    size = see(player, "clusters", "get", "orders", "--project", "web")["replicationSpecs"][0]["regionConfigs"][0]["electableSpecs"]["instanceSize"]
    suite.equal(size, larger, "size of the cluster")
    stats, _ = player.play(playbook, what="the same again", size=larger)
    suite.equal(stats.get("changed"), 0, "changes when it has that size")


def main():
    ends_on_signal()
    suite, home = Suite("ansible"), tempfile.mkdtemp(prefix="reeve-ansible.")
    try:
        with node_only() as (operator, tenant):
            player = Player(suite, home, {**operator, **tenant})
            player.install()
            shown = json.loads(player.run("ansible-doc", "--json", "-t", "module", *("reeve.admin." + name for name in MODULES)).stdout)
            suite.equal(sorted(shown), ["reeve.admin." + name for name in MODULES], "modules that ansible-doc explains")
            playbook = shutil.copy(os.path.join(HERE, "site.yml"), home)
            walk(suite, player, playbook, TASKS)
            player.wrong()
            away = os.path.join(home, "away.yml")
            with open(away, "w") as file:
                file.write(TAKE_AWAY)
            stats, _ = player.play(away, what="taken away")
            suite.equal(stats.get("changed"), 3, "what was there to take away")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
