#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
DOCUMENTATION = """
module: access_list_entry
short_description: An address from which clusters of a Reeve project can be reached
description: [Adds an entry to the access list of a project, or removes it.]
options:
  address: {type: str, required: true, description: "A CIDR block, or an address, which means that one alone."}
  project: {type: str, description: Name or id of the project. By default that of the profile or of REEVE_PROJECT_ID.}
  comment: {type: str, description: What the entry is for. Used when it is added.}
  state: {type: str, default: present, choices: [present, absent], description: Whether it shall be there.}
  reeve: {type: path, default: reeve, description: The program.}
  profile: {type: str, description: A profile of it.}
"""
EXAMPLES = """
- reeve.admin.access_list_entry:
    project: web
    address: 192.0.2.0/24
    comment: office
"""
RETURN = """
entries: {type: dict, returned: when it is there, description: The entry as the API returns it.}
"""
import ipaddress  # noqa: E402

from ansible_collections.reeve.admin.plugins.module_utils.reeve import Reeve, said  # noqa: E402


def main():
    reeve = Reeve({"address": {"type": "str", "required": True}, "project": {"type": "str"}, "comment": {"type": "str"}})
    p = reeve.params
    try:
        block = str(ipaddress.ip_network(p["address"]))
    except ValueError as problem:
        reeve.module.fail_json(msg="address: %s" % problem)
    project = ["--project", p["project"]] if p["project"] else []
    before = reeve.find(["access-list", "list", *project], "cidrBlock", block)
    reeve.keep(before, ["access-list", "create", *project], [], ["access-list", "delete", block, *project], "entries",
               body=[said(cidrBlock=block, comment=p["comment"])])


if __name__ == "__main__":
    main()
