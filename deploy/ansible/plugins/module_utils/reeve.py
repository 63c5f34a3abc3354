# SPDX-License-Identifier: Apache-2.0
"""One way to keep a thing of Reeve as a task wants it, for all modules: list, create, update, delete through `reeve`, in JSON.

Whether something would change is not guessed here: the same command is sent as a dry run, and its answer is held against what there is."""
import json
import time

from ansible.module_utils.basic import AnsibleModule

COMMON = {"reeve": {"type": "path", "default": "reeve"}, "profile": {"type": "str"}, "state": {"type": "str", "default": "present", "choices": ["present", "absent"]}}
# What a server may answer differently without anything having been changed.
PASSING = ("links", "stateName", "observedGeneration", "connectionStrings", "dbVersion")


class Reeve:
    def __init__(self, arguments, required_if=()):
        self.module = AnsibleModule(argument_spec={**COMMON, **arguments}, supports_check_mode=True, required_if=list(required_if))
        self.params = self.module.params

    def run(self, words, body=None, may_fail=False):
        """The document that a command printed; the error document when it may fail."""
        command = [self.params["reeve"], *words, "--output", "json", "--quiet"]
        if self.params["profile"]:
            command += ["--profile", self.params["profile"]]
        if body is not None:
            command += ["--file", "-"]
        status, out, err = self.module.run_command(command, data=json.dumps(body) if body is not None else None)
        if status == 0:
            return json.loads(out) if out.strip() else {}
        try:
            problem = json.loads(err)
        except ValueError:
            problem = {"detail": err.strip()}
        if may_fail:
            return {"problem": problem}
        self.module.fail_json(msg="%s: %s" % (" ".join(words), problem.get("detail", err.strip())), error=problem, status=status)

    def find(self, words, field, value):
        """None: there is no such thing. In check mode its project may be missing as well, because an earlier task did not make it."""
        listed = self.run([*words, "--all"], may_fail=self.module.check_mode)
        if "problem" in listed:
            if "there is no project" not in listed["problem"].get("detail", ""):
                self.module.fail_json(msg=listed["problem"].get("detail"), error=listed["problem"])
            self.module.exit_json(changed=self.params["state"] != "absent")
        return next((item for item in listed["results"] if item.get(field) == value), None)

    def end(self, changed, before, after, **more):
        clean = [{name: value for name, value in (one or {}).items() if name not in PASSING} for one in (before, after)]
        self.module.exit_json(changed=changed, diff={"before": clean[0], "after": clean[1]}, **more)

    def keep(self, before, create, update, delete, result, body=None, changes=None, get=None):
        """Words of the commands, where `update` is empty when there is nothing that could be changed; the bodies of `create` and `update`;
        and `get`, when the thing takes time and the task wants to wait."""
        dry = ["--dry-run"] if self.module.check_mode else []
        wait = get is not None and not dry
        if self.params["state"] == "absent":
            if before is not None:
                self.run([*delete, *dry, *(["--wait"] if wait else [])])
            self.end(before is not None, before, None)
        if before is None:
            changed, after = True, self.run([*create, *dry], body)
        else:
            after = self.run([*update, "--dry-run"], changes) if update else before
            changed = not self.same(before, after)
            after = self.run(update, changes) if changed and not dry else after
        if wait:
            after = self.wait(after, get)
        self.end(changed, before, after, **{result: after})

    def wait(self, document, get):
        """Until a cluster is as it was asked to be. An earlier run may have ended while it was still being made."""
        deadline = time.monotonic() + self.params["wait_seconds"]
        while document.get("stateName") != "IDLE" or document.get("observedGeneration") != document.get("generation"):
            if time.monotonic() > deadline:
                self.module.fail_json(msg="the cluster is still %s after %d s" % (document.get("stateName"), self.params["wait_seconds"]), cluster=document)
            time.sleep(1)
            document = self.run(get)
        return document

    @staticmethod
    def same(before, after):
        return all(before.get(name) == after.get(name) for name in {*before, *after} if name not in PASSING)


def tags(given):
    """A mapping as the API has it. None: not said, so not changed."""
    return None if given is None else [{"key": key, "value": str(value)} for key, value in sorted(given.items())]


def said(**fields):
    """What the task says; what it does not say is not sent."""
    return {name: value for name, value in fields.items() if value is not None}
