#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
DOCUMENTATION = """
module: cluster
short_description: A replicated PostgreSQL cluster of a Reeve project
description: [Creates a cluster, changes it, or removes it with its data. By default the task waits until the cluster is as it was asked to be.]
options:
  name: {type: str, required: true, description: Its name.}
  project: {type: str, description: Name or id of its project. By default that of the profile or of REEVE_PROJECT_ID.}
  region: {type: str, description: Region of the hosts. Needed for a new cluster.}
  size: {type: str, description: Size of each member. Needed for a new cluster.}
  nodes: {type: int, description: Members that can become the primary. A new cluster has 3 by default.}
  disk: {type: int, description: Gigabytes for each member. It never shrinks.}
  provider: {type: str, description: Provider of the hosts. By default the one that has the region.}
  db_major_version: {type: str, description: Major version of PostgreSQL. By default the newest for a new cluster.}
  tags: {type: dict, description: Its tags. Left as they are when they are not given.}
  paused: {type: bool, description: Whether its servers are stopped.}
  backup_enabled: {type: bool, description: Whether it is backed up.}
  pit_enabled: {type: bool, description: Whether any moment can be restored.}
  termination_protection_enabled: {type: bool, description: Whether it is protected against termination.}
  wait: {type: bool, default: true, description: Wait until it can be used.}
  wait_seconds: {type: int, default: 900, description: How long at most.}
  state: {type: str, default: present, choices: [present, absent], description: Whether it shall be there.}
  reeve: {type: path, default: reeve, description: The program.}
  profile: {type: str, description: A profile of it.}
"""
EXAMPLES = """
- reeve.admin.cluster:
    project: web
    name: orders
    region: EU_NORTH
    size: M10
    nodes: 3
    backup_enabled: true
"""
RETURN = """
cluster: {type: dict, returned: when it is there, description: The cluster as the API returns it.}
"""
from ansible_collections.reeve.admin.plugins.module_utils.reeve import Reeve, said, tags  # noqa: E402

ARGUMENTS = {"name": {"type": "str", "required": True}, "project": {"type": "str"}, "region": {"type": "str"}, "size": {"type": "str"}, "nodes": {"type": "int"},
             "disk": {"type": "int"}, "provider": {"type": "str"}, "db_major_version": {"type": "str"}, "tags": {"type": "dict"}, "paused": {"type": "bool"},
             "backup_enabled": {"type": "bool"}, "pit_enabled": {"type": "bool"}, "termination_protection_enabled": {"type": "bool"},
             "wait": {"type": "bool", "default": True}, "wait_seconds": {"type": "int", "default": 900}}


def main():
    reeve = Reeve(ARGUMENTS)
    p = reeve.params
    project = ["--project", p["project"]] if p["project"] else []
    before = reeve.find(["clusters", "list", *project], "name", p["name"])
    if before is None and p["state"] == "present" and not (p["region"] and p["size"]):
        reeve.module.fail_json(msg="a new cluster needs region and size")
    # What lies inside of lists has flags of its own, which `reeve` puts where it belongs.
    flags = [word for flag in ("region", "size", "nodes", "disk", "provider") if p[flag] is not None for word in ("--" + flag, str(p[flag]))]
    changes = said(dbMajorVersion=p["db_major_version"], tags=tags(p["tags"]), paused=p["paused"], backupEnabled=p["backup_enabled"], pitEnabled=p["pit_enabled"],
                   terminationProtectionEnabled=p["termination_protection_enabled"])
    which = [p["name"], *project]
    update = ["clusters", "update", *which, *flags] if flags or changes else []
    reeve.keep(before, ["clusters", "create", *project, *flags], update, ["clusters", "delete", *which], "cluster",
               body={"name": p["name"], **changes}, changes=changes or None, get=["clusters", "get", *which] if p["wait"] else None)


if __name__ == "__main__":
    main()
