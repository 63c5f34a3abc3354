#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes numbers into a cluster for as long as it lives, and notes which of them were acknowledged and when.

Runs on a client's machine, with the connection string in WRITER_DSN. A line for every try in the file that it is given:

    ack NUMBER BEGAN ENDED HOST         the commit was acknowledged
    err NUMBER BEGAN ENDED SENTENCE     it was not; the number may be there or not, and is never used again

Never cancels a statement: a cancelled wait for the synchronous standby would be reported as a commit that succeeded.
"""
import os
import signal
import sys
import time

import psycopg2

stopped = False


def stop(*_):
    global stopped
    stopped = True


def connect(dsn):
    connection = psycopg2.connect(dsn)
    connection.autocommit = True
    return connection


def main():
    path, pause_s = sys.argv[1], float(sys.argv[2])
    dsn = os.environ["WRITER_DSN"]
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    number, connection = int(time.time()) * 1000000, None  # of nobody who wrote before: rows of an earlier time are not taken for these
    with open(path, "a", buffering=1) as log:
        while not stopped:
            number += 1
            began = time.time()
            try:
                if connection is None:
                    connection = connect(dsn)
                    cursor = connection.cursor()
                cursor.execute("INSERT INTO ledger (number) VALUES (%s)", (number,))
                log.write("ack %d %.3f %.3f %s\n" % (number, began, time.time(), connection.info.host))
                time.sleep(pause_s)
            except psycopg2.Error as error:
                log.write("err %d %.3f %.3f %s\n" % (number, began, time.time(), " ".join(str(error).split())[:200]))
                if connection is not None:
                    connection.close()
                    connection = None
                time.sleep(0.1)


if __name__ == "__main__":
    main()
