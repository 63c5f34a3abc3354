#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
DOCUMENTATION = """
module: project
short_description: A project of a Reeve organization
description: [Creates a project, changes its tags, or removes it. A project with clusters cannot be removed.]
options:
  name: {type: str, required: true, description: Its name.}
  organization: {type: str, description: Name or id of its organization. By default that of the profile or of REEVE_ORG_ID.}
  tags: {type: dict, description: Its tags. Left as they are when they are not given.}
  state: {type: str, default: present, choices: [present, absent], description: Whether it shall be there.}
  reeve: {type: path, default: reeve, description: The program.}
  profile: {type: str, description: A profile of it.}
"""
EXAMPLES = """
- reeve.admin.project:
    name: web
    tags: {team: shop}
"""
RETURN = """
project: {type: dict, returned: when it is there, description: The project as the API returns it.}
"""
import json  # noqa: E402

from ansible_collections.reeve.admin.plugins.module_utils.reeve import Reeve, tags  # noqa: E402


def main():
    reeve = Reeve({"name": {"type": "str", "required": True}, "organization": {"type": "str"}, "tags": {"type": "dict"}})
    name, org = reeve.params["name"], ["--org", reeve.params["organization"]] if reeve.params["organization"] else []
    before = reeve.find(["organizations", "projects", "list", *org[1:]] if org else ["projects", "list"], "name", name)
    # Flags and no body: `reeve` then fills in the organization.
    flags = [] if reeve.params["tags"] is None else ["--tags=" + json.dumps(tags(reeve.params["tags"]))]
    update = ["projects", "update", before["id"], *flags] if before and flags else []
    delete = ["projects", "delete", before["id"]] if before else []
    reeve.keep(before, ["projects", "create", name, *org, *flags], update, delete, "project")


if __name__ == "__main__":
    main()
