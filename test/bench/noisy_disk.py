#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long a member's small commits take while its neighbour on the same disk writes as fast as it can, for each way in which the host may carry what volumes write
(docs/internals/volumes.md, src/agent/volume/volume_traffic.c). The ways take turns. Needs root, loop devices and 4 GB; takes about three minutes.

Usage: noisy_disk.py [--rounds N] [--megabytes N]
"""
import argparse
import contextlib
import os
import subprocess
import tempfile
import threading
import time

PAGE, AREA = 8192, 2048
UNWRITTEN_BYTES = 16 << 20
WAYS = (("through the host's cache", False, False), ("past it", True, False), ("little unwritten", False, True), ("past it, little unwritten", True, True))


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def tell(bounds, name, value):
    with open(os.path.join(bounds, name), "w", encoding="ascii") as file:
        file.write(str(value))


@contextlib.contextmanager
def volume(folder, name, is_past, is_bound):
    """A thin one, mounted: its folder."""
    image, top = "%s/%s.img" % (folder, name), "%s/%s" % (folder, name)
    with open(image, "wb") as file:
        file.truncate(2 << 30)
    run("mkfs.ext4", "-q", "-F", "-O", "inline_data", image)
    os.makedirs(top, exist_ok=True)
    device = run("losetup", "--find", "--show", *(["--direct-io=on"] if is_past else []), image)
    bounds = "/sys/block/%s/bdi" % os.path.basename(device)
    before = {word: open(os.path.join(bounds, word), encoding="ascii").read().strip() for word in ("max_bytes", "strict_limit")}
    try:
        run("mount", "-o", "noatime,discard", device, top)
        if is_bound:
            tell(bounds, "max_bytes", UNWRITTEN_BYTES)
            tell(bounds, "strict_limit", 1)
        yield top
        run("umount", top)
    finally:
        tell(bounds, "strict_limit", before["strict_limit"])
        tell(bounds, "max_bytes", before["max_bytes"])
        run("losetup", "--detach", device)
        os.unlink(image)


def commit(top, stop, times):
    file = os.open(top + "/wal", os.O_CREAT | os.O_RDWR)
    os.pwrite(file, bytes(PAGE * AREA), 0)
    os.fsync(file)
    while not stop.is_set():
        began = time.monotonic()
        os.pwrite(file, b"x" * PAGE, len(times) % AREA * PAGE)
        os.fdatasync(file)
        times.append(time.monotonic() - began)
        time.sleep(0.005)
    os.close(file)


def percentile_ms(times):
    return sorted(times)[int(len(times) * 0.99)] * 1000


def measure(folder, is_past, is_bound, megabytes):
    """(p99 alone, p99 beside the other, the longest beside it, seconds that the other took)"""
    with volume(folder, "neighbour", is_past, is_bound) as top, volume(folder, "writer", is_past, is_bound) as other:
        stop, times = threading.Event(), []
        thread = threading.Thread(target=commit, args=(top, stop, times))
        thread.start()
        time.sleep(4)
        alone, began = len(times), time.monotonic()
        run("dd", "if=/dev/zero", "of=%s/rows" % other, "bs=1M", "count=%d" % megabytes, "conv=fsync", "status=none")
        took = time.monotonic() - began
        stop.set()
        thread.join()
    return percentile_ms(times[:alone]), percentile_ms(times[alone:]), max(times[alone:]) * 1000, took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=1500)
    given = parser.parse_args()
    print("%-26s %9s %9s %7s %9s %9s" % ("", "alone ms", "beside ms", "ratio", "longest", "writer s"))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for _ in range(given.rounds):
            for name, is_past, is_bound in WAYS:
                alone, beside, longest, took = measure(folder, is_past, is_bound, given.megabytes)
                print("%-26s %9.1f %9.1f %7.2f %9.0f %9.1f" % (name, alone, beside, beside / alone, longest, took), flush=True)


if __name__ == "__main__":
    main()
