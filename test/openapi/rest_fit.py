#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the OpenAPI document is fit for generic REST providers of Terraform and the like: test/openapi/rest_fit.py [--reeved build/reeved]

They create with POST, find the thing's key in the answer, and read, change and remove it at one path that ends with the key. They compare what GET
returns with what was written, so every field that can be written must come back; secrets never do.
"""
import argparse
import json
import re
import subprocess
import sys

# Collection, path of one, and the field of the answer that is its key.
THINGS = [("/groups", "/groups/{groupId}", "id"),
          ("/groups/{groupId}/clusters", "/groups/{groupId}/clusters/{clusterName}", "name"),
          ("/groups/{groupId}/databaseUsers", "/groups/{groupId}/databaseUsers/{databaseName}/{username}", "username"),
          ("/orgs/{orgId}/teams", "/orgs/{orgId}/teams/{teamId}", "id")]
# What does not come back, and why.
NOT_RETURNED = {("/groups/{groupId}/databaseUsers", "password"): "a secret",
                ("/groups/{groupId}/clusters", "globalClusterSelfManagedSharding"): "only the default is accepted",
                ("/groups/{groupId}/clusters", "encryptionAtRestProvider"): "only the default is accepted",
                ("/orgs/{orgId}/teams", "usernames"): "they are a list of their own, below the team",
                ("/groups", "projectOwnerId"): "said once, at the creation",
                ("/groups", "regionUsageRestrictions"): "said once, at the creation"}


def resolve(document, part):
    while "$ref" in part:
        at = document
        for name in part["$ref"][2:].split("/"):
            at = at[name]
        part = at
    return part


def fields(document, part):
    """Name -> schema, also of what is put together."""
    part = resolve(document, part)
    found = dict(part.get("properties", {}))
    for one in part.get("allOf", []) + part.get("oneOf", []) + part.get("anyOf", []):
        found.update(fields(document, one))
    return found


def body(document, content):
    return fields(document, next(iter(content.values()))["schema"])


def faults(document):
    paths = document["paths"]
    for collection, one, key in THINGS:
        missing = [method for method in ("get", "delete") if method not in paths.get(one, {})]
        if missing or not {"patch", "put"} & set(paths.get(one, {})) or "post" not in paths.get(collection, {}):
            yield "%s: POST there, or GET, PATCH and DELETE at %s are missing: %s" % (collection, one, missing)
            continue
        waiting = [o["operationId"] for o in [paths[collection]["post"], *paths[one].values()] if o["x-status"] != "complete"]
        if waiting:
            yield "%s: not complete: %s" % (collection, waiting)
        post = paths[collection]["post"]
        created = next(response for status, response in post["responses"].items() if status.startswith("2"))
        if key not in body(document, resolve(document, created)["content"]):
            yield "%s: the answer of POST has no `%s`" % (collection, key)
        if not re.search(r"\{\w+\}$", one):
            yield "%s does not end with its key" % one
        returned = body(document, resolve(document, paths[one]["get"]["responses"]["200"])["content"])
        for name in body(document, resolve(document, post["requestBody"])["content"]):
            if name not in returned and (collection, name) not in NOT_RETURNED:
                yield "%s: `%s` can be written, and GET does not return it" % (collection, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reeved", default="build/reeved")
    document = json.loads(subprocess.run([parser.parse_args().reeved, "openapi"], check=True, stdout=subprocess.PIPE).stdout)
    found = list(faults(document))
    # A document without a key in an answer has to be noticed.
    broken = json.loads(json.dumps(document))
    fields_of = broken["components"]["schemas"]["Cluster"]["properties"]
    fields_of.pop("name")
    noticed = any("clusters" in one and "`name`" in one for one in faults(broken))
    for one in found + ([] if noticed else ["a document without a key was not noticed"]):
        print("FAILED " + one)
    failed = len(found) + (not noticed)
    print("%d passed, %d failed" % (len(THINGS) + 1 - min(failed, len(THINGS) + 1), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
