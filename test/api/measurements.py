# SPDX-License-Identifier: Apache-2.0
"""A store of measurements for a node of the tests, and points in it: what agents would have sent."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

from client import wait_until
from node import free_port
from world import name_members

HOUR_S = 3600
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/victoria-metrics.default"), encoding="utf-8") as arguments:
    LIMITS = re.findall(r"(-search\.max\w+=\w+)", arguments.read().rpartition("ARGS=")[2])  # as operators are told to set them


class MonitorStore:
    """VictoriaMetrics, as operators run it, for as long as the block."""

    def __enter__(self):
        self.folder, self.port = tempfile.mkdtemp(prefix="reeve-monitor."), free_port()
        self.url = "http://127.0.0.1:%d" % self.port
        self.process = subprocess.Popen(
            ["victoria-metrics", "-storageDataPath=" + self.folder, "-httpListenAddr=127.0.0.1:%d" % self.port, "-retentionPeriod=8d",
             "-search.latencyOffset=0s", "-dedup.minScrapeInterval=1ms", "-memory.allowedBytes=64MiB",
             *LIMITS],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.answers, 30)
        return self

    def __exit__(self, *_):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def answers(self):
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(self.url + "/health", timeout=5).status == 200
        return False

    def write(self, lines):
        urllib.request.urlopen(urllib.request.Request(self.url + "/write?precision=ms", "\n".join(lines).encode()), timeout=10).close()

    def count(self, member):
        form = urllib.parse.urlencode({"query": 'sum(count_over_time({member="%s"}[8d]))' % member, "nocache": 1}).encode()
        with urllib.request.urlopen(self.url + "/api/v1/query", form, timeout=10) as answer:
            text = answer.read().decode()
        return int(text.rpartition('"value":[')[2].split('"')[1]) if '"value"' in text else 0


def seed(store, project, cluster):
    """Twenty minutes of points from the beginning of the hour before the last, and names that the exchanges use."""
    process, member, cluster_id = name_members(project, cluster)
    begin = (int(time.time()) // HOUR_S - 2) * HOUR_S
    labels = "reeve,project=%s,cluster=%s,member=%s" % (project, cluster_id, member)
    lines = []
    for number in range(121):
        at = (begin + number * 10) * 1000
        # It is restarted in the eleventh minute, and had counted 100 in its first ten seconds.
        committed = number * 100 if number <= 60 else (number - 60) * 100
        lines.append("%s CONNECTIONS=%d,TRANSACTIONS_COMMITTED=%d %d" % (labels, 5 + number % 2, committed, at))
        lines.append("%s,name=caf%%C3%%A9%%20bar DATABASE_DATA_SIZE=%d %d" % (labels, 1000 + number, at))
        lines.append("%s,name=data DISK_PARTITION_SPACE_USED=4096 %d" % (labels, at))
    for minute in range(21):
        at = (begin + minute * 60) * 1000
        lines.append("%s,name=shop.orders READS_OPS=%d,WRITES_OPS=%d,TOTAL_OPS=%d %d" % (labels, 60 * minute, 120 * minute, 180 * minute, at))
        lines.append("%s,name=shop.sales.%%22a.b%%0A%%22 READS_OPS=%d,WRITES_OPS=0,TOTAL_OPS=%d %d" % (labels, 600 * minute, 600 * minute, at))
    store.write(lines)
    wait_until(lambda: store.count(member) == 4 * 121 + 6 * 21, 20)
    date = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return {"process": process, "begin": date(begin), "minute": date(begin + 60), "twoMinutes": date(begin + 120), "third": date(begin + 1800),
            "hour": date(begin + HOUR_S), "before": date(begin - HOUR_S)}


def seed_now(store, project, cluster):
    """The database, the disk and the table that fixtures have, as just measured."""
    _, member, cluster_id = name_members(project, cluster)
    labels, at = "reeve,project=%s,cluster=%s,member=%s" % (project, cluster_id, member), int(time.time()) * 1000
    store.write(["%s,name=admin DATABASE_DATA_SIZE=1 %d" % (labels, at), "%s,name=data DISK_PARTITION_SPACE_USED=1 %d" % (labels, at),
                 "%s,name=admin.orders READS_OPS=1,WRITES_OPS=1,TOTAL_OPS=2 %d" % (labels, at)])
    wait_until(lambda: store.count(member) == 5, 20)
