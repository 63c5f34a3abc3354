#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of the how-to guides.

  test/docs/howto_test.py [--build build]                    every command of every guide: is there such a one, with these options?
  test/docs/howto_test.py --machines [--packages FOLDER]     the blocks marked `sh` of the guides of operators, on machines of their own:
                                                             needs root; with FOLDER the packages are not built
"""
import argparse
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for folder in ("api", "fleet", "package"):
    sys.path.insert(0, os.path.join(ROOT, "test", folder))
from suite import Suite, ends_on_signal  # noqa: E402

PAGES = sorted(glob.glob(os.path.join(ROOT, "docs", "how-to", "*.md"))) + [os.path.join(ROOT, "docs", name) for name in ("limits.md", "consistency.md")]
NAMES = {"orders", "h1", "h3", "platform", "storefront", "default", "west", "r1"}  # of clusters, hosts, groups, teams and groups of etcd in the guides
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.M | re.S)
PROGRAM = re.compile(r"(?:^|(?<=[\s(`]))(reeved|reeve-agent|reeve) +((?!reeve\b)[a-z][^|;&>)\n]*)")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"<!--.*?-->", "", file.read(), flags=re.S)


def section_of(path, title):
    """The `sh` blocks of one section."""
    section = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % re.escape(title), text_of(path), re.M | re.S).group(1)
    return [block for language, block in FENCE.findall(section) if language == "sh"]


def blocks_of(path):
    return [block for language, block in FENCE.findall(text_of(path)) if language == "sh"]


# ---- Is there such a command? ----
def commands_in(text):
    """(program, arguments) of each command in a page: in blocks, and in the text as code."""
    pieces = [block.replace("\\\n", " ") for language, block in FENCE.findall(text) if language in ("", "sh")]
    pieces += re.findall(r"`([^`\n]+)`", re.sub(FENCE, "", text))
    for piece in pieces:
        for line in piece.splitlines():
            line = re.sub(r"(^|\s)#.*$", "", line)
            yield from PROGRAM.findall(re.sub(r"<<\w+.*", "", line))


class Help:
    """What each program says about its commands."""

    def __init__(self, build):
        self.build, self.known = build, {}

    def ask(self, program, words):
        key = (program, *words)
        if key not in self.known:
            done = subprocess.run([os.path.join(self.build, program), *words, "--help"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "HOME": "/nonexistent"})
            self.known[key] = done.stdout if done.returncode == 0 else None
        return self.known[key]

    def find(self, program, words):
        """The longest beginning that is a command, what it says, and the words behind it."""
        for count in range(len(words), 1 if words[:1] == ["fleet"] and len(words) > 1 else 0, -1):
            says = self.ask(program, words[:count])
            if says is not None and re.search(r"(?i)usage[:\s]+%s %s\b" % (program, re.escape(" ".join(words[:count]))), says):
                return says, words[count:]
        # Some commands of reeved have one help for all that they can do.
        says = self.ask(program, words[:1]) if program != "reeve" and words[:1] != ["fleet"] else None
        return (says, words[1:]) if says is not None else (None, words)


def test_commands(suite, build):
    help_of, count = Help(build), 0
    for path in PAGES:
        name = os.path.basename(path)
        for program, rest in commands_in(text_of(path)):
            if rest.rstrip(" .,:") in ("api", "worker"):  # names of services
                continue
            try:
                tokens = shlex.split(rest.replace("…", ""))
            except ValueError:
                tokens = rest.replace("'", "").replace('"', "").split()
            words = []
            for token in tokens:
                if not re.fullmatch(r"[a-z][a-z0-9-]*", token):
                    break
                words.append(token)
            count += 1
            says, further = help_of.find(program, words)
            if not suite.check(says is not None, "%s: there is no `%s %s`", name, program, rest):
                continue
            unknown = [word for word in further if word not in NAMES and not re.search(r"\b%s\b" % re.escape(word), says)]
            suite.check(not unknown, "%s: `%s %s` has no %s", name, program, rest, unknown)
            missing = [option for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", rest) if option + " " not in says.replace(",", " ").replace("\n", " ")
                       and option != "--config"]
            suite.check(not missing, "%s: `%s %s` has no option %s", name, program, rest, missing)
    suite.say("%d commands of %d pages" % (count, len(PAGES)))
    suite.check(count > 60, "commands were found: %d", count)


def test_rules(suite, build):
    """The configuration for Prometheus. script/check-monitoring looks at the rules."""
    del build
    blocks = [block for language, block in FENCE.findall(text_of(os.path.join(ROOT, "docs/how-to/watch-it.md"))) if language == "yaml"]
    suite.equal(len(blocks), 1, "blocks of configuration")
    if shutil.which("promtool") is None:
        suite.say("promtool is not installed: the configuration was not read by it")
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(ROOT, "deploy/monitoring/reeve.rules.yml"), folder)
        with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(blocks[0])
        done = subprocess.run(["promtool", "check", "config", "prometheus.yml"], cwd=folder, capture_output=True, text=True, check=False)
        suite.check(done.returncode == 0, "promtool check config: %s%s", done.stdout, done.stderr)


# ---- On machines ----
LOGIN = """export REEVE_SERVER=https://localhost:8443 REEVE_CA_FILE=/etc/reeve/tls.crt HOME=/root
export REEVE_ORG_ID=$(jq -r .orgId /root/credentials.json)
export REEVE_CLIENT_ID=$(jq -r .clientId /root/credentials.json) REEVE_CLIENT_SECRET=$(jq -r .clientSecret /root/credentials.json)
"""
# What a deployment in use has: people, keys, projects, something sealed, hosts.
DATA = LOGIN + """
KEY=$(reeve api-keys org create --desc 'nightly job' --roles ORG_READ_ONLY | jq -r .id)
reeve api-keys org access-list create $KEY --cidr-block 127.0.0.0/8 > /dev/null
for name in one two three; do reeve projects create --name $name --org-id $REEVE_ORG_ID > /dev/null; done
PROJECT=$(reeve projects list --query "results[?name=='one'].id" --output text)
reeve database-users create --project $PROJECT --username app --password @<(printf 'Sesame-2026-open') --roles '[{"roleName": "readWrite", "databaseName": "shop"}]' > /dev/null
reeve access-list create --project $PROJECT --ip-address 192.0.2.10 > /dev/null
reeve users org create --username ada@example.org --roles '{"orgRoles": ["ORG_MEMBER"]}' > /dev/null
runuser -u reeve -- reeved fleet init > /dev/null
runuser -u reeve -- reeved fleet provider add OWN
runuser -u reeve -- reeved fleet region add OWN EU_WEST
"""
HOSTS = """runuser -u postgres -- psql --quiet reeve <<END
INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb) VALUES
    (decode('650000000000000000000a01', 'hex'), 'h1', 'OWN', 'EU_WEST', 'a', 4, 8192, 100),
    (decode('650000000000000000000a03', 'hex'), 'h3', 'OWN', 'EU_WEST', 'c', 4, 8192, 100);
