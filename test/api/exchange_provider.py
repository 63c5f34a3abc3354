# SPDX-License-Identifier: Apache-2.0
"""What operators do before the exchanges about provider roles: two projects have a role each, and an object store has a role for each of them."""
from world import new_id, sql


def make_store(name="west"):
    sql("INSERT INTO object_store (name, endpoint, bucket, region, keys) VALUES ('%s', 'https://%s.example.org', 'backups', 'eu-north', '\\x0a') ON CONFLICT DO NOTHING" % (name, name))


def make_store_role(name, external, prefix, store="west"):
    """Its name for who assumes it."""
    make_store(store)
    sql("INSERT INTO store_role (id, store, name, bucket, prefix, external_id, keys) VALUES ('\\x%s', '%s', '%s', 'tenants', '%s', '%s', '\\x0a')" % (new_id(), store, name, prefix, external))
    return "arn:reeve:s3::%s:role/%s" % (store, name)


def prepare_roles(world, values, owner):
    sql("DELETE FROM store_role")  # of the exchanges before
    for project, name in (("project", "checkout"), ("vault", "ledger")):
        values[project] = world.must(201, "POST", "/groups", owner, {"name": project, "orgId": values["org"]}).json()["id"]
        made = world.must(200, "POST", "/groups/%s/cloudProviderAccess" % values[project], owner, {"providerName": "AWS"}).json()
        values[project + "Role"], values[project + "External"] = made["roleId"], made["serviceAssumedRoleExternalId"]
        values[project + "Arn"] = make_store_role(name, made["serviceAssumedRoleExternalId"], name + "/")
        if project == "project":
            values["projectOtherArn"] = make_store_role("elsewhere", made["serviceAssumedRoleExternalId"], "elsewhere/")
