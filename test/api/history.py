# SPDX-License-Identifier: Apache-2.0
"""Judges what several clients saw of the same resources. Everything here is a pure function of the records.

Times are of the one monotonic clock that all processes of a machine share. An operation took effect at some moment between
the start and the end that its client noted; an order of such moments must explain all answers.

Registers. A resource with an ETag is a register whose versions are numbered, and every answer tells the number. Then the order
of the numbers is the only order that can explain the answers, and it does exactly if
  1. no two writes have the same number,
  2. an operation that began after another had ended has no smaller number, and a larger one if it is a write,
  3. a read with number n shows what the last write up to n wrote.
This decides linearizability; no search is needed.

Elements. What is added and removed (an entry, a secret, a role, a name in use) is judged by the intervals of its lives: who read
the set after the addition was acknowledged and before the removal began must have seen it, and nobody may have seen it before
the addition began or after the removal was acknowledged. That is per element, not for the set as a whole.
"""
import bisect
from collections import namedtuple

# what: "read", "write" (with its number), "set" (the same, and it changed nothing if the value was there already), "touch" (a write whose answer has no number), "conflict" (412 of If-Match `number`)
Step = namedtuple("Step", "key what start end number value client")


class Floor:
    """What is known of a register when a round begins: the largest number, and what the last write wrote."""

    def __init__(self, number, value):
        self.number, self.value = number, value


def settle(steps, floor):
    """Each "set" as what it was. Of those with the same number one was the write, and the others found its value: the first to
    begin may be taken for it, because nothing with that number can have ended before any of them began."""
    first = {}
    for step in steps:
        if step.what == "set" and step.number > floor.number and (step.number not in first or step.start < first[step.number].start):
            first[step.number] = step
    return [step if step.what != "set" else step._replace(what="write" if first.get(step.number) is step else "read") for step in steps]


def judge_register(key, steps, floor):
    """(problems, floor for the next round)"""
    problems = []
    writes = sorted((step for step in steps if step.what == "write"), key=lambda step: step.number)
    for one, other in zip(writes, writes[1:]):
        if one.number == other.number:
            problems.append("%s: number %d was given to two writes: %s and %s" % (key, one.number, one, other))
    problems += _judge_order(key, steps, floor)
    problems += _judge_values(key, steps, writes, floor)
    problems += _judge_conflicts(key, steps)
    numbers = [step.number for step in steps if step.what in ("read", "write")]
    return problems, Floor(max(numbers + [floor.number]), writes[-1].value if writes else floor.value)


def _judge_order(key, steps, floor):
    """Rule 2. `highest` is the largest number among the operations that had ended when this one began."""
    problems = []
    ended = sorted((step for step in steps if step.what in ("read", "write")), key=lambda step: step.end)
    touches = sorted((step for step in steps if step.what == "touch"), key=lambda step: step.end)
    ends, highest_by = [step.end for step in ended], [floor.number]
    for step in ended:
        highest_by.append(max(highest_by[-1], step.number))
    highest, at, raised, touched = floor.number, 0, floor.number, 0
    for step in sorted(steps, key=lambda step: step.start):
        while at < len(ended) and ended[at].end < step.start:
            highest = max(highest, ended[at].number)
            at += 1
        while touched < len(touches) and touches[touched].end < step.start:
            # Whatever had ended when the touch began, it went beyond.
            raised = max(raised, highest_by[bisect.bisect_left(ends, touches[touched].start)] + 1)
            touched += 1
        if step.what in ("read", "write"):
            wanted = max(highest + 1 if step.what == "write" else highest, raised)
            if step.number < wanted:
                problems.append("%s: %s came after number %d had been answered" % (key, step, wanted))
    return problems


def _judge_values(key, steps, writes, floor):
    """Rule 3."""
    numbers = [write.number for write in writes]
    problems = []
    for step in steps:
        if step.what != "read":
            continue
        at = bisect.bisect_right(numbers, step.number)
        wanted = writes[at - 1].value if at else floor.value
        if step.value != wanted:
            problems.append("%s: %s, and the last write up to that number wrote %r" % (key, step, wanted))
    return problems


