# SPDX-License-Identifier: Apache-2.0
"""What clients saw: a writer on the client's machine, and witnesses on every host. Both only count what was acknowledged."""
import os
import secrets
import signal
import subprocess
import threading
import time

import psycopg2

import network
from state import Problem, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = """
CREATE TABLE IF NOT EXISTS ledger (number bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE IF NOT EXISTS witness (member text, number bigint, PRIMARY KEY (member, number));
"""
# The name of a WAL file begins with the timeline in eight hexadecimal digits.
WITNESS = "INSERT INTO witness (member, number) VALUES (%s, %s) RETURNING pg_walfile_name(pg_current_wal_lsn())"


class Writer:
    """writer.py on the client's machine."""

    def __init__(self, fleet, dsn, name="writer", pause_s=0.01):
        name = "%s-%s" % (name, secrets.token_hex(3))  # what another test on this fleet was told is not ours
        self.path, self.error_path = fleet.path(name + ".ledger"), fleet.path(name + ".err")
        with open(self.error_path, "w") as errors:
            self.process = subprocess.Popen(
                network.client_command(fleet, ["/usr/bin/python3", os.path.join(HERE, "writer.py"), self.path, str(pause_s)]),
                env={**os.environ, "WRITER_DSN": dsn}, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True)
        wait_until(self.acknowledged, "the first acknowledged write", 30)

    def lines(self):
        """(kind, number, began, ended, rest) of every try so far."""
        if self.process.poll() not in (None, 0):
            with open(self.error_path) as file:
                raise Problem("the writer ended: " + file.read())
        try:
            with open(self.path) as file:
                rows = [line.rstrip("\n").split(" ", 4) for line in file if line.endswith("\n")]
        except FileNotFoundError:
            return []
        return [(kind, int(number), float(began), float(ended), rest) for kind, number, began, ended, rest in rows]

    def acknowledged(self):
        return [row for row in self.lines() if row[0] == "ack"]

    def wait_write_after(self, moment, seconds):
        """The first acknowledged write that began after `moment`: (seconds after it, host)."""
        def found():
            return next((row for row in self.acknowledged() if row[2] >= moment), None)
        row = wait_until(found, "a write is acknowledged", seconds)
        return row[3] - moment, row[4]

    def longest_pause(self, since, until):
        """The longest time without an acknowledgement."""
        moments = [since] + [row[3] for row in self.acknowledged() if since <= row[3] <= until] + [until]
        return max(after - before for before, after in zip(moments, moments[1:]))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Witness(threading.Thread):
    """Tries to write on one member again and again, from the member's own host: a partition does not hide it.

    Sockets are opened in the host's network, so they work while the host is cut off, and this thread outlives its power-off.
    """

    def __init__(self, fleet, host, member, dsn):
        super().__init__(daemon=True)
        self.fleet, self.host, self.member, self.dsn = fleet, host, member, dsn
        self.acknowledged, self.ending = [], threading.Event()

    def run(self):
        connection, number = None, 0
        while not self.ending.is_set():
            number += 1
            try:
                if connection is None:
                    with network.inside(self.fleet, self.host):
                        connection = psycopg2.connect(self.dsn)
                    connection.autocommit = True
                    cursor = connection.cursor()
                began = time.time()
                cursor.execute(WITNESS, (self.member, number))
                ended = time.time()
                self.acknowledged.append((began, ended, int(cursor.fetchone()[0][:8], 16), number))
            except psycopg2.errors.ReadOnlySqlTransaction:
                pass
            except psycopg2.Error:
                if connection is not None:
                    connection.close()
                connection = None
            self.ending.wait(0.1)
        if connection is not None:
            connection.close()


def two_primaries(witnesses, late_s=2.0):
    """Sentences about acknowledged writes that prove two writable primaries; none is what is wanted.

    PostgreSQL begins a new timeline with every promotion. A timeline belongs to one member, and once a newer one has
    acknowledged a write the older one must not take any more, nor acknowledge what it had taken (`late_s` is what the
    scheduling of this program may add to a moment).
    """
    events = sorted((ended, began, timeline, witness.member)
                    for witness in witnesses for began, ended, timeline, _ in witness.acknowledged)
    owner, newest, newest_since, problems = {}, 0, 0.0, []
    for ended, began, timeline, member in events:
        if owner.setdefault(timeline, member) != member:
            problems.append("timeline %d was written on %s and on %s" % (timeline, owner[timeline], member))
        if timeline > newest:
            newest, newest_since = timeline, ended
        elif timeline < newest and (began > newest_since or ended > newest_since + late_s):
            problems.append("%s took a write on timeline %d %.3f s after timeline %d had one on %s"
                            % (member, timeline, ended - newest_since, newest, owner[newest]))
    return problems


def lost(writer, rows):
    """Numbers that were acknowledged to the writer and are not there."""
    return sorted({row[1] for row in writer.acknowledged()} - set(rows))


def lost_by_witnesses(witnesses, rows):
    """The same for the witnesses, who also write where a partition holds everybody else away; `rows` are "member number"."""
    return sorted({"%s %d" % (witness.member, event[3]) for witness in witnesses for event in list(witness.acknowledged)} - set(rows))
