/* SPDX-License-Identifier: Apache-2.0 */
/* The fleet of cluster_fixture.h, with hosts that keep backups and the key that seals their secrets. */
#ifndef BACKUP_FIXTURE_H
#define BACKUP_FIXTURE_H

#include "cluster_fixture.h"

#include "auth/auth.h"
#include "limit/limit.h"

enum { REPOSITORY = 50 }; /* numbers of repository hosts begin there */
static const struct key master_key = { { 3, 1, 4 } };
static struct limiter *limiter;

static void
add_repository(int number, const char *region, const char *version)
{
    fixture_ask(
        "INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb, address, facts, last_seen_at) "
        "VALUES (%s, 'r%d', 'P', '%s', 'z%d', 'REPOSITORY', 4, 8192, 100, '10.9.0.%d', '{\"pgbackrestVersion\": \"%s\"}', now())",
        fixture_quote(host_id(REPOSITORY + number)), number, region, number, number, version);
}

static int
backup_set_up(void **state)
{
    struct limit_config limit = { .redis_socket = getenv("REEVE_TEST_REDIS"), .redis_timeout_ms = 5000 };
    if (cluster_set_up(state) != 0)
        return -1;
    struct auth_config config = { .master_key = master_key, .token_lifetime_s = 3600, .dsn = fixture_dsn };
    limiter = limiter_new(&limit);
    test_api.auth = auth_new(store, limiter, &config);
    return test_api.auth == NULL ? -1 : 0;
}

static int
backup_tear_down(void **state)
{
    auth_free(test_api.auth);
    limiter_free(limiter);
    return cluster_tear_down(state);
}

#endif