def _judge_conflicts(key, steps):
    """A conflict needs somebody who changed the resource: a number beyond the expected one, or a touch, begun before it ended."""
    changes = [step for step in steps if step.what in ("write", "touch")]
    problems = []
    for step in steps:
        if step.what == "conflict" and not any(change.start < step.end and (change.number is None or change.number > step.number)
                                               for change in changes):
            problems.append("%s: %s, and nobody had changed it" % (key, step))
    return problems


class Element:
    """One life: added, and removed at most once; `added` and `removed` are (start, end)."""

    __slots__ = ("added", "removed")

    def __init__(self, added, removed=None):
        self.added, self.removed = added, removed

    def __repr__(self):
        return "%s to %s" % (self.added, self.removed)


def judge_set_read(key, elements, start, end, seen):
    """`elements`: name → its lives one after the other, each an Element; all of them belong to this set."""
    problems = []
    for name, lives in elements.items():
        if name in seen:
            if not any(end >= one.added[0] and not (one.removed and start > one.removed[1]) for one in lives):
                problems.append("%s: %s was seen from %.6f to %.6f, and it lived %s" % (key, name, start, end, lives))
        elif any(start > one.added[1] and not (one.removed and end >= one.removed[0]) for one in lives):
            problems.append("%s: %s was not seen from %.6f to %.6f, and it lived %s" % (key, name, start, end, lives))
    for name in seen:
        if name not in elements:
            problems.append("%s: %s was seen, and nobody added it" % (key, name))
    return problems


def judge_name(key, holders):
    """A unique name: the times for which it was surely held, from one acknowledgement to the start of the removal."""
    held = sorted((element.added[1], element.removed[0] if element.removed else float("inf")) for element in holders)
    return ["%s: two resources had the name at once (%s, %s)" % (key, one, other)
            for one, other in zip(held, held[1:]) if other[0] < one[1]]


def self_test():
    """The judges find what they are for."""
    def step(what, start, end, number, value=None):
        return Step("k", what, start, end, number, value, 0)

    def wrong(steps, floor=Floor(1, "a")):
        return bool(judge_register("k", steps, floor)[0])

    good = [step("write", 1, 3, 2, "b"), step("read", 2, 4, 1, "a"), step("read", 3.5, 5, 2, "b")]
    assert not wrong(good)
    assert wrong(good + [step("read", 6, 7, 1, "a")]), "a stale read"
    assert wrong(good + [step("read", 6, 7, 2, "a")]), "another value under the same number"
    assert wrong(good + [step("write", 6, 7, 2, "c")]), "one number for two writes"
    assert wrong([step("read", 1, 2, 3, "a"), step("read", 3, 4, 2, "a")]), "two reads, the second is older"
    twice = settle([step("set", 2, 4, 2, "b"), step("set", 1, 5, 2, "b"), step("set", 6, 7, 2, "b")], Floor(1, "a"))
    assert [one.what for one in twice] == ["read", "write", "read"] and not wrong(twice), "the same value three times"
    assert wrong(settle([step("set", 2, 4, 2, "b"), step("set", 5, 6, 2, "a")], Floor(1, "a"))), "a change that changed nothing"
    assert wrong([step("conflict", 1, 2, 1)]) and not wrong(good + [step("conflict", 2, 4, 1)])
    assert wrong([step("touch", 1, 2, None), step("read", 3, 4, 1, "a")]), "a touch that did not move the number"
    element = Element((1, 2))
    assert not judge_set_read("s", {"x": [element]}, 3, 4, {"x"}) and judge_set_read("s", {"x": [element]}, 3, 4, set())
    assert not judge_set_read("s", {"x": [element]}, 1.5, 4, set()) and judge_set_read("s", {}, 3, 4, {"y"})
    element.removed = (5, 6)
    assert judge_set_read("s", {"x": [element]}, 7, 8, {"x"}) and not judge_set_read("s", {"x": [element]}, 5.5, 8, {"x"})
    again = [element, Element((9, 10), (12, 13))]
    assert judge_set_read("s", {"x": again}, 7, 8, {"x"}) and not judge_set_read("s", {"x": again}, 9.5, 9.6, {"x"})
    assert judge_set_read("s", {"x": again}, 10.5, 11, set()) and not judge_set_read("s", {"x": again}, 7, 8, set())
    assert judge_name("n", [element, Element((3, 4))]) and not judge_name("n", [element, Element((5.5, 7))])
