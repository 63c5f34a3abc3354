#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
DOCUMENTATION = """
module: database_user
short_description: A user who logs in to the databases of a Reeve project
description: [Creates a database user, changes its roles or its password, or removes it.]
options:
  username: {type: str, required: true, description: Its name.}
  project: {type: str, description: Name or id of its project. By default that of the profile or of REEVE_PROJECT_ID.}
  password: {type: str, description: Its password. Needed for a new user. It is given to reeve on its standard input.}
  update_password:
    type: str
    default: on_create
    choices: [on_create, always]
    description: A password cannot be read, so nobody can tell whether it is the same. With always it is set in every run, and the task says changed.
  roles: {type: list, elements: str, description: "Roles as ROLE@DATABASE, such as readWrite@shop. Needed for a new user."}
  state: {type: str, default: present, choices: [present, absent], description: Whether it shall be there.}
  reeve: {type: path, default: reeve, description: The program.}
  profile: {type: str, description: A profile of it.}
"""
EXAMPLES = """
- reeve.admin.database_user:
    project: web
    username: app
    password: "{{ app_password }}"
    roles: [readWrite@shop]
"""
RETURN = """
user: {type: dict, returned: when it is there, description: The user as the API returns it.}
"""
from ansible_collections.reeve.admin.plugins.module_utils.reeve import Reeve, said  # noqa: E402


def role(text):
    name, _, database = text.partition("@")
    return {"roleName": name, "databaseName": database or "admin"}


def main():
    reeve = Reeve({"username": {"type": "str", "required": True}, "project": {"type": "str"}, "password": {"type": "str", "no_log": True},
                   "update_password": {"type": "str", "default": "on_create", "choices": ["on_create", "always"], "no_log": False},
                   "roles": {"type": "list", "elements": "str"}})
    p = reeve.params
    project = ["--project", p["project"]] if p["project"] else []
    before = reeve.find(["database-users", "list", *project], "username", p["username"])
    roles = None if p["roles"] is None else [role(text) for text in p["roles"]]
    which = [p["username"], *project]
    if before is not None and p["password"] and p["update_password"] == "always" and p["state"] == "present":
        words = ["database-users", "update", *which, *(["--dry-run"] if reeve.module.check_mode else [])]
        after = reeve.run(words, said(password=p["password"], roles=roles))
        reeve.end(True, before, after, user=after)
    reeve.keep(before, ["database-users", "create", *project], ["database-users", "update", *which] if roles is not None else [], ["database-users", "delete", *which],
               "user", body=said(username=p["username"], password=p["password"], roles=roles), changes=said(roles=roles))


if __name__ == "__main__":
    main()