END
"""
# Everything that a tenant can see of it.
LOOK = LOGIN + """
reeve organizations list --all; reeve projects list --all; reeve api-keys org list --all; reeve service-accounts org list --all; reeve users org list --all
PROJECT=$(reeve projects list --query "results[?name=='one'].id" --output text)
reeve database-users list --all --project $PROJECT; reeve access-list list --all --project $PROJECT
reeve events org list --all --max-date "$1"
"""


def type_in(suite, machine, what, blocks, before="", timeout=300):
    """Blocks of a page, one after the other in one shell. What the last one printed."""
    began = time.monotonic()
    done = machine.shell("cd /root\n" + before + "".join("echo '---- block' >&2\n%s" % block for block in blocks), check=False, timeout=timeout)
    suite.check(done.returncode == 0, "%s: %s%s", what, done.stdout, done.stderr)
    suite.check(blocks, "%s has no blocks", what)
    suite.say("%5.1f s  %s: %d blocks" % (time.monotonic() - began, what, len(blocks)))
    return done.stdout


def wait_for_worker(suite, machine):
    from machine import wait
    suite.check(wait(lambda: machine.shell("runuser -u reeve -- reeved check", check=False).returncode == 0, 30), "the worker works")


def install(suite, machine):
    from package_test import commands_of  # the page of the installation
    for block in commands_of("One machine"):
        done = machine.shell("cd /root\n" + block, check=False, timeout=300)
        suite.check(done.returncode == 0, "installing: %s%s%s", block, done.stdout, done.stderr)
        if "systemctl start" in block:
            wait_for_worker(suite, machine)


def page(name):
    return os.path.join(ROOT, "docs", "how-to", name + ".md")


def look(machine, until):
    """Without when credentials were last used, which the looking itself changes."""
    text = machine.shell("set -- %s\n" % until + LOOK).stdout
    return re.sub(r'"(lastUsed\w*|count)": *("[^"]*"|\d+)', "", text)


def test_rotate(suite, machine):
    def keys():
        return json.loads(machine.shell(LOGIN + "export REEVE_CLIENT_SECRET=$(jq -r .secret /root/secret.json 2>/dev/null || echo $REEVE_CLIENT_SECRET)\nreeve api-keys org list --all").stdout)["results"]
    old = next(key["id"] for key in keys() if key["desc"] == "nightly job")
    fingerprint = "openssl s_client -connect localhost:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint"
    before = machine.shell(fingerprint).stdout
    type_in(suite, machine, "rotate a key", blocks_of(page("rotate-a-key")), "export HOME=/root\n")
    suite.check(old not in [key["id"] for key in keys()], "the old key is gone")
    suite.check(any(key["desc"].startswith("nightly job,") for key in keys()), "the new key is there")
    done = machine.shell(LOGIN + "reeve organizations list", check=False)
    suite.check(done.returncode != 0 and "401" in done.stdout + done.stderr, "the old secret is refused: %s%s", done.stdout, done.stderr)
    # The credentials from now on.
    machine.shell("jq --slurpfile new /root/secret.json '.clientSecret = $new[0].secret' /root/credentials.json > /root/c.json && mv /root/c.json /root/credentials.json")
    suite.check(machine.shell(fingerprint).stdout != before, "another certificate is shown")
    suite.equal(machine.shell("stat --format '%a %G' /etc/reeve/fleet/agents/key.pem").stdout.strip(), "640 reeve", "the key of the agents' listener")


def test_recover(suite, machine):
    machine.shell(HOSTS)
    said = type_in(suite, machine, "recover a host", blocks_of(page("recover-a-host")))
    suite.check("reeve-agent join" in said, "the command to join: %s", said)
    hosts = {host["name"]: host["state"] for host in json.loads(machine.shell("runuser -u reeve -- reeved fleet host list --json").stdout)}
    suite.check(hosts.get("h1") == "ACTIVE" and hosts.get("h3", "REMOVED") == "REMOVED", "the hosts afterwards: %s", hosts)
    jobs = machine.shell("runuser -u reeve -- reeved jobs --all --json").stdout
    suite.check("host.drain" in jobs, "the host is being emptied: %s", jobs)
    machine.shell("runuser -u postgres -- psql --quiet --command \"UPDATE host SET last_seen_at = now() WHERE name = 'h1'\" reeve")


def test_upgrade(suite, machine):
    said = type_in(suite, machine, "upgrade", blocks_of(page("upgrade")), HOSTS_FINE)
    suite.check('"ready":true' in said, "it is ready: %s", said)


# The hosts of the guides are rows only, and there is no name server here: `reeved check` would say so.
HOSTS_FINE = "cd / && runuser -u postgres -- psql --quiet --command \"UPDATE host SET state = 'REMOVED'; DELETE FROM dns_zone\" reeve && cd /root\n"


def test_automate(suite, machine):
    """The first block twice: one project. The second with an old tag: refused."""
    before = LOGIN + """export REEVE=$REEVE_SERVER ORG_ID=$REEVE_ORG_ID CURL_CA_BUNDLE=$REEVE_CA_FILE
