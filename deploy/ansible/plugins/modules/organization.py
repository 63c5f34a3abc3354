#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
DOCUMENTATION = """
module: organization
short_description: An organization of a Reeve deployment
description:
  - Creates an organization with a first service account that owns it. The secret of the account is in the result of the run that makes it, and never again.
  - Only operators see all organizations, so this needs REEVE_OPERATOR_URL and REEVE_OPERATOR_TOKEN beside the credentials of an owner.
options:
  name: {type: str, required: true, description: Its name.}
  service_account: {type: str, default: automation, description: Name of its first service account.}
  secret_hours: {type: int, default: 720, description: Hours until the first secret expires.}
  state: {type: str, default: present, choices: [present], description: Organizations are not removed by a playbook.}
  reeve: {type: path, default: reeve, description: The program.}
  profile: {type: str, description: A profile of it.}
"""
EXAMPLES = """
- reeve.admin.organization:
    name: Example Ltd
  register: made
  no_log: true
"""
RETURN = """
organization: {type: dict, returned: always, description: "The organization; with the secret of its service account when it was made now."}
"""
from ansible_collections.reeve.admin.plugins.module_utils.reeve import Reeve  # noqa: E402


def main():
    reeve = Reeve({"name": {"type": "str", "required": True}, "service_account": {"type": "str", "default": "automation"}, "secret_hours": {"type": "int", "default": 720},
                   "state": {"type": "str", "default": "present", "choices": ["present"]}})
    p = reeve.params
    before = reeve.find(["fleet", "organizations", "list"], "name", p["name"])
    body = {"name": p["name"], "serviceAccount": {"name": p["service_account"], "description": "Made by Ansible", "roles": ["ORG_OWNER"],
                                                  "secretExpiresAfterHours": p["secret_hours"]}}
    reeve.keep(before, ["organizations", "create"], [], [], "organization", body=body)


if __name__ == "__main__":
    main()
