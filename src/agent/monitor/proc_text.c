/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/monitor/proc_text.h"

#include <stdlib.h>

enum { CPU_FIELDS = 8, DISK_FIELDS = 14, NETWORK_FIELDS = 9, SECTOR_BYTES = 512, MOST_DIGITS = 20 };

/* A word off the beginning of `rest`, and the spaces around it; empty at the end. */
static str
take_word(str *rest)
{
    size_t from = 0, to;
    while (from < rest->len && (rest->data[from] == ' ' || rest->data[from] == '\t'))
        from++;
    for (to = from; to < rest->len && rest->data[to] != ' ' && rest->data[to] != '\t';)
        to++;
    str word = str_slice(*rest, from, to);
    *rest = str_slice(*rest, to, rest->len);
    return word;
}

static bool
to_number(str word, double *ret_value)
{
    double value = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
        value = value * 10 + (word.data[i] - '0');
    }
    if (word.len == 0 || word.len > MOST_DIGITS)
        return false;
    *ret_value = value;
    return true;
}

static bool
take_numbers(str line, size_t count, double *ret_values)
{
    for (size_t i = 0; i < count; i++) {
        if (!to_number(take_word(&line), &ret_values[i]))
            return false;
    }
    return true;
}

/* ---- Processors ---- */
bool
proc_cpu(str text, long ticks_per_second, struct proc_cpu *ret_cpu)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL };
    double n[CPU_FIELDS], ticks = (double)ticks_per_second;
    str line = str_cut(&text, '\n');
    if (!str_is(take_word(&line), "cpu") || !take_numbers(line, CPU_FIELDS, n))
        return false;
    struct proc_cpu cpu = { .seconds = { [CPU_USER] = (n[USER] + n[NICE]) / ticks,
                                         [CPU_KERNEL] = (n[SYSTEM] + n[IRQ] + n[SOFTIRQ]) / ticks,
                                         [CPU_IOWAIT] = n[IOWAIT] / ticks,
                                         [CPU_STEAL] = n[STEAL] / ticks } };
    while (str_starts_with(text, STR("cpu"))) {
        (void)str_cut(&text, '\n');
        cpu.cores++;
    }
    *ret_cpu = cpu;
    return cpu.cores > 0;
}

/* ---- Memory ---- */
bool
proc_memory(str text, const char *name, double *ret_bytes)
{
    while (text.len > 0) {
        str line = str_cut(&text, '\n'), key = str_cut(&line, ':');
        if (!str_is(key, name))
            continue;
        double kilobytes;
        if (!to_number(take_word(&line), &kilobytes))
            return false;
        *ret_bytes = kilobytes * 1024;
        return true;
    }
    return false;
}

/* ---- Network ---- */
bool
proc_network(str text, double *ret_in_bytes, double *ret_out_bytes)
{
    double in = 0, out = 0;
    (void)str_cut(&text, '\n'); /* two lines of headings */
    (void)str_cut(&text, '\n');
    while (text.len > 0) {
        str line = str_cut(&text, '\n'), name = str_trim(str_cut(&line, ':'));
        double n[NETWORK_FIELDS];
        if (!take_numbers(line, NETWORK_FIELDS, n))
            return false;
        if (str_is(name, "lo"))
            continue;
        in += n[0];
        out += n[8];
    }
    *ret_in_bytes = in;
    *ret_out_bytes = out;
    return true;
}

/* ---- Disks ---- */
bool
proc_disk(str text, unsigned major, unsigned minor, struct proc_disk *ret_disk)
{
    enum {
        READS,
        READS_MERGED,
        SECTORS_READ,
        READ_MS,
        WRITES,
        WRITES_MERGED,
        SECTORS_WRITTEN,
        WRITE_MS,
        NOW,
        BUSY_MS,
        WAITING_MS
    };
    while (text.len > 0) {
        str line = str_cut(&text, '\n');
        double place[2], n[DISK_FIELDS - 3];
        if (!to_number(take_word(&line), &place[0]) || !to_number(take_word(&line), &place[1]))
            return false;
        if (place[0] != major || place[1] != minor)
            continue;
        (void)take_word(&line); /* its name */
        if (!take_numbers(line, LENGTH(n), n))
            return false;
        *ret_disk = (struct proc_disk){
            .reads = n[READS],
            .read_bytes = n[SECTORS_READ] * SECTOR_BYTES,
            .read_ms = n[READ_MS],
            .writes = n[WRITES],
            .write_bytes = n[SECTORS_WRITTEN] * SECTOR_BYTES,
            .write_ms = n[WRITE_MS],
            .busy_ms = n[BUSY_MS],
            .waiting_ms = n[WAITING_MS],
        };
        return true;
    }
    return false;
}

/* ---- Processes ---- */
bool
proc_word(str text, const char *word, double *ret_value)
{
    while (text.len > 0) {
        str line = str_cut(&text, '\n');
        if (str_is(take_word(&line), word))
            return to_number(take_word(&line), ret_value);
    }
    return false;
}

bool
proc_process(str text, long ticks_per_second, struct proc_process *ret_process)
{
    double n[4], ticks = (double)ticks_per_second;
    size_t end = text.len;
    while (end > 0 && text.data[end - 1] != ')')
        end--;
    str line = str_slice(text, end, text.len);
    for (int i = 3; i < 14; i++) { /* fields are counted from 1; the name is the second */
        if (take_word(&line).len == 0)
            return false;
    }
    if (end == 0 || !take_numbers(line, LENGTH(n), n))
        return false;
    *ret_process = (struct proc_process){ n[0] / ticks, n[1] / ticks, n[2] / ticks, n[3] / ticks };
    return true;
}

bool
proc_pages(str text, double *ret_virtual, double *ret_resident, double *ret_shared)
{
    double n[3];
    if (!take_numbers(str_cut(&text, '\n'), LENGTH(n), n))
        return false;
    *ret_virtual = n[0];
    *ret_resident = n[1];
    *ret_shared = n[2];
    return true;
}
