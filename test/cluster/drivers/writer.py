# SPDX-License-Identifier: Apache-2.0
"""Writes numbers with psycopg2, as an application would. What all writers here do is in drivers_test.py."""
import os
import sys
import time

import psycopg2

_, name, path, sleep_s = sys.argv
connection, number = None, 0
with open(path, "a", buffering=1) as log:
    while True:
        number += 1
        began = time.time()
        try:
            if connection is None:
                connection = psycopg2.connect(os.environ["WRITER_DSN"])
                connection.autocommit = True
            connection.cursor().execute("INSERT INTO written (writer, number) SELECT %s, %s FROM pg_sleep(%s)", (name, number, float(sleep_s)))
            log.write("ack %d %.3f %.3f -\n" % (number, began, time.time()))
            time.sleep(0.05)
        except psycopg2.Error as error:
            log.write("err %d %.3f %.3f %s\n" % (number, began, time.time(), " ".join(str(error).split())[:200]))
            if connection is not None:
                connection.close()
                connection = None
            time.sleep(0.2)
