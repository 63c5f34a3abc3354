# SPDX-License-Identifier: Apache-2.0
"""reeve.conf: every mistake is named with its line and what is allowed. Needs no services."""
import os
import re
import subprocess
import tempfile
import unittest

from node import ROOT

BUILD = "build"
GOOD = "certificate = a.crt\ncertificate_key = a.key\ndatabase = dbname=x\nkey_file = key\n"

# (line added to a good file, what the message must say)
MISTAKES = [
    ("no_such_key = 1", 'there is no key "no_such_key"; the keys are: listen, '),
    ("threads", 'a line must be "key = value"'),
    ("threads = 0", "threads cannot be \"0\": it must be a whole number from 1 to 256"),
    ("threads = 257", "from 1 to 256"), ("threads = 8x", "from 1 to 256"), ("threads = ", "from 1 to 256"), ("threads = -8", "from 1 to 256"),
    ("threads = 99999999999999999999", "from 1 to 256"),
    ("threads = 8\nthreads = 9", "threads is there twice"),
    ("certificate = b.crt", "certificate is there twice"),
    ("listen = 8443", "it must be an address with a port"), ("listen = localhost:8443", "an address with a port"),
    ("listen = 127.0.0.1:0", "an address with a port"), ("listen = 127.0.0.1:65536", "an address with a port"),
    ("listen = ::1:8443", "an address with a port"), ("listen = [::1]", "an address with a port"),
    ("listen = 127.0.0.1:8443; return 200", "an address with a port"),
    ("balancers = 10.0.0.1/8", "an address or block"), ("balancers = ten", "an address or block"),
    ("base_url = reeve.example.org", "a URL with http or https"), ("base_url = https://a/", "without a slash"),
    ("base_url = https://a b", "a URL"),
    ("redis = nowhere", "the path of a socket, or host:port"),
    ("log = /tmp/a b", "a path without spaces"), ("log = /tmp/a;daemon on", "a path"), ("run_dir = /tmp/{a}", "a path"),
    ("user = a;b", "the name of a user"), ("module = $x", "a path"),
    ("proxy_listen = 127.0.0.1:9", "proxy_listen needs balancers"),
    ("operator_certificate = a", "are needed together"),
    ("cluster_names = Named", "named, random or shard"), ("cluster_names = {name}", "named, random or shard"),
    ("cluster_port = 432", "from 1024 to 65535"), ("pooler_port = 65536", "from 1024 to 65535"),
    ("cluster_port = 6432", "cluster_port and pooler_port must differ"), ("cluster_port = 8008", "Patroni listens on port 8008 of every member"),
    ("pooler_port = 27018", "pgBackRest listens on port 27018 of every member"),
    ("x" * 5000, "longer than"),
]
TOGETHER = ("together", "needs balancers", "must differ", "listens on port")  # what no single line shows


class Configuration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "reeve.conf")
        self.write("key", os.urandom(32).hex() + "\n", 0o600)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def reeved(self, *words):
        return subprocess.run([os.path.join(ROOT, BUILD, "reeved"), *words], capture_output=True, text=True, check=False)

    def check(self, text):
        self.write("reeve.conf", text)
        return self.reeved("config", "--check", self.path)

    def test_the_smallest_file_is_enough(self):
        done = self.check(GOOD)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_mistake_is_named(self):
        for line, message in MISTAKES:
            with self.subTest(line=line[:60]):
                done = self.check("# a comment\n\n" + GOOD + line + "\n")
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
                if not any(words in message for words in TOGETHER):
                    self.assertRegex(done.stderr, r"reeve\.conf:[78]: ")

    def test_all_mistakes_are_named_at_once(self):
        done = self.check("threads = 0\nworkers = x\nfoo = 1\n")
        self.assertEqual(len([l for l in done.stderr.splitlines() if re.search(r"reeve\.conf:[123]: ", l)]), 3)
        for key in ("certificate", "certificate_key", "database", "key_file"):
            self.assertIn(f"the key {key} is missing", done.stderr)

    def test_the_key_file_is_checked(self):
        for text, mode, message in (("", 0o600, "64 hexadecimal digits"), ("a" * 63, 0o600, "64 hexadecimal digits"),
                                    ("a" * 65, 0o600, "64 hexadecimal digits"), ("z" * 64, 0o600, "64 hexadecimal digits"),
                                    ("a" * 64, 0o604, "others can read it")):
            self.write("key", text, mode)
            done = self.check(GOOD)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertNotIn("a" * 32, done.stderr)
        os.remove(os.path.join(self.folder, "key"))
        self.assertIn("No such file", self.check(GOOD).stderr)

    def test_the_sample_is_a_file_that_works_and_is_the_one_that_is_shipped(self):
        sample = self.reeved("config", "--sample").stdout
        with open(os.path.join(ROOT, "deploy/reeve.conf"), encoding="utf-8") as f:
            self.assertEqual(sample, f.read())
        self.write("prices", "member M10  0.08  One member of size M10\n")
        everything = re.sub(r"(?m)^#(\w+ =)", r"\1", sample).replace("/etc/reeve/key", "key")
        everything = everything.replace("/etc/reeve/prices", os.path.join(self.folder, "prices"))
        done = self.check(everything)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_printed_configuration_is_one_that_nginx_would_read(self):
        self.write("reeve.conf", GOOD)
        text = self.reeved("api", "--config", self.path, "--print-config").stdout
        self.assertEqual(text.count("{"), text.count("}"))
        for wanted in ("load_module ", "reeve_api;", "reeve_operator;", "reeve_error;", "ssl_protocols TLSv1.2 TLSv1.3;"):
            self.assertIn(wanted, text)
        self.assertNotIn("dbname", text)

    def test_usage(self):
        for words in (["api", "--nonsense"], ["config"], ["api", "--config"]):
            done = self.reeved(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("Usage", done.stderr)
        self.assertEqual(self.reeved("api", "--help").returncode, 0)
        self.assertEqual(self.reeved("api", "--config", "/nonexistent").returncode, 1)
