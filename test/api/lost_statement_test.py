# SPDX-License-Identifier: Apache-2.0
"""What becomes of a change when the database is lost in the middle of it, at each of its statements.

Every request of the exchanges that changes something is sent again and again: its connection to the database breaks before the first statement of its
transaction, then before the second, and so on, until nothing breaks any more. Each of those is answered 5xx, and has changed nothing: the last one is
answered as if it were the only one. Nobody goes on in a transaction that has failed: a node would log it, and Node.check_log() would see it.

    test/api/lost_statement_test.py [--all] [FILE…]

Without --all, requests with the same first line lose their first statement once, their second one once, and so on; with it, each of them loses all of its own.
"""
import glob
import os
import sys
import time

from exchange_test import HERE, Runner, Values
from measurements import MonitorStore
from postgres_proxy import Postgres
from suite import Suite, ends_on_signal
from world import World, start_node

MOST = 60  # statements of a request
KEY_FREE_S = 10
WAITS = ("soon:", "later:")  # these are repeated in any case, some of them beside a worker
# What a node notes now and then by itself, beside requests: when a credential was last used, and from where, and that the node is there.
BESIDE = ("auth_access_list_touch", "auth_api_key_touch", "auth_secret_touch", "instance_seen")


class Loses(Runner):
    """Runs exchanges, and loses the database in them."""

    def __init__(self, suite, world, node, store, database):
        super().__init__(suite, world, node, store)
        self.database, self.lost, self.most = database, 0, 0
        self.before = None  # what was lost already: (first line of a request, number); None: it may be lost again

    def lose(self, number, exchange, values, callers):
        """A key of a request that was lost is free when the database has noticed, and a node that has no connection any more makes another one: a client is
        told to come again (409, 503), and so does this one."""
        until = time.monotonic() + KEY_FREE_S
        while True:
            self.database.break_before(number)
            problems = self.run_exchange(exchange, values, callers)
            is_early = b"IDEMPOTENCY_KEY_IN_FLIGHT" in self.answered.body or (self.answered.status == 503 and self.database.broken is None)
            if not is_early or time.monotonic() > until:
                return problems
            time.sleep(0.02)

    def repeat_exchange(self, exchange, values, callers):
        if exchange.title.startswith(WAITS) or exchange.request[0].startswith("GET "):
            return super().repeat_exchange(exchange, values, callers)
        for number in range(1, MOST):
            if self.before is not None and (exchange.request[0], number) in self.before:
                continue
            problems = self.lose(number, exchange, values, callers)
            if self.database.broken is None:
                self.database.break_before(0)
                return problems
            if self.before is not None:
                self.before.add((exchange.request[0], number))
            self.lost += 1
            self.most = max(self.most, number)
            if self.answered.status < 500:
                lost = self.database.broken
                self.database.break_before(0)
                return ["without %s, its statement %d, it is answered %d: %r" % (lost, number, self.answered.status, self.answered.body[:200])]
        return ["it has more than %d statements" % MOST]


def main():
    ends_on_signal()
    names = [word for word in sys.argv[1:] if word != "--all"]
    suite = Suite("lost statements")
    database = Postgres(os.environ["REEVE_TEST_DSN"], BESIDE)
    settings = {"control_plane_addresses": ["192.0.2.1/32", "2001:db8::/64"]}
    with MonitorStore() as store, start_node(workers=1, dsn=database.dsn, settings={**settings, "monitor_stores": store.url}) as node:
        Values.config = node.conf
        runner = Loses(suite, World(node, with_roles=False), node, store, database)
        runner.before = None if "--all" in sys.argv else set()
        paths = sorted(glob.glob(os.path.join(HERE, "exchanges", "*.txt")))
        for number, path in enumerate(path for path in paths if not names or os.path.basename(path)[:-4] in names):
            runner.run_file(path, number)
        suite.say("%d exchanges, the database lost %d times in them, in one of them at %d statements" % (runner.count, runner.lost, runner.most))
    database.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