TOKEN=$(curl --silent --user "$REEVE_CLIENT_ID:$REEVE_CLIENT_SECRET" --data grant_type=client_credentials "$REEVE/api/oauth/token" | jq -r .access_token)
GROUP_ID=$(reeve projects list --query "results[?name=='storefront' || name=='storefront-eu'].id" --output text)
"""
    create, change = blocks_of(page("automate-it-safely"))
    answers = [json.loads(type_in(suite, machine, "automate it", [create], before)) for _ in range(2)]
    suite.equal(answers[0], answers[1], "the answer to a repetition")
    suite.equal(json.loads(type_in(suite, machine, "change what was seen", [change], before))["name"], "storefront-eu", "the new name")
    stale = change.replace("ETAG=$(", "ETAG='\"old\"' ; : $(").replace("--fail", "--silent --output /dev/null --write-out '%{http_code}'")
    suite.equal(machine.shell(before + stale).stdout, "412", "a change of what somebody else has changed")
    suite.check(machine.shell(LOGIN + "reeve federation get --query id --output text").stdout.strip(), "the federation has an id")


def test_backup(suite, image_path, first, packages, machine_class):
    path = page("back-up-the-control-plane")
    first.shell(HOSTS_FINE)
    time.sleep(2)
    until = first.shell("date --utc +%Y-%m-%dT%H:%M:%SZ").stdout.strip()
    before = look(first, until)
    type_in(suite, first, "the backup", section_of(path, "Every night"))
    # What is lost: something that happened after the backup.
    first.shell(LOGIN + "reeve projects create --name late --org-id $REEVE_ORG_ID")
    with tempfile.TemporaryDirectory() as kept:
        for name in ("reeve-backup", "credentials.json"):
            subprocess.run(["cp", "--archive", os.path.join(first.root, "root", name), kept], check=True)
        suite.equal(sorted(os.listdir(os.path.join(kept, "reeve-backup"))), ["etc-reeve.tar", "reeve.dump", "roles.sql"], "what is kept")
        first.stop()
        with machine_class(image_path, "b") as second:
            for package in glob.glob(packages + "/*.deb"):
                second.put(package, "/root/")
            subprocess.run(["cp", "--archive", os.path.join(kept, "reeve-backup"), os.path.join(kept, "credentials.json"), os.path.join(second.root, "root")], check=True)
            *blocks, check = section_of(path, "Restore to a new machine")
            said = type_in(suite, second, "the restore", blocks, timeout=600)
            suite.check("0 problems" in said, "the events were verified: %s", said)
            wait_for_worker(suite, second)
            said = type_in(suite, second, "looking it over", [check])
            suite.check("0 faults" in said, "nothing is wrong: %s", said)
            after = look(second, until)
            suite.check(before == after and "ada@example.org" in after, "what a tenant sees is the same:\n%s\n----\n%s", before, after)
            suite.check('"late"' not in second.shell(LOGIN + "reeve projects list --all").stdout, "what came after the backup is lost")
            # It is not only there, it works: sealed things open, and changes are accepted.
            second.shell(LOGIN + "reeve projects create --name after --org-id $REEVE_ORG_ID && reeve projects list")
            verified = second.shell("runuser -u reeve -- reeved audit verify").stdout
            suite.check("0 problems" in verified, "the chain goes on: %s", verified)
            suite.say(verified.strip())


def test_machines(suite, packages):
    import image
    from machine import Machine
    with tempfile.TemporaryDirectory() as built:
        if packages is None:
            packages = built
            subprocess.run([os.path.join(ROOT, "script/build-packages"), packages], check=True, stdout=subprocess.DEVNULL)
        base = image.ensure(suite.say, image.SERVER)
        with Machine(base, "a") as first:
            for path in glob.glob(packages + "/*.deb"):
                first.put(path, "/root/")
            install(suite, first)
            done = first.shell(DATA, check=False)
            suite.check(done.returncode == 0, "the data: %s%s", done.stdout, done.stderr)
            test_rotate(suite, first)
            test_recover(suite, first)
            test_upgrade(suite, first)
            test_automate(suite, first)
            test_backup(suite, base, first, packages, Machine)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("REEVE_BUILD", "build"))
    parser.add_argument("--machines", action="store_true")
    parser.add_argument("--packages", default=os.environ.get("REEVE_PACKAGES"))
    options = parser.parse_args()
    ends_on_signal()
    suite = Suite("guides on machines" if options.machines else "guides")
    if options.machines:
        test_machines(suite, options.packages)
    else:
        test_commands(suite, os.path.join(ROOT, options.build))
        test_rules(suite, options.build)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
