# SPDX-License-Identifier: Apache-2.0
"""What exchanges/federation.txt finds: a domain that the operator gave, an organization that shares the federation, a user of
another domain, a project, and certificates."""
import subprocess
import tempfile

from world import new_id, sql


# Of a day in 2020.
EXPIRED = """\
-----BEGIN CERTIFICATE-----
MIIBBDCBqgIBATAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANpZHAwHhcNMjAwMTAx
MDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAOMQwwCgYDVQQDDANpZHAwWTATBgcqhkjO
PQIBBggqhkjOPQMBBwNCAAQ+O/7eyfQt/QAcrWgwb86B8qMXa1YI+pqj2iQAtWPK
NjuE9sx1YZ0+D4nxEURvZ0+5NJJePma9oM6ocJTJ+n5ZMAoGCCqGSM49BAMCA0kA
MEYCIQCv1lA8SubM1SgwG7IhcVgp8I7coyV9PhyI0O6nj9UhhwIhAMqHllmZYKW6
ZyDCiPZIDzz/46jILDrL8RSzplExr6/8
-----END CERTIFICATE-----
"""


def quoted(pem):
    return pem.replace("\n", "\\n")


def certificate():
    with tempfile.NamedTemporaryFile(suffix=".pem") as out:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=idp", "-keyout", "/dev/null",
                        "-out", out.name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return out.read().decode()


def prepare_federation(world, values):
    sister = world.make_caller("Sister of " + values["orgName"])
    project = new_id()
    sql("""BEGIN; INSERT INTO federation_domain (domain, federation_id) VALUES ('federated.example', decode('{federation}', 'hex'));
           UPDATE organization SET federation_id = decode('{federation}', 'hex') WHERE id = decode('{sister}', 'hex');
           INSERT INTO project (id, org_id, name) VALUES (decode('{project}', 'hex'), decode('{org}', 'hex'), 'mapped'); COMMIT;"""
        .format(federation=values["federation"], sister=sister.home, project=project, org=values["org"]))
    world.make_person("eve@elsewhere.example", values["org"])
    return {"sister": sister.home, "sisterToken": sister.token, "project": project, "certificate": quoted(certificate()), "expired": quoted(EXPIRED)}
