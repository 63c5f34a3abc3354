/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel writes, and what is made of it. */
#include "arena_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "agent/monitor/host.h"
#include "agent/monitor/monitor.h"
#include "agent/monitor/proc_text.h"
#include "base/clock.h"
#include "wire/points.h"

enum { HZ = 100, OUT_BYTES = 64 * 1024 };

static void
processors_are_read(void **state)
{
    (void)state;
    struct proc_cpu cpu;
    assert_true(proc_cpu(STR("cpu  1000 200 300 9000 40 10 20 5 0 0\ncpu0 500 100 150 4500 20 5 10 2 0 0\n"
                             "cpu1 500 100 150 4500 20 5 10 3 0 0\nintr 123 4 5\nctxt 9\n"),
                         HZ, &cpu));
    assert_int_equal(cpu.cores, 2);
    assert_true(cpu.seconds[CPU_USER] == 12 && cpu.seconds[CPU_KERNEL] == 3.3);
    assert_true(cpu.seconds[CPU_IOWAIT] == 0.4 && cpu.seconds[CPU_STEAL] == 0.05);
    assert_false(proc_cpu(STR(""), HZ, &cpu));
    assert_false(proc_cpu(STR("cpu  1 2 3\n"), HZ, &cpu));
    assert_false(proc_cpu(STR("cpu  1 2 x 4 5 6 7 8\ncpu0 1\n"), HZ, &cpu));
}

static void
memory_and_words_are_read(void **state)
{
    (void)state;
    double value = 0;
    str text = STR("MemTotal:       24682416 kB\nMemFree:  1 kB\nMemAvailable:   100 kB\nHugePages_Total:       0\n");
    assert_true(proc_memory(text, "MemAvailable", &value) && value == 102400);
    assert_false(proc_memory(text, "MemAvail", &value));
    assert_false(proc_memory(STR("MemTotal: many kB\n"), "MemTotal", &value));
    assert_true(proc_word(STR("usage_usec 30\nuser_usec 10\nsystem_usec 20\n"), "system_usec", &value) && value == 20);
    assert_false(proc_word(STR("usage_usec 30\nuser_usec\n"), "user_usec", &value));
    assert_false(proc_word(STR(""), "anon", &value));
}

static void
networks_are_added_up_without_the_loopback(void **state)
{
    (void)state;
    double in = 0, out = 0;
    assert_true(proc_network(STR("Inter-|   Receive  |  Transmit\n face |bytes packets errs\n"
                                 "    lo:   999 1 0 0 0 0 0 0   999 1 0 0 0 0 0 0\n"
                                 "  eth0:10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n"
                                 "  eth1:   5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n"),
                             &in, &out));
    assert_true(in == 15 && out == 27);
    assert_false(proc_network(STR("a\nb\n eth0: 1 2\n"), &in, &out));
}

static void
a_disk_is_found_by_its_number(void **state)
{
    (void)state;
    struct proc_disk disk;
    str text = STR("   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 0 0 0 0 0 0\n"
                   " 254       1 vda1 100 2 300 40 500 6 700 80 9 1000 2000\n");
    assert_true(proc_disk(text, 254, 1, &disk));
    assert_true(disk.reads == 100 && disk.read_bytes == 300 * 512 && disk.read_ms == 40);
    assert_true(disk.writes == 500 && disk.write_bytes == 700 * 512 && disk.write_ms == 80);
    assert_true(disk.busy_ms == 1000 && disk.waiting_ms == 2000);
    assert_false(proc_disk(text, 0, 45, &disk)); /* an overlay has no device */
    assert_false(proc_disk(STR("x y z\n"), 1, 1, &disk));
}

/* A process gives itself its name. */
static void
a_process_is_read_whatever_its_name_is(void **state)
{
    (void)state;
    struct proc_process process;
    assert_true(proc_process(
        STR("17 (a) R 1 (b c) S 1 17 17 0 -1 4194560 9747 327127 0 89 200 600 500 100 20 0 1 0 556 5464064\n"), HZ,
        &process));
    assert_true(process.user_s == 2 && process.kernel_s == 6 && process.gone_user_s == 5 && process.gone_kernel_s == 1);
    assert_false(proc_process(STR("17 (a) S 1 17"), HZ, &process));
    assert_false(proc_process(STR(""), HZ, &process));
    double size, resident, shared;
    assert_true(proc_pages(STR("100 50 20 5 0 30 0\n"), &size, &resident, &shared) && size == 100 && resident == 50 &&
                shared == 20);
    assert_false(proc_pages(STR("100\n"), &size, &resident, &shared));
}

