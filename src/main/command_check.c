/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved check`: checks everything that a deployment needs, and says in sentences what is wrong and what to do. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/certificate_look.h"
#include "base/date.h"
#include "base/disk.h"
#include "base/json.h"
#include "job/billing/price_file.h"
#include "limit/redis_look.h"
#include "main/command_api.h"
#include "main/commands.h"
#include "main/probe.h"
#include "monitor/stores.h"
#include "store/cluster/condition.h"
#include "store/migrate.h"
#include "wire/patroni.h"

#define USAGE "check [--config FILE] [--dns ADDRESS[:PORT]]"

enum {
    ARENA_BYTES = 16 * 1024 * 1024,
    PEM_BYTES = 1024 * 1024,
    SKEW_MS = 2000,
    DAY_S = 24 * 3600,
    CERTIFICATE_DAYS = 14,     /* of the operator's own: time to get another one */
    HOST_CERTIFICATE_DAYS = 7, /* of hosts: renewed long before, so less means that it does not work */
    WORKER_SILENT_S = 600,     /* sweeps come every few minutes */
    FIRST_WORK_S = 5,          /* until a worker that was just started has done anything */
    HOST_SILENT_S = 180,       /* agents speak every minute at least */
    FREE_MB = 256,
    OLDEST_POSTGRES = 150000,
};

struct examination {
    struct arena *arena;
    struct config *config;
    const char *dns;
    json_t *server, *service;      /* what the database says; NULL when it cannot be asked */
    int64_t asked_ms, answered_ms; /* by the clock of this machine, around the database's */
    const char *name;              /* of the part that is looked at */
    bool is_said;                  /* something about it */
    int examined, wrong;
};

static PRINTF_LIKE(3, 4) void wrong(struct examination *at, const char *remedy, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str sentence = str_vformat(at->arena, format, args);
    va_end(args);
    printf("  WRONG  %-14s %.*s\n         %-14s %s\n", at->is_said ? "" : at->name, STR_ARG(sentence), "", remedy);
    at->is_said = true;
    at->wrong++;
}

static PRINTF_LIKE(2, 3) void skip(struct examination *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str sentence = str_vformat(at->arena, format, args);
    va_end(args);
    printf("  -      %-14s not examined: %.*s\n", at->name, STR_ARG(sentence));
    at->is_said = true;
    at->examined--;
}

/* ---- Files of this machine ---- */

/* What a function writes about its problems. */
struct problems {
    FILE *file; /* NULL without memory */
    char *text;
    size_t len;
};

static void
problems_open(struct problems *problems)
{
    *problems = (struct problems){ 0 };
    problems->file = open_memstream(&problems->text, &problems->len);
}

/* As one line, without the end of its last one. */
static str
problems_close(struct examination *at, struct problems *problems)
{
    if (problems->file == NULL)
        return STR("no memory");
    fclose(problems->file);
    while (problems->len > 0 && problems->text[problems->len - 1] == '\n')
        problems->len--;
    str line = str_dup(at->arena, (str){ problems->text, problems->len });
    free(problems->text);
    return line;
}

static void
check_key(struct examination *at)
{
    struct problems problems;
    problems_open(&problems);
    bool fine = problems.file != NULL && config_read_key(at->config, problems.file);
    str said = problems_close(at, &problems);
    if (!fine)
        wrong(
            at,
            "Copy the file from another node with mode 0600. Only for the very first: (umask 077; openssl rand -hex 32 > FILE).",
            "%.*s", STR_ARG(said));
}

static void
check_pair(struct examination *at, const char *certificate, const char *key)
{
    struct certificate_facts facts;
    str pem, key_pem;
    if (!disk_read(at->arena, certificate, PEM_BYTES, &pem)) {
        wrong(at, "Name the right file in reeve.conf, or put the file there.", "%s: %s.", certificate, strerror(errno));
    } else if (!disk_read(at->arena, key, PEM_BYTES, &key_pem)) {
        wrong(at, "Name the right file in reeve.conf, or put the file there.", "%s: %s.", key, strerror(errno));
    } else if (!certificate_read(pem, &facts)) {
        wrong(at, "It must begin with the server's own certificate, as PEM.", "%s is not a certificate.", certificate);
    } else if (!certificate_is_of(pem, key_pem)) {
        wrong(at, "Put a certificate and its own key there.", "%s was not made for the key %s.", certificate, key);
    } else if (facts.not_after_ms < clock_now_ms()) {
        wrong(at, "Put a new one in its place, with its key; then `systemctl reload reeve-api`.", "%s expired at %s.",
              certificate, date_text(at->arena, facts.not_after_ms).data);
    } else if (facts.not_after_ms < clock_now_ms() + (int64_t)CERTIFICATE_DAYS * DAY_S * 1000) {
        wrong(at, "Put a new one in its place in time, with its key; then `systemctl reload reeve-api`.",
              "%s expires at %s.", certificate, date_text(at->arena, facts.not_after_ms).data);
    } else if (facts.not_before_ms > clock_now_ms()) {
        wrong(at, "Check the clock of this machine.", "%s is not valid before %s.", certificate,
              date_text(at->arena, facts.not_before_ms).data);
    }
}

static void
check_certificates(struct examination *at)
{
    const struct config *config = at->config;
    check_pair(at, config->certificate, config->certificate_key);
    if (config->operator_certificate[0] != '\0')
        check_pair(at, config->operator_certificate, config->operator_certificate_key);
    if (config->agent_certificate[0] != '\0')
        check_pair(at, config->agent_certificate, config->agent_certificate_key);
}

static void
check_program(struct examination *at)
{
    str module = api_module_path(at->arena, at->config);
    if (access(at->config->nginx, X_OK) != 0)
        wrong(at, "Install the package nginx, or name the program in reeve.conf (nginx).", "%s: %s.", at->config->nginx,
              strerror(errno));
    if (access(module.data, R_OK) != 0)
        wrong(at, "Install reeve-server again, or name the file in reeve.conf (module).", "%s: %s.", module.data,
              strerror(errno));
}

static void
check_space(struct examination *at, const char *folder)
{
    struct statvfs status;
    if (statvfs(folder, &status) != 0)
        return;
    double free_mb = (double)status.f_bavail * (double)status.f_frsize / (1024 * 1024);
    double all_mb = (double)status.f_blocks * (double)status.f_frsize / (1024 * 1024);
    if (free_mb < (all_mb / 20 < FREE_MB ? all_mb / 20 : FREE_MB))
        wrong(at, "Remove files that are not needed there, such as old logs, or give it more space.",
              "%s is full: %.0f MB of %.0f are free.", folder, free_mb, all_mb);
}

static void
check_disk(struct examination *at)
{
    str log = str_from(at->config->log);
    check_space(at, at->config->run_dir);
    if (log.len > 0 && log.data[0] == '/') {
        const char *end = strrchr(at->config->log, '/');
        check_space(at, str_dup(at->arena, (str){ log.data, (size_t)(end - log.data) + 1 }).data);
    }
}

static void
check_prices(struct examination *at)
{
    struct problems problems;
    str items;
    if (at->config->price_file[0] == '\0') {
        skip(at, "there is no price_file; usage is counted and costs nothing");
        return;
    }
    problems_open(&problems);
    bool fine = problems.file != NULL && price_file_read(at->arena, at->config->price_file, problems.file, &items);
    str said = problems_close(at, &problems);
    if (!fine)
        wrong(at, "Correct the file; until then workers use the prices that they read last.", "%.*s", STR_ARG(said));
}

/* ---- The database ---- */

/* Of a database on several machines: each of them, also those that nobody needs at this moment. */
static void
check_database_hosts(struct examination *at)
{
    const char *host, *port, *why;
    unsigned count = 0;
    while (store_condition_place(at->config->database, count, at->arena, &host, &port))
        count++;
    for (unsigned i = 0; count > 1 && store_condition_place(at->config->database, i, at->arena, &host, &port); i++)
        if (host[0] != '/' && !probe_tcp(host, port, &why))
            wrong(at, "Start PostgreSQL there (`patronictl list` shows all), or correct `database` in reeve.conf.",
                  "PostgreSQL on %s (port %s): %s.", host, port, why);
    int64_t standbys = json_integer_value(json_object_get(at->server, "standbys"));
    if (at->server != NULL && count > 1 && standbys + 1 < count)
        wrong(at, "`patronictl list` shows which one is missing, and `journalctl -u patroni` on it shows why.",
              "Writes are copied to %lld other machines, and `database` names %u.", (long long)standbys, count - 1);
}

static void
check_database(struct examination *at)
{
    str text;
    at->asked_ms = clock_now_ms();
    if (store_condition_server(at->config->database, at->arena, &text) == OK)
        at->server = json_parse_own(at->arena, text);
    at->answered_ms = clock_now_ms();
    if (at->server == NULL) {
        wrong(at,
              "Start PostgreSQL, or correct `database` in reeve.conf; the lines above show what the server answered.",
              "The database cannot be reached.");
        check_database_hosts(at);
        return;
    }
    const char *off = json_string_value(json_object_get(at->server, "off"));
    int64_t version = json_integer_value(json_object_get(at->server, "versionNumber"));
    if (json_is_true(json_object_get(at->server, "isStandby")))
        wrong(at, "Name the primary in `database`, or several hosts with target_session_attrs=read-write.",
              "The database is a standby: nothing can be written there.");
    if (version < OLDEST_POSTGRES)
        wrong(at, "Upgrade it to 15 or newer.", "PostgreSQL %lld is too old.", (long long)(version / 10000));
    if (off[0] != '\0')
        wrong(at, "Remove these settings from postgresql.conf: acknowledged writes must survive a crash.",
              "The server runs with %s off.", off);
    if (json_integer_value(json_object_get(at->server, "freeConnections")) < at->config->transactions)
        wrong(at, "Raise max_connections of PostgreSQL, or lower `workers`, `transactions` and `readers` of the nodes.",
              "The server has fewer than %lld connections left.", (long long)at->config->transactions);
    check_database_hosts(at);
}

static void
ask_service(struct examination *at)
{
    str text;
    if (store_condition_service(at->config->database, at->arena, &text) == OK)
        at->service = json_parse_own(at->arena, text);
}

static void
check_schema(struct examination *at)
{
    struct migration_status status;
    if (at->server == NULL || store_migration_status(at->config->database, at->arena, &status) != OK) {
        skip(at, "the database does not answer");
        return;
    }
    if (status.applied < status.known)
        wrong(at, "Run `reeved migrate`; nodes and workers can keep running meanwhile.",
              "The schema is at version %d, and this program needs %d.", status.applied, status.known);
    else if (status.applied > status.known)
        wrong(at, "Install the newer version here as well.",
              "The schema is at version %d, made by a newer version than this one, which knows %d.", status.applied,
              status.known);
    if (!status.unchanged)
        wrong(at, "Use an official build: the database was made with other migrations than those of this program.",
              "A migration in the database is not the one that this program knows.");
    if (status.applied >= status.known)
        ask_service(at);
}

static void
check_clock(struct examination *at)
{
    if (at->server == NULL) {
        skip(at, "the database does not answer");
        return;
    }
    int64_t theirs = json_integer_value(json_object_get(at->server, "nowMs"));
    int64_t ahead = theirs > at->answered_ms ? theirs - at->answered_ms
                    : theirs < at->asked_ms  ? theirs - at->asked_ms
                                             : 0;
    if (ahead > SKEW_MS || ahead < -SKEW_MS)
        wrong(at, "Run a time service (chrony, systemd-timesyncd) on both; tokens and certificates depend on it.",
              "The clocks of this machine and of the database differ by %.1f s.", (double)llabs(ahead) / 1000);
}

/* ---- What else a deployment needs ---- */

static void
check_redis(struct examination *at)
{
    const struct config *config = at->config;
    for (size_t i = 0; i < config->redis.count; i++) {
        const struct redis_place *place = &config->redis_places[i];
        struct limit_config limit = { .redis_socket = place->socket,
                                      .redis_host = place->host,
                                      .redis_port = place->port };
        struct redis_condition redis;
        redis_look(&limit, &redis);
        if (!redis.answers)
            wrong(at,
                  config->redis.count == 1
                      ? "Start it, or correct `redis` in reeve.conf. Until then every node counts limits on its own."
                      : "Start it, or correct `redis` in reeve.conf. Nodes use the first that answers.",
                  "Redis (%s) does not answer: %s.", config->redis.values[i], redis.why);
        else if (strncmp(redis.policy, "allkeys", strlen("allkeys")) == 0 ||
                 strncmp(redis.policy, "volatile", strlen("volatile")) == 0)
            wrong(
                at,
                "Set maxmemory-policy noeviction in redis.conf: a limit that Redis forgets is counted from the start again.",
                "Redis (%s) drops keys when its memory is full (%s).", config->redis.values[i], redis.policy);
    }
}

/* A URL may have a password in it: it is not printed. */
static void
check_measurements(struct examination *at)
{
    const struct config_list *urls = &at->config->monitor_stores;
    struct monitor_stores *stores = monitor_stores_new(urls->values, urls->count, &monitor_http);
    for (size_t i = 0; stores != NULL && i < urls->count; i++) {
        str started, why;
        if (!monitor_started(stores, at->arena, i, &started, &why))
            wrong(
                at,
                "Start it, or correct `monitor_stores` in reeve.conf. Hosts keep what they measure for a while and send "
                "it when the store is back.",
                "Store %zu of measurements: %.*s", i + 1, STR_ARG(why));
    }
    monitor_stores_free(stores);
}

/* "https://10.0.0.21:2379", "10.0.0.53:53" or "10.0.0.53": the host, and the port if there is one. */
static const char *
split_place(struct arena *arena, const char *text, const char *port, const char **ret_port)
{
    const char *begin = strstr(text, "://");
    str host = str_dup(arena, str_from(begin != NULL ? begin + strlen("://") : text));
    char *host_text = (char *)host.data, *colon = strrchr(host_text, ':'), *bracket = strchr(host_text, ']');
    *ret_port = port;
    if (colon != NULL && (bracket != NULL ? colon > bracket : strchr(host_text, ':') == colon)) {
        *colon = '\0';
        *ret_port = colon + 1;
    }
    if (bracket != NULL && host_text[0] == '[') {
        *bracket = '\0';
        host_text++;
    }
    return host_text;
}

static void
check_endpoints(struct examination *at, const struct config_list *endpoints, const char *remedy)
{
    for (size_t i = 0; i < endpoints->count; i++) {
        const char *port, *why;
        const char *host = split_place(at->arena, endpoints->values[i], "2379", &port);
        if (!probe_tcp(host, port, &why))
            wrong(at, remedy, "%s: %s.", endpoints->values[i], why);
    }
}

static void
check_etcd(struct examination *at)
{
    if (at->config->etcd.count == 0 && at->config->database_etcd.count == 0)
        skip(at, "no etcd is configured, so there are no clusters");
    check_endpoints(
        at, &at->config->etcd,
        "Start it, or correct `etcd` in reeve.conf: without a majority of them no cluster can choose a new primary.");
    check_endpoints(
        at, &at->config->database_etcd,
        "Start it, or correct `database_etcd` in reeve.conf: without a majority of them the control database has no "
        "primary.");
}

static void
check_names(struct examination *at)
{
    const json_t *zone = json_object_get(at->service, "zone");
    if (!json_is_object(zone)) {
        skip(at, "no zone was set up (`reeved fleet init`)");
        return;
    }
    const char *name = json_string_value(json_object_get(zone, "name"));
    const char *server = at->dns != NULL ? at->dns : json_string_value(json_object_get(zone, "nameserver"));
    const char *port, *why;
    const char *host = split_place(at->arena, server, "53", &port);
    uint32_t first, second;
    if (!probe_zone_serial(host, port, name, &first, &why)) {
        wrong(at, "Start PowerDNS with deploy/pdns.conf as a model, or give its address with --dns.",
              "The name server %s does not answer for %s: %s.", server, name, why);
        return;
    }
    /* The serial is the time of the database: one that stands still was remembered, and so would be a name that is gone. */
    usleep(1100 * 1000);
    if (probe_zone_serial(host, port, name, &second, &why) && first == second)
        wrong(
            at,
            "Set cache-ttl, query-cache-ttl, negquery-cache-ttl and zone-cache-refresh-interval to 0, as in deploy/pdns.conf.",
            "The name server %s caches answers: names would appear and disappear later than the API says.", server);
}

static void
check_workers(struct examination *at)
{
    for (int i = 0; i < FIRST_WORK_S && json_is_null(json_object_get(at->service, "workerSilentS")); i++) {
        clock_sleep_ms(1000);
        ask_service(at);
    }
    const json_t *silent = json_object_get(at->service, "workerSilentS");
    int64_t overdue = json_integer_value(json_object_get(at->service, "overdueJobs"));
    if (at->service == NULL) {
        skip(at, "the database does not answer");
        return;
    }
    if (!json_is_integer(silent))
        wrong(at, "Start `reeved worker`, preferably on two machines.", "No worker has ever worked on this database.");
    else if (json_integer_value(silent) > WORKER_SILENT_S)
        wrong(at, "Start `reeved worker`, preferably on two machines.", "No worker has worked for %lld minutes.",
              (long long)json_integer_value(silent) / 60);
    if (overdue > 0)
        wrong(at, "`reeved jobs` says what they wait for.", "%lld jobs are overdue.", (long long)overdue);
}

static void
check_host(struct examination *at, const json_t *host)
{
    const char *name = json_string_value(json_object_get(host, "name"));
    const char *patroni = json_string_value(json_object_get(host, "patroni"));
    int64_t silent = json_integer_value(json_object_get(host, "silentS"));
    const json_t *left = json_object_get(host, "certificateLeftS");
    if (silent > HOST_SILENT_S)
        wrong(at, "Check that its agent runs and reaches agent_listen: `systemctl status reeve-agent` there.",
              "Host %s has been silent for %lld minutes.", name, (long long)silent / 60);
    if (patroni != NULL && patroni[0] != '\0' && !patroni_is_new_enough(str_from(patroni)))
        wrong(at,
              "Install patroni " PATRONI_LEAST " or newer there (Debian 13 has it) before anything is placed on it.",
              "Host %s has Patroni %s, which can lose acknowledged writes in a failover.", name, patroni);
    if (json_is_integer(left) && json_integer_value(left) < 0)
        wrong(at, "Let it join again with a new token: `reeved fleet tokens create`.",
              "The certificate of host %s has expired.", name);
    else if (json_is_integer(left) && json_integer_value(left) < (int64_t)HOST_CERTIFICATE_DAYS * DAY_S)
        wrong(at, "Its agent should have renewed it: look at its log, `journalctl -u reeve-agent` there.",
              "The certificate of host %s ends in %lld days.", name, (long long)(json_integer_value(left) / DAY_S));
}

static void
check_hosts(struct examination *at)
{
    size_t i;
    const json_t *host, *hosts = json_object_get(at->service, "hosts");
    if (json_array_size(hosts) == 0)
        skip(at, at->service == NULL ? "the database does not answer" : "no host has joined");
    json_array_foreach(hosts, i, host) check_host(at, host);
}

static void
check_own_backup_at(struct examination *at, const json_t *own)
{
    const char *host = json_string_value(json_object_get(own, "host"));
    str state = json_text_at(own, "state"), problem = json_text_at(own, "problem");
    const json_t *behind = json_object_get(own, "behindS");
    if (str_is(state, "UNPROVEN"))
        wrong(at, "`reeve-agent own-database show` there says what went wrong.",
              "No control plane could be started from the backups of this database on host %s for too long: %.*s", host,
              STR_ARG(json_text_at(own, "drillProblem")));
    else if (str_is(state, "FAILING") && problem.len > 0)
        wrong(at, "`reeve-agent own-database show` there says more.", "Host %s does not back this database up: %.*s",
              host, STR_ARG(problem));
    else if (str_is(state, "FAILING"))
        wrong(at, "Check that its agent runs: `systemctl status reeve-agent` there.",
              "The backups of this database on host %s stand still: the last %lld minutes of it would be lost.", host,
              (long long)(json_is_integer(behind) ? json_integer_value(behind) / 60 : -1));
}

/* Another one that works is enough for nobody: whoever set up two wants two. */
static void
check_own_backup(struct examination *at)
{
    const json_t *own, *all = json_object_get(at->service, "ownBackups");
    size_t i;
    if (json_array_size(all) == 0)
        skip(at, at->service == NULL ? "the database does not answer"
                                     : "no repository host backs this database up (`reeve-agent own-database keep`)");
    json_array_foreach(all, i, own) check_own_backup_at(at, own);
}

/* ---- All of them ---- */

// clang-format off
static const struct {
    const char *name;
    void (*run)(struct examination *at);
} checks[] = {
    { "key",          check_key },
    { "certificates", check_certificates },
    { "program",      check_program },
    { "disk",         check_disk },
    { "prices",       check_prices },
    { "database",     check_database },
    { "schema",       check_schema },
    { "clock",        check_clock },
    { "redis",        check_redis },
    { "etcd",         check_etcd },
    { "names",        check_names },
    { "workers",      check_workers },
    { "hosts",        check_hosts },
    { "own backup",   check_own_backup },
    { "measurements", check_measurements },
};
// clang-format on

static int
examine(struct examination *at)
{
    for (size_t i = 0; i < LENGTH(checks); i++) {
        at->name = checks[i].name;
        at->is_said = false;
        at->examined++;
        checks[i].run(at);
        if (!at->is_said)
            printf("  ok     %s\n", at->name);
        fflush(stdout);
    }
    printf("%d parts examined, %d fault%s\n", at->examined, at->wrong, at->wrong == 1 ? "" : "s");
    return at->wrong == 0 ? 0 : 1;
}

int
command_check(int argc, char **argv)
{
    struct option_value options[] = {
        { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        { "--dns", "Where PowerDNS answers; without it: the first name server of the zone." },
    };
    int status;
    if (!read_options(argc, argv, USAGE, options, LENGTH(options), NULL, &status))
        return status;
    struct examination at = { .arena = arena_new(ARENA_BYTES), .dns = options[1].value };
    at.config = at.arena == NULL ? NULL : config_load(options[0].value, stderr);
    status = 1;
    if (at.config != NULL)
        status = examine(&at);
    config_free(at.config);
    arena_free(at.arena);
    return status;
}
