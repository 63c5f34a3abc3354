/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel writes into /proc and /sys/fs/cgroup, read. False everywhere when the text is not what it should be. */
#ifndef AGENT_MONITOR_PROC_TEXT_H
#define AGENT_MONITOR_PROC_TEXT_H

#include "base/str.h"

enum cpu_kind { CPU_USER, CPU_KERNEL, CPU_IOWAIT, CPU_STEAL, CPU_KINDS };

struct proc_cpu {
    double seconds[CPU_KINDS]; /* of all cores together, since the host started */
    int cores;
};
/* /proc/stat */
MUST_USE bool proc_cpu(str text, long ticks_per_second, struct proc_cpu *ret_cpu);

/* /proc/meminfo, in bytes: "MemTotal" */
MUST_USE bool proc_memory(str text, const char *name, double *ret_bytes);

/* /proc/net/dev: everything but the loopback */
MUST_USE bool proc_network(str text, double *ret_in_bytes, double *ret_out_bytes);

struct proc_disk {
    double reads, read_bytes, read_ms, writes, write_bytes, write_ms, busy_ms, waiting_ms;
};
/* /proc/diskstats */
MUST_USE bool proc_disk(str text, unsigned major, unsigned minor, struct proc_disk *ret_disk);

/* cpu.stat and memory.stat of a control group: the number behind a word */
MUST_USE bool proc_word(str text, const char *word, double *ret_value);

struct proc_process {
    double user_s, kernel_s;           /* its own */
    double gone_user_s, gone_kernel_s; /* of children that have ended and were waited for */
};
/* /proc/<pid>/stat. A name may have anything in it, brackets and spaces too. */
MUST_USE bool proc_process(str text, long ticks_per_second, struct proc_process *ret_process);

/* /proc/<pid>/statm, in pages */
MUST_USE bool proc_pages(str text, double *ret_virtual, double *ret_resident, double *ret_shared);

#endif
