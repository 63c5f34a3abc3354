/* SPDX-License-Identifier: Apache-2.0 */
/* Real stores of measurements for a test program, on the loopback, in a folder that is removed: VictoriaMetrics, as operators run it. */
#ifndef TEST_UNIT_MONITOR_FIXTURE_H
#define TEST_UNIT_MONITOR_FIXTURE_H

#include "check.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "free_port.h"
#include "monitor/stores.h"

enum { MONITOR_STORES = 2, MONITOR_WAIT_MS = 30000 };

static struct {
    char folder[64], urls[MONITOR_STORES][64];
    const char *url_list[MONITOR_STORES];
    int ports[MONITOR_STORES];
    pid_t pids[MONITOR_STORES];
    struct monitor_stores *stores;
} monitor;

static bool
monitor_listens(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool listens = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
    close(fd);
    return listens;
}

static void
monitor_start(size_t number)
{
    char data[128], listen[64];
    snprintf(data, sizeof(data), "-storageDataPath=%s/%zu", monitor.folder, number);
    snprintf(listen, sizeof(listen), "-httpListenAddr=127.0.0.1:%d", monitor.ports[number]);
    monitor.pids[number] = fork();
    if (monitor.pids[number] == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever kills the test kills it, too */
        if (freopen("/dev/null", "w", stderr) == NULL || freopen("/dev/null", "w", stdout) == NULL)
            _exit(126);
        execlp("victoria-metrics", "victoria-metrics", data, listen, "-retentionPeriod=8d", "-search.latencyOffset=0s",
               "-dedup.minScrapeInterval=1ms", "-memory.allowedBytes=64MiB", (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < patient(MONITOR_WAIT_MS) / 20 && !monitor_listens(monitor.ports[number]); i++)
        usleep(20000);
    if (!monitor_listens(monitor.ports[number]))
        fail_msg("victoria-metrics does not start; script/bootstrap installs it");
}

/* A store that was away is tried again after a moment. */
static __attribute__((unused)) void
monitor_put(struct arena *in, size_t number, str lines)
{
    str started, why = STR_EMPTY;
    for (int i = 0; i < patient(500); i++) {
        if (monitor_write(monitor.stores, in, number, lines, &started, &why))
            return;
        usleep(20000);
    }
    fail_msg("%.*s", STR_ARG(why));
}

static __attribute__((unused)) bool
monitor_ignore(void *context, str bytes)
{
    (void)context, (void)bytes;
    return true;
}

/* A store shows what it took after about a second, unless it is told to. */
static __attribute__((unused)) void
monitor_show(struct arena *in, size_t number)
{
    struct monitor_question question = { .path = "/internal/force_flush", .take = monitor_ignore };
    str why;
    assert_true(monitor_ask(monitor.stores, in, number, &question, &why));
}

static void
monitor_kill(size_t number)
{
    kill(monitor.pids[number], SIGKILL);
    waitpid(monitor.pids[number], NULL, 0);
    monitor.pids[number] = 0;
}

static void
monitor_open(void)
{
    snprintf(monitor.folder, sizeof(monitor.folder), "/tmp/reeve-monitor.XXXXXX");
    assert_non_null(mkdtemp(monitor.folder));
    for (size_t i = 0; i < MONITOR_STORES; i++) {
        monitor.ports[i] = free_port();
        snprintf(monitor.urls[i], sizeof(monitor.urls[i]), "http://127.0.0.1:%d", monitor.ports[i]);
        monitor.url_list[i] = monitor.urls[i];
        monitor_start(i);
    }
    monitor.stores = monitor_stores_new(monitor.url_list, MONITOR_STORES, &monitor_http);
    assert_non_null(monitor.stores);
}

static void
monitor_close(void)
{
    char command[128];
    monitor_stores_free(monitor.stores);
    for (size_t i = 0; i < MONITOR_STORES; i++) {
        if (monitor.pids[i] > 0)
            monitor_kill(i);
    }
    snprintf(command, sizeof(command), "rm -rf %s", monitor.folder);
    assert_int_equal(system(command), 0);
}

#endif
