/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reeve.conf: lines of `key = value`, comments after #. One table in config.c has all keys with their defaults, bounds
 * and a sentence each. The sample, the reference and every error message are made from it.
 */
#ifndef MAIN_CONFIG_H
#define MAIN_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/crypto/crypto.h"
#include "base/str.h"
#include "limit/limit.h"

enum { CONFIG_MAX_VALUES = 32 };

/* A key that can be repeated in the file. The last value is followed by NULL. */
struct config_list {
    size_t count;
    const char *values[CONFIG_MAX_VALUES];
};

#define DEFAULT_CONFIG "/etc/reeve/reeve.conf"

/* Texts are never NULL; a key that is not set and has no default is "". */
struct config {
    struct arena *arena;
    const char *path; /* of the file, absolute */

    struct config_list listen, proxy_listen, balancers;
    const char *certificate, *certificate_key;
    const char *operator_listen, *operator_certificate, *operator_certificate_key, *operator_base_url;
    const char *base_url;
    const char *console_dir;

    struct {
        str certificate, key, authority; /* PEM, of the three files below; empty: they were not read */
    } agent_identity;
    const char *agent_listen, *agent_certificate, *agent_certificate_key, *agent_authority, *domain, *cluster_names;
    int64_t cluster_port, pooler_port;
    struct config_list etcd, monitor_stores;

    const char *database, *key_file;
    struct config_list redis, database_etcd;
    int64_t cell, token_lifetime_s;
    const char *people_passwords;
    struct config_list control_plane_addresses;

    int64_t workers, threads, thread_queue, caller_share, max_connections, address_concurrency;
    int64_t transactions, readers, large_readers, tool_readers, large_timeout_ms, pool_wait_ms, statement_timeout_ms,
        redis_timeout_ms, guard_failures_per_minute, guard_tries_per_minute;
    int64_t log_lines_per_minute, caller_memory_mb, request_memory_mb, send_min_bytes_s;
    int64_t header_timeout_s, body_timeout_s, send_timeout_s, keepalive_timeout_s, drain_s;

    struct config_list egress_allow;
    const char *egress_ca;
    const char *smtp, *smtp_from, *alert_relay;
    int64_t worker_threads, job_threads, webhook_pause_days, retention_days, payment_due_days;
    const char *price_file;

    const char *log, *run_dir, *user, *module, *nginx;

    /* Made from the values above. */
    struct key key;
    struct redis_place redis_places[CONFIG_MAX_VALUES]; /* as many as there are in `redis` */
};

/* NULL when anything is wrong; then every mistake is a line in `problems`. */
MUST_USE struct config *config_load(const char *path, FILE *problems);
void config_free(struct config *config);

/* Reads the key file into config->key. Not part of loading: `reeved api --print-config` needs no secret. */
MUST_USE bool config_read_key(struct config *config, FILE *problems);
/* Reads agent_certificate, its key and agent_authority, while the process may still read them. What cannot be read stays empty. */
void config_read_agent_identity(struct config *config);
/* Whether the console's files are where console_dir says. */
bool config_has_console(const struct config *config);

void config_print_sample(FILE *out);
void config_print_reference(FILE *out); /* docs/reference/configuration.md */

#endif
