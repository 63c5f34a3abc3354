# SPDX-License-Identifier: Apache-2.0
"""`reeved check` on a deployment in which nothing is wrong, and then with one fault after the other, each really made: it finds
each, finds nothing else, and says what to do."""
import os
import shutil
import signal
import subprocess
import sys

from agents import FACTS, Fleet
from client import wait_until
from names_test import DOMAIN, PowerDns, answers
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from world import sql

DAY_S = 24 * 3600


class Deployment:
    """A node that hosts talk to, a host, a worker that has worked, an etcd, and PowerDNS."""

    def __init__(self, fleet):
        self.fleet, self.node = fleet, fleet.node
        self.etcd_port = free_port()
        self.etcd = self.dns = None

    def __enter__(self):
        fleet, node = self.fleet, self.node
        folder = os.path.join(node.folder, "etcd")
        url = "http://127.0.0.1:%d" % self.etcd_port
        self.etcd = subprocess.Popen(["etcd", "--data-dir", folder, "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls",
                                      "http://127.0.0.1:%d" % free_port(), "--log-level", "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        node.write_conf(etcd=url, domain=DOMAIN)
        node.run("fleet", "init")
        sql("ALTER ROLE reeve_dns LOGIN")
        fleet.join("h1", token=fleet.token("h1", zone="a"), facts={**FACTS, "patroniVersion": "4.0.7"})
        # What the test's own services are started with, because it is fast, is a fault that has its turn below.
        sql("ALTER SYSTEM SET fsync = on; ", os.environ["REEVE_TEST_SUPER_DSN"])
        for name in ("full_page_writes", "synchronous_commit"):
            sql("ALTER SYSTEM SET %s = on" % name, os.environ["REEVE_TEST_SUPER_DSN"])
        sql("SELECT pg_reload_conf()", os.environ["REEVE_TEST_SUPER_DSN"])
        worker = subprocess.Popen([node.reeved, "worker", "--config", node.conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: sql("SELECT count(started_at) FROM sweep") != "0", 20)
        finally:
            worker.terminate()
            worker.wait(30)
        self.start_dns()
        return self

    def start_dns(self, **changes):
        self.dns = PowerDns(**changes)
        wait_until(lambda: answers(self.dns), 20)

    def __exit__(self, *_):
        for process in (self.etcd, self.dns):
            if process is self.dns and process is not None:
                process.stop()
            elif process is not None:
                process.kill()
                process.wait()

    def examine(self, command=()):
        words = [*command, self.node.reeved, "check", "--config", self.node.conf, "--dns", "127.0.0.1:%d" % self.dns.port]
        return subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1"})


# ---- Faults: each is a generator that makes the fault, waits while it is looked for, and mends it ----
def settings(deployment, **changes):
    before = {key: deployment.node.settings.get(key) for key in changes}
    deployment.node.write_conf(**changes)
    yield
    deployment.node.write_conf(**before)


def statement(make, mend, dsn=None):
    sql(make, dsn)
    yield
    sql(mend, dsn)


def server_setting(name, value):
    dsn = os.environ["REEVE_TEST_SUPER_DSN"]
    for number, text in enumerate((value, "on")):
        sql("ALTER SYSTEM SET %s = %s" % (name, text), dsn)
        sql("SELECT pg_reload_conf()", dsn)
        wait_until(lambda wanted=text: sql("SHOW " + name, dsn) == wanted, 10)
        if number == 0:
            yield


def expired_certificate(deployment):
    folder = deployment.node.folder
    for days in ("-1", "3"):
        name = "old" + days
        certificate, key = os.path.join(folder, name + ".crt"), os.path.join(folder, name + ".key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                        "-keyout", key, "-out", certificate, *(["-days", days] if days != "-1" else ["-days", "1"])], check=True, capture_output=True)
        if days == "-1":  # openssl makes none that has expired
            subprocess.run(["faketime", "-f", "-40d", "openssl", "req", "-x509", "-key", key, "-subj", "/CN=localhost", "-days", "30", "-out", certificate],
                           check=True, capture_output=True)
        yield from settings(deployment, certificate=certificate, certificate_key=key)


def other_key(deployment):
    _, key = make_certificate(deployment.node.folder, "other")
    yield from settings(deployment, certificate_key=key)


def open_key_file(deployment):
    os.chmod(deployment.node.key_file, 0o644)
    yield
    os.chmod(deployment.node.key_file, 0o600)


def full_disk(deployment):
    folder = os.path.join(deployment.node.folder, "small")
    os.mkdir(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
    try:
        with open(os.path.join(folder, "everything"), "wb") as file:
            file.write(bytes(4 * 1024 * 1024 - 4096 * 4))
        yield from settings(deployment, run_dir=folder)
    finally:
        subprocess.run(["umount", folder], check=True)


def redis_policy():
    redis_cli = ["redis-cli", *(["-s", os.environ["REEVE_TEST_REDIS"]] if "/" in os.environ["REEVE_TEST_REDIS"]
                                else ["-p", os.environ["REEVE_TEST_REDIS"].rsplit(":", 1)[1]]), "CONFIG", "SET", "maxmemory-policy"]
    for number, policy in enumerate(("allkeys-lru", "noeviction")):
        subprocess.run([*redis_cli, policy], check=True, capture_output=True)
        if number == 0:
            yield


def etcd_stopped(deployment):
    yield from settings(deployment, etcd="http://127.0.0.1:%d" % free_port())


def second_host_gone(deployment):
    """The database on two machines, of which one is off and has no copy."""
    words = dict(word.split("=") for word in deployment.node.settings["database"].split())
    words.update(host=words["host"] + ",127.0.0.1", port="%s,%d" % (words["port"], free_port()), target_session_attrs="read-write")
    yield from settings(deployment, database=" ".join("%s=%s" % pair for pair in words.items()))


def names_cached(deployment):
    deployment.dns.stop()
    deployment.start_dns(**{"cache-ttl": 20, "query-cache-ttl": 20})
    yield
    deployment.dns.stop()
    deployment.start_dns()


def names_gone(deployment):
    os.kill(deployment.dns.process.pid, signal.SIGSTOP)
    yield
    os.kill(deployment.dns.process.pid, signal.SIGCONT)


def bad_prices(deployment):
    path = os.path.join(deployment.node.folder, "prices")
    with open(path, "w", encoding="utf-8") as file:
        file.write("member M10 cheap\n")
    yield from settings(deployment, price_file=path)


def faults(deployment):
    """(what, generator, part that it is found in, words of the sentence, words of the remedy)"""
    nowhere = os.path.join(deployment.node.folder, "nowhere")
    newest = sql("SELECT max(version) FROM schema_migration")
    yield "expired certificates", expired_certificate(deployment), "certificates", "expire", "systemctl reload reeve-api"
    yield "a certificate of another key", other_key(deployment), "certificates", "was not made for the key", "its own key"
    yield "a key file that others read", open_key_file(deployment), "key", "others can read it", "0600"
    yield "no module", settings(deployment, module=nowhere), "program", "No such file", "Install reeve-server"
    if os.geteuid() == 0:
        yield "a full disk", full_disk(deployment), "disk", "is full", "Remove files that are not needed"
    yield "a price that is none", bad_prices(deployment), "prices", "prices:1", "Correct the file"
    yield "no database", settings(deployment, database="host=%s dbname=reeve" % nowhere), "database", "cannot be reached", "Start PostgreSQL"
    yield "one host of the database gone", second_host_gone(deployment), "database", "PostgreSQL on 127.0.0.1", "patronictl list"
    yield "a copy of the database gone", second_host_gone(deployment), "database", "copied to 0 other machines, and `database` names 1", "patronictl list"
    yield "a server that forgets", server_setting("fsync", "off"), "database", "fsync off", "survive a crash"
    yield "a migration that is missing", statement(
        "CREATE TABLE kept AS SELECT * FROM schema_migration WHERE version = %s; DELETE FROM schema_migration WHERE version = %s" % (newest, newest),
        "INSERT INTO schema_migration SELECT * FROM kept; DROP TABLE kept"), "schema", "needs " + newest, "reeved migrate"
    yield "a newer schema", statement("INSERT INTO schema_migration (version, name, sha256) VALUES (9999, 'later', '')",
                                      "DELETE FROM schema_migration WHERE version = 9999"), "schema", "newer version", "Install the newer version"
    yield "Redis gone", settings(deployment, redis="127.0.0.1:%d" % free_port()), "redis", "does not answer", "counts limits on its own"
    yield "one Redis of two gone", settings(deployment, redis=[deployment.node.redis, "127.0.0.1:%d" % free_port()]), "redis", "does not answer", "first that answers"
    yield "a Redis that forgets", redis_policy(), "redis", "allkeys-lru", "noeviction"
    yield "etcd gone", etcd_stopped(deployment), "etcd", "Connection refused", "no cluster can choose"
    yield "the etcd of the database gone", settings(deployment, database_etcd="https://127.0.0.1:%d" % free_port()), "etcd", "Connection refused", "no primary"
    yield "PowerDNS hangs", names_gone(deployment), "names", "no answer within two seconds", "deploy/pdns.conf"
    yield "PowerDNS remembers", names_cached(deployment), "names", "caches answers", "cache-ttl"
    yield "no worker", statement("UPDATE sweep SET started_at = started_at - interval '1 day'", "UPDATE sweep SET started_at = started_at + interval '1 day'"), \
        "workers", "No worker has worked for 144", "reeved worker"
    kept = "INSERT INTO own_backup (host_id, unit, window_to, problem, drill) SELECT id, 'active', now() - interval '%s', %s, %s FROM host LIMIT 1"
    yield "own backups that stand still", statement(kept % ("9 min", "NULL", "NULL"), "DELETE FROM own_backup"), "own backup", "the last 9 minutes of it would be lost", "reeve-agent"
    yield "own backups that fail", statement(kept % ("1 s", "'The disk is full.'", "NULL"), "DELETE FROM own_backup"), "own backup", "The disk is full.", "own-database show"
    yield "own backups that no control plane starts from", statement(kept % ("1 s", "NULL", "'{\"state\": \"FAILED\", \"problem\": \"No server starts.\"}'"), "DELETE FROM own_backup"), \
        "own backup", "No server starts.", "own-database show"
    yield "a silent host", statement("UPDATE host SET last_seen_at = now() - interval '9 min', joined_at = now() - interval '9 min'",
                                     "UPDATE host SET last_seen_at = now()"), "hosts", "h1 has been silent for 9 minutes", "reeve-agent"
    yield "an old Patroni", statement("UPDATE host SET facts = jsonb_set(facts, '{patroniVersion}', '\"3.0.2\"')",
                                      "UPDATE host SET facts = jsonb_set(facts, '{patroniVersion}', '\"4.0.7\"')"), "hosts", "Patroni 3.0.2", "4.0.7 or newer"
    yield "a host's certificate that ends", statement("UPDATE certificate SET not_after = now() + interval '50 h' WHERE kind = 'HOST'",
                                                      "UPDATE certificate SET not_after = now() + interval '30 d' WHERE kind = 'HOST'"), \
        "hosts", "ends in 2 days", "renewed it"


def findings(text):
    """(part, sentence, remedy) of each fault."""
    lines, found, part = text.splitlines(), [], ""
    for number, line in enumerate(lines):
        if line.startswith("  WRONG"):
            part = line[9:24].strip() or part
            found.append((part, line[24:], lines[number + 1].strip()))
    return found


def test_faults(suite, deployment):
    count = 0
    for what, fault, part, sentence, remedy in faults(deployment):
        for _ in fault:
            done = deployment.examine()
            found = findings(done.stdout)
            suite.equal(done.returncode, 1, what + ": exit status")
            suite.equal(sorted({one[0] for one in found}), [part], what + ": parts that are wrong in\n" + done.stdout + done.stderr)
            suite.check(any(sentence in one[1] and remedy in one[2] for one in found), "%s: %r says %r and what to do" % (what, found, sentence))
            count += 1
    return count


def test_clock(suite, deployment):
    done = deployment.examine(["faketime", "-f", "+90s"])
    suite.check(any(one[0] == "clock" and "differ by " in one[1] and "chrony" in one[2] for one in findings(done.stdout)), "clock skew: " + done.stdout)


def main():
    ends_on_signal()
    suite = Suite("check")
    for program in ("etcd", "pdns_server", "faketime"):
        if shutil.which(program) is None:
            suite.fail("%s is not installed: script/bootstrap does it" % program)
            return suite.finish()
    with Fleet() as fleet, Deployment(fleet) as deployment:
        done = deployment.examine()
        suite.equal((done.returncode, findings(done.stdout)), (0, []), "nothing is wrong: " + done.stdout + done.stderr)
        count = test_faults(suite, deployment)
        test_clock(suite, deployment)
        done = deployment.examine()
        suite.equal((done.returncode, findings(done.stdout)), (0, []), "nothing is wrong any more: " + done.stdout + done.stderr)
        suite.say("%d faults were made and found" % (count + 1))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
