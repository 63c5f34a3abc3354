#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
DOCUMENTATION = """
module: host
short_description: A host of a Reeve fleet
description:
  - With state active, a host that is not there gets a token, with which a machine joins as this host within an hour; one that was drained gets members again.
  - With state drained its members are moved away. The task does not wait for that. With state absent a drained host is removed.
  - Needs REEVE_OPERATOR_URL and REEVE_OPERATOR_TOKEN.
options:
  name: {type: str, required: true, description: Its name.}
  provider: {type: str, description: Provider of the machine. Needed for a new host.}
  region: {type: str, description: Where it is. Needed for a new host.}
  zone: {type: str, default: a, description: Hosts that can fail together.}
  state: {type: str, default: active, choices: [active, drained, absent], description: What shall become of it.}
  reeve: {type: path, default: reeve, description: The program.}
  profile: {type: str, description: A profile of it.}
"""
EXAMPLES = """
- reeve.admin.host:
    name: h4
    provider: ONPREM
    region: EU_NORTH
    zone: b
  register: h4
  delegate_to: localhost

- ansible.builtin.command:
    cmd: reeve-agent join --url https://reeve.example.org:7443 --token - --start
    stdin: "{{ h4.token }}"
  when: h4.token is defined
"""
RETURN = """
host: {type: dict, returned: when it is there, description: The host as the operator's API returns it.}
token: {type: str, returned: when a machine can join now, description: The token for it.}
"""
from ansible_collections.reeve.admin.plugins.module_utils.reeve import Reeve, said  # noqa: E402


def main():
    reeve = Reeve({"name": {"type": "str", "required": True}, "provider": {"type": "str"}, "region": {"type": "str"}, "zone": {"type": "str", "default": "a"},
                   "state": {"type": "str", "default": "active", "choices": ["active", "drained", "absent"]}})
    p, dry = reeve.params, ["--dry-run"] if reeve.module.check_mode else []
    before = reeve.find(["fleet", "hosts", "list"], "name", p["name"])
    if before is not None and before["state"] == "REMOVED":
        before = None
    if p["state"] == "absent":
        if before is not None:
            reeve.run(["fleet", "hosts", "remove", p["name"], *dry])
        reeve.end(before is not None, before, None)
    if before is None:
        if p["state"] == "drained":
            reeve.module.fail_json(msg="there is no host %s" % p["name"])
        if not (p["provider"] and p["region"]):
            reeve.module.fail_json(msg="a new host needs provider and region")
        made = reeve.run(["fleet", "tokens", "create", *dry], said(host=p["name"], provider=p["provider"], region=p["region"], zone=p["zone"]))
        reeve.end(True, None, {"name": p["name"]}, **said(token=made.get("token")))
    wrong = before["state"] != "ACTIVE" if p["state"] == "active" else before["state"] not in ("DRAINING", "DRAINED")
    if wrong:
        reeve.run(["fleet", "hosts", "activate" if p["state"] == "active" else "drain", p["name"], *dry])
    after = before if reeve.module.check_mode or not wrong else reeve.find(["fleet", "hosts", "list"], "name", p["name"])
    reeve.end(wrong, before, after, host=after)


if __name__ == "__main__":
    main()
