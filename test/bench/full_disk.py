#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a server can make the small file of a checkpoint on a disk that is full, beside writers that take every block: PostgreSQL ends when it cannot
(docs/internals/volumes.md). For each file system, and for XFS also with a file of that name with blocks of its own, kept by somebody else. Needs root, xfsprogs and
loop devices; takes two minutes.

Usage: full_disk.py [--checkpoints N] [--writers N]
"""
import argparse
import multiprocessing
import os
import random
import subprocess
import tempfile
import time

MB = 1 << 20
DISK, RESERVE, ROOM = 600 * MB, 96 * MB, MB
KINDS = (("xfs", ["mkfs.xfs", "-q", "-f"], False), ("xfs, the file is kept", ["mkfs.xfs", "-q", "-f"], True), ("ext4", ["mkfs.ext4", "-q", "-F", "-m", "0"], False),
         ("ext4 with inline_data", ["mkfs.ext4", "-q", "-F", "-m", "0", "-O", "inline_data", "-I", "512"], False))
PERIOD_S, MEAN_GAP_S = 0.05, 0.5


def write(path, stop, refused):
    with open(path, "wb", buffering=0) as file:
        while not stop.is_set():
            try:
                file.write(b"x" * 8192)
            except OSError:
                refused.value += 1
                time.sleep(0.0005)


def keep(top, name, stop):
    """A file with blocks of its own whenever there is none; its room is taken from the reserve."""
    left = RESERVE
    while not stop.is_set():
        for _ in range(0 if os.path.exists(name) else 5):
            try:
                with open(top + "/.spare", "wb") as spare:
                    os.posix_fallocate(spare.fileno(), 0, ROOM)
                os.rename(top + "/.spare", name)
                break
            except OSError:
                left = max(left - 2 * ROOM, 0)
                os.truncate(top + "/.reserve", left)
        time.sleep(PERIOD_S)


def checkpoint(name):
    """What PostgreSQL does (CheckPointReplicationOrigin)."""
    if os.path.exists(name):
        os.unlink(name)
    file = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(file, b"x" * 8)
        os.fsync(file)
    finally:
        os.close(file)
    os.rename(name, name[:-len(".tmp")])


def measure(top, is_kept, writers, checkpoints):
    os.mkdir(top + "/pg_logical")
    name, failed = top + "/pg_logical/replorigin_checkpoint.tmp", 0
    with open(top + "/.reserve", "wb") as reserve:
        os.posix_fallocate(reserve.fileno(), 0, RESERVE)
    stop, refused = multiprocessing.Event(), multiprocessing.Value("i", 0)
    crew = [multiprocessing.Process(target=write, args=("%s/%d" % (top, number), stop, refused)) for number in range(writers)]
    crew += [multiprocessing.Process(target=keep, args=(top, name, stop))] if is_kept else []
    for one in crew:
        one.start()
    while refused.value < 100:
        time.sleep(0.05)
    time.sleep(1)
    for _ in range(checkpoints):
        try:
            checkpoint(name)
        except OSError:
            failed += 1
        time.sleep(random.random() * 2 * MEAN_GAP_S)
    stop.set()
    for one in crew:
        one.join()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoints", type=int, default=40)
    parser.add_argument("--writers", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        image, top = folder + "/image", folder + "/top"
        os.mkdir(top)
        for name, maker, is_kept in KINDS:
            with open(image, "wb") as file:
                file.truncate(DISK)
            subprocess.run([*maker, image], check=True, capture_output=True)
            subprocess.run(["mount", "-o", "loop,noatime,discard", image, top], check=True)
            try:
                print("%-24s %d of %d checkpoints failed" % (name, measure(top, is_kept, given.writers, given.checkpoints), given.checkpoints), flush=True)
            finally:
                subprocess.run(["umount", top], check=True)


if __name__ == "__main__":
    main()
