# SPDX-License-Identifier: Apache-2.0
"""A real directory (slapd) with groups, whose people may come and go while it runs. Of its database both sides of a membership can be
read: `member` of a group, and `memberOf` of a person."""
import os
import subprocess
import tempfile

BASE = "dc=example,dc=org"
BIND, BIND_PASSWORD = "cn=reeve," + BASE, "correct horse battery"
NOBODY = "cn=nobody," + BASE  # a group of this schema has somebody


def person(name, base="ou=people," + BASE):
    return "uid=%s,%s" % (name, base)


def group(name):
    return "cn=%s,ou=groups,%s" % (name, BASE)


def entries(people, groups, password="a door for %s"):
    text = "dn: {0}\nobjectClass: dcObject\nobjectClass: organization\no: example\ndc: example\n\n".format(BASE)
    for unit in ("people", "groups", "others"):
        text += "dn: ou=%s,%s\nobjectClass: organizationalUnit\nou: %s\n\n" % (unit, BASE, unit)
    for name in people:
        text += "dn: %s\nobjectClass: inetOrgPerson\nuid: %s\ncn: %s\nsn: x\nuserPassword: %s\n\n" % (
            person(name), name, name, password % name)
    for name, members in groups.items():
        text += "dn: %s\nobjectClass: groupOfNames\ncn: %s\nmember: %s\n" % (group(name), name, NOBODY)
        text += "".join("member: %s\n" % person(one) for one in members) + "\n"
    return text


class GroupDirectory:
    """`run` makes a command that runs where the directory is; `start` starts one there and returns something with poll() or None."""

    def __init__(self, folder, certificate, key, urls, run=lambda words: words):
        self.folder, self.certificate, self.urls, self.run, self.process = folder, certificate, urls, run, None
        self.config = os.path.join(folder, "slapd.conf")
        data = os.path.join(folder, "data")
        os.makedirs(data, exist_ok=True)
        with open(self.config, "w", encoding="utf-8") as file:
            file.writelines("include /etc/ldap/schema/%s.schema\n" % name for name in ("core", "cosine", "inetorgperson"))
            file.write("modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload memberof\npidfile {0}/pid\nTLSCACertificateFile {1}\n"
                       "TLSCertificateFile {1}\nTLSCertificateKeyFile {2}\nsizelimit 500\ndatabase mdb\nmaxsize 104857600\nsuffix \"{3}\"\nrootdn \"{4}\"\n"
                       "rootpw \"{5}\"\ndirectory {6}\noverlay memberof\nmemberof-dangling ignore\nmemberof-refint true\n"
                       .format(folder, certificate, key, BASE, BIND, BIND_PASSWORD, data))

    def start(self):
        self.process = subprocess.Popen(self.run(["/usr/sbin/slapd", "-f", self.config, "-h", " ".join(self.urls), "-d", "0"]),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers(self):
        return self.ask("ldapsearch", "-b", "", "-s", "base").returncode == 0

    def ask(self, *words, text=None):
        return subprocess.run(self.run([words[0], "-x", "-H", self.urls[0], "-D", BIND, "-w", BIND_PASSWORD, *words[1:]]),
                              input=text, text=True, capture_output=True, check=False, env={**os.environ, "LDAPTLS_CACERT": self.certificate})

    def change(self, text):
        """In the words of LDIF. What slapadd writes has no `memberOf`, so everything is added this way."""
        with tempfile.NamedTemporaryFile("w", suffix=".ldif", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            done = self.ask("ldapmodify", "-a", "-c", "-f", file.name)
        if done.returncode != 0:
            raise AssertionError("the directory does not take it: " + done.stderr[-500:])

    def add(self, name, member):
        self.change("dn: %s\nchangetype: modify\nadd: member\nmember: %s\n\n" % (group(name), member))

    def remove(self, name, member):
        self.change("dn: %s\nchangetype: modify\ndelete: member\nmember: %s\n\n" % (group(name), member))

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        self.process = None