/* ---- On this machine ---- */
static double
value_of(str lines, enum metric_number metric)
{
    struct points_reader reader = points_read(lines);
    struct points_line line;
    enum points_found found;
    while ((found = points_next(&reader, &line)) == POINTS_LINE) {
        for (size_t i = 0; i < line.value_count; i++) {
            if (line.values[i].metric->number == metric)
                return strtod(line.values[i].number.data, NULL);
        }
    }
    assert_int_equal(found, POINTS_END);
    return -1;
}

static str
measure(struct host_memory *memory, const struct host_member *about)
{
    struct buf out = buf_in(arena, OUT_BYTES);
    host_measure(memory, arena, about, clock_now_ms(), &out);
    return buf_str(&out);
}

static void
burn(double seconds)
{
    clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < until)
        ;
}

static void
the_processor_time_of_a_process_is_what_it_used(void **state)
{
    (void)state;
    struct host_memory *memory = host_memory_new();
    struct host_member about = { .id = id_new(1),
                                 .unit = STR("no-such.service"),
                                 .folder = STR("/tmp"),
                                 .user = geteuid(),
                                 .cpus = 0.5,
                                 .first_process = getpid() };
    str before = measure(memory, &about);
    burn(0.5);
    str after = measure(memory, &about);
    double used = value_of(after, M_PROCESS_CPU_USER) - value_of(before, M_PROCESS_CPU_USER) +
                  value_of(after, M_PROCESS_CPU_KERNEL) - value_of(before, M_PROCESS_CPU_KERNEL);
    double part = value_of(after, M_PROCESS_NORMALIZED_CPU_USER) - value_of(before, M_PROCESS_NORMALIZED_CPU_USER) +
                  value_of(after, M_PROCESS_NORMALIZED_CPU_KERNEL) - value_of(before, M_PROCESS_NORMALIZED_CPU_KERNEL);
    assert_true(used > 45 && used < 70);  /* half a second of one processor */
    assert_true(part > 90 && part < 140); /* of which it may use a half */
    assert_true(value_of(after, M_SYSTEM_CPU_USER) >= value_of(before, M_SYSTEM_CPU_USER));
    assert_true(value_of(after, M_MEMORY_RESIDENT) > 1000000 && value_of(after, M_MEMORY_VIRTUAL) > 1000000);
    assert_true(value_of(after, M_SYSTEM_MEMORY_AVAILABLE) > 0 && value_of(after, M_SYSTEM_NETWORK_IN) >= 0);
    double all =
        value_of(after, M_DISK_PARTITION_SPACE_PERCENT_FREE) + value_of(after, M_DISK_PARTITION_SPACE_PERCENT_USED);
    assert_true(all > 99.9 && all < 100.1);
    host_memory_free(memory);
}

/* A member's file may name any process of the host. */
static void
processes_of_others_are_not_looked_at(void **state)
{
    (void)state;
    struct host_memory *memory = host_memory_new();
    struct host_member about = { .id = id_new(1),
                                 .unit = STR("no-such.service"),
                                 .folder = STR("/nowhere"),
                                 .user = geteuid() + 1,
                                 .first_process = getpid() };
    str lines = measure(memory, &about);
    assert_true(value_of(lines, M_MEMORY_VIRTUAL) < 0 && value_of(lines, M_PROCESS_CPU_USER) < 0);
    assert_true(value_of(lines, M_DISK_PARTITION_SPACE_FREE) < 0);
    assert_true(value_of(lines, M_SYSTEM_CPU_USER) >= 0);
    host_memory_free(memory);
}

static void
members_are_measured_at_moments_of_their_own(void **state)
{
    (void)state;
    int64_t now = 1794940800000, seen[10] = { 0 };
    for (int i = 0; i < 1000; i++) {
        id member = id_new(1);
        int64_t next = watcher_next_ms(member, now), after = watcher_next_ms(member, next);
        assert_true(next > now && next <= now + 10000);
        assert_int_equal(after, next + 10000);
        assert_int_equal(watcher_next_ms(member, next - 1), next);
        seen[(next - now - 1) / 1000]++;
    }
    for (size_t i = 0; i < LENGTH(seen); i++)
        assert_true(seen[i] > 40);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_are_read),
        cmocka_unit_test(memory_and_words_are_read),
        cmocka_unit_test(networks_are_added_up_without_the_loopback),
        cmocka_unit_test(a_disk_is_found_by_its_number),
        cmocka_unit_test(a_process_is_read_whatever_its_name_is),
        cmocka_unit_test(the_processor_time_of_a_process_is_what_it_used),
        cmocka_unit_test(processes_of_others_are_not_looked_at),
        cmocka_unit_test(members_are_measured_at_moments_of_their_own),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
