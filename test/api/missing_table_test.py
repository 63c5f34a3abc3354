# SPDX-License-Identifier: Apache-2.0
"""What is answered when the database fails in the middle of a request: each table is taken away in turn, and every operation is asked.

An answer is either what it was before, or an error of the server (5xx). What must not come is a third thing: half a document, an empty list, or a
success that skipped what failed. Operations that change something are asked with dryRun=true. Afterwards the table is there again, and everything
is answered as before: no trouble stays behind in a node.
"""
import re
import threading

from access_matrix import Operation
from suite import Suite, ends_on_signal
from world import World, catalog, connect, sql, start_node

THREADS, SHOWN = 4, 4
NEW_EACH_TIME = re.compile(r'\b[0-9a-f]{24}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|reeve_[\w-]+|-----BEGIN[^"]+|\b[0-9a-z]{6}-shard')
TABLES = """SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            AND relname NOT IN ('schema_migration') ORDER BY 1"""


def plain(answer):
    """Without what is new in every answer."""
    return answer.status, NEW_EACH_TIME.sub("_", answer.body.decode(errors="replace"))


class Questions:
    """All operations of one caller who may, and what each answers when nothing is wrong."""

    def __init__(self, node, world):
        fixtures = world.make_fixtures()
        self.owner, self.home = world.a, world.a.home
        self.operations = [op for op in (Operation(row, known=fixtures) for row in catalog()) if not (op.waits or op.refuses)]
        self.targets = [op.target({"clusterName": "c1", **fixtures}) for op in self.operations]
        self.connections = [connect(node) for _ in range(THREADS)]
        first, second = self.ask_all(), self.ask_all()
        # Of an answer that is another one each time only the status is looked at.
        self.known = [one if one == two else (one[0], None) for one, two in zip(first, second)]

    def ask_all(self):
        answers = [None] * len(self.operations)

        def ask(share):
            for number in range(share, len(answers), THREADS):
                op = self.operations[number]
                answers[number] = self.ask(share, op, self.targets[number])
        threads = [threading.Thread(target=ask, args=(share,)) for share in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def ask(self, share, op, target):
        """Four ask at once, for things of the same project: who is told that another one changed them does what the error says, and asks again."""
        for _ in range(3):
            answer = plain(self.connections[share].ask(op.method, target, self.owner.bearer(), op.body(self.home)))
            if "CONCURRENT_CHANGE" not in answer[1]:
                break
        return answer

    @staticmethod
    def noticed(answers):
        """The numbers of those that ended with an error of the server."""
        return {number for number, got in enumerate(answers) if got is not None and got[0] >= 500}

    def wrong(self, answers):
        """The first of those that are neither as before nor an error of the server; empty when there is none."""
        found = [(op, got) for op, got, known in zip(self.operations, answers, self.known)
                 if got is None or got[0] < 500 and (got[0] != known[0] or known[1] is not None and got[1] != known[1])]
        return "; ".join("%s %s: %s" % (op.method, op.path, str(got)[:200]) for op, got in found[:SHOWN])


class Without:
    def __init__(self, table):
        self.table = table

    def __enter__(self):
        sql('ALTER TABLE "%s" RENAME TO "%s_is_gone"' % (self.table, self.table))

    def __exit__(self, *_):
        sql('ALTER TABLE "%s_is_gone" RENAME TO "%s"' % (self.table, self.table))


def main():
    ends_on_signal()
    suite = Suite("missing tables")
    with start_node(workers=2) as node:
        questions = Questions(node, World(node, with_roles=False))
        suite.say("%d operations, %d of them always answer the same" % (len(questions.known), sum(known[1] is not None for known in questions.known)))
        tables = sql(TABLES).split()
        failures, touched = 0, set()
        for table in tables:
            with Without(table):
                answers = questions.ask_all()
            noticed, wrong = questions.noticed(answers), questions.wrong(answers)
            failures += len(noticed)
            touched |= noticed
            suite.check(not wrong, "without %s: %s", table, wrong)
        suite.check(len(touched) * 4 > len(questions.known) * 3, "only %d operations noticed any table: is this a test?", len(touched))
        after = questions.wrong(questions.ask_all())
        suite.check(not after, "after all are back: %s", after)
        suite.say("%d tables away in turn, %d errors of the server, by %d of %d operations" % (len(tables), failures, len(touched), len(questions.known)))
    return suite.finish()


if __name__ == "__main__":
    raise SystemExit(main())
