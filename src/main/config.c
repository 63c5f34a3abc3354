/* SPDX-License-Identifier: Apache-2.0 */
#include "main/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/line_file.h"
#include "base/net/net.h"
#include "cluster/names.h"
#include "monitor/stores.h"

enum { LINE_MAX_BYTES = LINE_FILE_LONGEST, ARENA_BYTES = 1024 * 1024 };

/* ---- The table ---- */
enum kind {
    KIND_TEXT,
    KIND_NAME, /* of a user of the system */
    KIND_NUMBER,
    KIND_ADDRESS, /* 127.0.0.1:8443, [::1]:8443, *:8443 */
    KIND_BLOCK,   /* 10.0.0.0/8 */
    KIND_FILE,    /* a path; made absolute, relative to the folder of reeve.conf */
    KIND_URL,
    KIND_SMTP,   /* smtp://host:port */
    KIND_MAIL,   /* an address */
    KIND_REDIS,  /* a path or host:port */
    KIND_DOMAIN, /* example.org */
    KIND_SWITCH, /* on, off */
    KIND_NAMING, /* a scheme of cluster/names.h */
};
enum { MANY = 1, NEEDED = 2 };

struct setting {
    const char *key;
    enum kind kind;
    unsigned flags;
    size_t offset;
    const char *fallback; /* NULL: none */
    int64_t min, max;
    const char *sentence, *example;
};
#define AT(member) offsetof(struct config, member)

// clang-format off
static const struct setting settings[] = {
    { "listen",              KIND_ADDRESS, MANY,   AT(listen), "127.0.0.1:8443", 0, 0,
      "Address and port of the API, always with TLS. Can be repeated.", "[::]:8443" },
    { "certificate",         KIND_FILE,    NEEDED, AT(certificate), NULL, 0, 0,
      "Certificate chain of the API in PEM, the server's own first.", "/etc/reeve/tls.crt" },
    { "certificate_key",     KIND_FILE,    NEEDED, AT(certificate_key), NULL, 0, 0,
      "Its private key in PEM.", "/etc/reeve/tls.key" },
    { "base_url",            KIND_URL,     0,      AT(base_url), "", 0, 0,
      "Address at which clients reach the API; links in answers begin with it. Default: https and the first listen "
      "address.", "https://reeve.example.org" },
    { "console_dir",         KIND_FILE,    0,      AT(console_dir), "/usr/share/reeve/console", 0, 0,
      "Folder with the files of the console, which the API serves under /console/, and those of operators under /console/ of operator_base_url. The package reeve-console puts them here; "
      "without it there is no console.", NULL },
    { "proxy_listen",        KIND_ADDRESS, MANY,   AT(proxy_listen), NULL, 0, 0,
      "An address that expects the PROXY protocol in front of TLS, for TCP balancers. Can be repeated.", "10.0.0.5:8444" },
    { "balancers",           KIND_BLOCK,   MANY,   AT(balancers), NULL, 0, 0,
      "Address or block that may connect to proxy_listen. Only these are trusted to name the client's address. Can be "
      "repeated.", "10.0.0.0/24" },
    { "operator_listen",     KIND_ADDRESS, 0,      AT(operator_listen), "127.0.0.1:9443", 0, 0,
      "Address of /livez, /readyz, /metrics, /jobs and /fleet, which need no credentials, and of the operator's API, which "
      "needs a token. Tenants must not reach it.", NULL },
    { "operator_certificate",     KIND_FILE, 0,    AT(operator_certificate), "", 0, 0,
      "Certificate of the operator's address. Without it that address uses plain HTTP and serves operators only from the node "
      "itself.", "/etc/reeve/operator.crt" },
    { "operator_certificate_key", KIND_FILE, 0,    AT(operator_certificate_key), "", 0, 0,
      "Its private key in PEM.", "/etc/reeve/operator.key" },
    { "operator_base_url",   KIND_URL,     0,      AT(operator_base_url), "", 0, 0,
      "Address at which operators' browsers reach operator_listen. It needs https and a name: only then can operators sign in "
      "with passkeys. Default: operator_listen itself.", "https://operators.example.org:9443" },

    { "agent_listen",        KIND_ADDRESS, 0,      AT(agent_listen), "", 0, 0,
      "Address to which hosts of the fleet connect, with TLS and certificates on both sides. Without it no host can connect to "
      "this node.", "10.0.0.5:7443" },
    { "agent_certificate",   KIND_FILE,    0,      AT(agent_certificate), "", 0, 0,
      "Certificate chain of agent_listen in PEM, with the fleet's authority in it: `reeved fleet certificate` writes it.", "/etc/reeve/fleet/agents.crt" },
    { "agent_certificate_key", KIND_FILE,  0,      AT(agent_certificate_key), "", 0, 0,
      "Its private key in PEM.", "/etc/reeve/fleet/agents.key" },
    { "agent_authority",     KIND_FILE,    0,      AT(agent_authority), "", 0, 0,
      "The fleet's authority in PEM, for checking hosts' certificates: `reeved fleet authority` prints "
      "it.", "/etc/reeve/fleet/authority.crt" },
    { "etcd",                KIND_URL,     MANY,   AT(etcd), NULL, 0, 0,
      "An endpoint of the etcd for members of clusters. Can be repeated.", "https://10.0.0.21:2379" },
    { "domain",              KIND_DOMAIN,  0,      AT(domain), "reeve.internal", 0, 0,
      "Domain of the names of clusters and members. PowerDNS answers for it.", "db.example.org" },
    { "cluster_names",       KIND_NAMING,  0,      AT(cluster_names), "named", 0, 0,
      "Host names of members of new clusters. named: orders-k3x9aq-1, with the cluster's name. random: k3x9aq-1, so that nobody learns names of "
      "clusters from DNS. shard: k3x9aq-shard-00-00. Clusters keep the names that they were made with.", "random" },
    { "cluster_port",        KIND_NUMBER,  0,      AT(cluster_port), "5432", 1024, 65535,
      "Port of the servers of new clusters; each has an address of its own. Clusters keep the port that they were made with.", NULL },
    { "pooler_port",         KIND_NUMBER,  0,      AT(pooler_port), "6432", 1024, 65535,
      "Port of the poolers of new clusters, on the same addresses. Clusters keep the port that they were made with.", NULL },

    { "monitor_stores",      KIND_URL,     MANY,   AT(monitor_stores), NULL, 0, 0,
      "A store of measurements: VictoriaMetrics, or what speaks as it does. Can be repeated up to four times, in the same order on all "
      "nodes: each store gets every point, and reads go to the first that answers. Without one nothing is measured.", "http://127.0.0.1:8428" },

    { "database",            KIND_TEXT,    NEEDED, AT(database), NULL, 0, 0,
      "How to reach PostgreSQL: a libpq connection string.", "host=/run/postgresql dbname=reeve user=reeve" },
    { "database_etcd",       KIND_URL,     MANY,   AT(database_etcd), NULL, 0, 0,
      "An endpoint of the etcd for the control database's Patroni, if there is one. `reeved check` checks that it answers. Can "
      "be repeated.", "https://10.0.0.5:2379" },
    { "redis",               KIND_REDIS,   MANY,   AT(redis), "127.0.0.1:6379", 0, 0,
      "Where Redis listens: the path of its socket, or host:port. Can be repeated, in the same order on all nodes: the first "
      "that answers is used. Without Redis each node counts limits on its own.", "/run/redis/redis.sock" },
    { "key_file",            KIND_FILE,    NEEDED, AT(key_file), NULL, 0, 0,
      "The deployment's master key: 64 hexadecimal digits, the same on all nodes, in a file that others cannot read.", "/etc/reeve/key" },
    { "cell",                KIND_NUMBER,  0,      AT(cell), "0", 0, 65535,
      "The number of this cell; it is part of every new identifier.", NULL },
    { "token_lifetime_s",    KIND_NUMBER,  0,      AT(token_lifetime_s), "3600", 60, 3600,
      "How long a bearer token is valid.", NULL },
    { "people_passwords",    KIND_SWITCH,  0,      AT(people_passwords), "on", 0, 0,
      "on: people who have no passkey may sign in with a password. Browsers have passkeys only for names: at an address such as https://10.0.0.5 a password is the "
      "only way in, and it counts only for those who set one. off: no password opens anything here.", "off" },
    { "control_plane_addresses", KIND_BLOCK, MANY, AT(control_plane_addresses), NULL, 0, 0,
      "Addresses from which this deployment makes connections, as shown to tenants. Can be repeated.", "203.0.113.7/32" },

    { "workers",             KIND_NUMBER,  0,      AT(workers), "0", 0, 256,
      "Processes that answer requests; 0 for one for each processor.", NULL },
    { "threads",             KIND_NUMBER,  0,      AT(threads), "8", 1, 256,
      "Threads of each process, for requests that wait for the database.", NULL },
    { "thread_queue",        KIND_NUMBER,  0,      AT(thread_queue), "1024", 1, 65536,
      "Requests of each process that may wait for a thread; more get 503. One organization may take half of the free places, "
      "so that others always find one.", NULL },
    { "caller_share",        KIND_NUMBER,  0,      AT(caller_share), "75", 1, 100,
      "Percentage of the threads of a process that one organization may use at a time. The rest stays free for others.", NULL },
    { "max_connections",     KIND_NUMBER,  0,      AT(max_connections), "8192", 64, 1000000,
      "Client connections of each process.", NULL },
    { "address_concurrency", KIND_NUMBER,  0,      AT(address_concurrency), "1000", 0, 65535,
      "Requests that one client address may have open at a time; 0 for no limit.", NULL },
    { "caller_memory_mb",    KIND_NUMBER,  0,      AT(caller_memory_mb), "8", 2, 4096,
      "Memory of each process for requests of one organization, or of one address without credentials: bodies that arrive and "
      "answers that were not read yet. Beyond it, only that organization's next requests wait until it holds less. 8 is enough "
      "for two bodies of 1 MiB and five pages of 500 items.", NULL },
    { "request_memory_mb",   KIND_NUMBER,  0,      AT(request_memory_mb), "64", 2, 65536,
      "The same for all together. Beyond it, only those who hold nothing get more.", NULL },
    { "transactions",        KIND_NUMBER,  0,      AT(transactions), "8", 1, 256,
      "Database connections of each process for requests that change something.", NULL },
    { "readers",             KIND_NUMBER,  0,      AT(readers), "2", 1, 64,
      "Database connections of each process for reads on threads.", NULL },
    { "large_readers",       KIND_NUMBER,  0,      AT(large_readers), "2", 1, 64,
      "Extra threads and database connections of each process for requests that may take long: pages of more than 100 items, "
      "large bodies, and rules that tenants wrote. Other requests do not wait for these. One organization may use its share, "
      "and at least one.", NULL },
    { "tool_readers",        KIND_NUMBER,  0,      AT(tool_readers), "4", 1, 64,
      "Extra threads of each process for what tenants' own Prometheus and Grafana ask of the stores of measurements. Other requests do not "
      "wait for these. One organization may use half of them, and at least one.", NULL },
    { "large_timeout_ms",    KIND_NUMBER,  0,      AT(large_timeout_ms), "5000", 100, 600000,
      "How long one of their statements may run. An ordinary page of 500 items takes milliseconds; a statement that takes "
      "seconds slows down everybody.", NULL },
    { "pool_wait_ms",        KIND_NUMBER,  0,      AT(pool_wait_ms), "2000", 1, 60000,
      "How long a request waits for a database connection.", NULL },
    { "statement_timeout_ms", KIND_NUMBER, 0,      AT(statement_timeout_ms), "10000", 100, 600000,
      "How long one statement may run.", NULL },
    { "redis_timeout_ms",    KIND_NUMBER,  0,      AT(redis_timeout_ms), "250", 1, 5000,
      "How long Redis may take before the node counts on its own.", NULL },
    { "guard_failures_per_minute", KIND_NUMBER, 0, AT(guard_failures_per_minute), "120", 1, 1000000,
      "Wrong credentials of one kind (a public key, a client id, or tokens without one) that one address may send in a minute; "
      "more get a delayed 429. Correct credentials are always served.", NULL },
    { "guard_tries_per_minute", KIND_NUMBER, 0, AT(guard_tries_per_minute), "30000", 6, 100000000,
      "Wrong tries for one public key or client id, or from one address, that each process checks in a minute, counted in spans "
      "of ten seconds. More are refused without a check, except for a credential that was correct within the last day. This is "
      "far more than anybody needs, and far too few to guess a secret.", NULL },

    { "header_timeout_s",    KIND_NUMBER,  0,      AT(header_timeout_s), "15", 1, 600,
      "How long the headers of a request may take.", NULL },
    { "body_timeout_s",      KIND_NUMBER,  0,      AT(body_timeout_s), "15", 1, 600,
      "How long a body may pause; the whole body may take four times as long.", NULL },
    { "send_timeout_s",      KIND_NUMBER,  0,      AT(send_timeout_s), "30", 1, 600,
      "How long a client may pause while it reads its answer.", NULL },
    { "send_min_bytes_s",    KIND_NUMBER,  0,      AT(send_min_bytes_s), "1024", 1, 1000000,
      "Bytes per second that a client must read at least, on average over send_timeout_s. Slower clients are disconnected, so "
      "that nobody keeps answers in memory by reading very slowly. Even the slowest lines in use are faster.", NULL },
    { "keepalive_timeout_s", KIND_NUMBER,  0,      AT(keepalive_timeout_s), "75", 1, 3600,
      "How long an idle connection is kept.", NULL },
    { "drain_s",             KIND_NUMBER,  0,      AT(drain_s), "30", 1, 3600,
      "How long open requests may take when the node stops or reloads.", NULL },

    { "egress_allow",        KIND_BLOCK,   MANY,   AT(egress_allow), NULL, 0, 0,
      "Address or block, in addition to the public ones, to which webhooks, notifications of alerts and logs may be sent, and "
      "from which keys of identity providers may be fetched. Can be repeated.", "10.1.0.0/16" },
    { "egress_ca",           KIND_FILE,    0,      AT(egress_ca), "", 0, 0,
      "Authorities in PEM for checking the certificates of webhooks, receivers of notifications and logs, and identity "
      "providers. Default: the system's.", "/etc/reeve/egress-ca.crt" },
    { "smtp",                KIND_SMTP,    0,      AT(smtp), "", 0, 0,
      "Mail server for invitations and notifications of alerts: smtp:// in the private network, smtps:// with TLS. Without it "
      "there are no alerts by mail, and `reeved invitation token` prints the tokens of invitations.", "smtp://mail.internal:25" },
    { "smtp_from",           KIND_MAIL,    0,      AT(smtp_from), "reeve@localhost", 0, 0,
      "Sender of these mails.", "reeve@example.org" },
    { "alert_relay",         KIND_URL,     0,      AT(alert_relay), "", 0, 0,
      "A relay to services with fixed addresses (chat, paging, logs, measurements), for machines without internet access: a request to "
      "https://host/path goes to this address followed by /host/path.", "https://relay.internal:8443" },
    { "worker_threads",      KIND_NUMBER,  0,      AT(worker_threads), "4", 1, 64,
      "Threads of `reeved worker`: how many webhooks are delivered at a time, and how many notifications of alerts are "
      "sent.", NULL },
    { "job_threads",         KIND_NUMBER,  0,      AT(job_threads), "4", 1, 64,
      "Threads of `reeved worker`: how many jobs run at a time. `transactions` must be at least as high.", NULL },
    { "webhook_pause_days",  KIND_NUMBER,  0,      AT(webhook_pause_days), "3", 1, 365,
      "Days of failures after which a webhook is paused.", NULL },
    { "retention_days",      KIND_NUMBER,  0,      AT(retention_days), "30", 30, 3650,
      "Days after which finished jobs, closed alerts, and used or expired invitations are removed. At least 30: the API "
      "promises them for a month.", NULL },
    { "price_file",          KIND_FILE,    0,      AT(price_file), "", 0, 0,
      "File with the prices of clusters; `reeved worker` reads it every minute. Without it usage is counted but is "
      "free.", "/etc/reeve/prices" },
    { "payment_due_days",    KIND_NUMBER,  0,      AT(payment_due_days), "0", 0, 365,
      "Days after its closing until an invoice is overdue and its organization is locked; 0 for never.", NULL },

    { "log",                 KIND_FILE,    0,      AT(log), "stderr", 0, 0,
      "Where the log line of each request is written: a file, or stderr.", "/var/log/reeve/requests.log" },
    { "log_lines_per_minute", KIND_NUMBER, 0,      AT(log_lines_per_minute), "600", 0, 100000000,
      "Log lines that each process writes in a minute about requests from one address without valid credentials, or from one "
      "caller about requests beyond its limits and reads that it cancelled. One line says how many more there were, so that "
      "nobody can fill the disk. All other requests are always logged. 0 for no limit.", NULL },
    { "run_dir",             KIND_FILE,    0,      AT(run_dir), "/run/reeve", 0, 0,
      "The node's own folder: process id, generated configuration, temporary files.", NULL },
    { "user",                KIND_NAME,    0,      AT(user), "", 0, 0,
      "User of the processes when root starts the node. Default: reeve if there is such a user, else nobody.", "reeve" },
    { "module",              KIND_FILE,    0,      AT(module), "", 0, 0,
      "Path of ngx_http_reeve_module.so. Default: next to the program, then "
      "/usr/lib/reeve.", "/usr/lib/reeve/ngx_http_reeve_module.so" },
    { "nginx",               KIND_FILE,    0,      AT(nginx), "/usr/sbin/nginx", 0, 0,
      "Path of nginx.", NULL },
};
// clang-format on

/* ---- Reading ---- */
struct reader {
    struct config *config;
    struct line_file file;
    bool seen[LENGTH(settings)];
};

static bool
is_port(str text)
{
    int64_t port;
    return text.len > 0 && text.data[0] != '-' && str_to_int(text, 1, 65535, &port);
}

/* Splits "host:port"; brackets around an IPv6 address stay off. */
static bool
split_port(str text, str *ret_host, str *ret_port)
{
    ptrdiff_t colon = -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == ':')
            colon = (ptrdiff_t)i;
    }
    if (colon <= 0)
        return false;
    *ret_host = str_slice(text, 0, (size_t)colon);
    *ret_port = str_slice(text, (size_t)colon + 1, text.len);
    if (ret_host->data[0] == '[') {
        if (ret_host->len < 3 || ret_host->data[ret_host->len - 1] != ']')
            return false;
        *ret_host = str_slice(*ret_host, 1, ret_host->len - 1);
    } else if (str_find(*ret_host, ':') >= 0) {
        return false;
    }
    return is_port(*ret_port);
}

static bool
is_address(str text)
{
    str host, port;
    struct net_address address;
    return split_port(text, &host, &port) && (str_is(host, "*") || net_parse_address(host, &address));
}

/* These texts end up in nginx's configuration: what would end a word there cannot be part of one. */
static bool
is_plain(str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c <= ' ' || c == 0x7F || strchr("\"'\\;{}$", c) != NULL)
            return false;
    }
    return true;
}

static bool
is_url(str text)
{
    str rest = text;
    if (str_starts_with(text, STR("https://")))
        rest = str_slice(text, 8, text.len);
    else if (str_starts_with(text, STR("http://")))
        rest = str_slice(text, 7, text.len);
    else
        return false;
    return rest.len > 0 && is_plain(rest) && rest.data[rest.len - 1] != '/';
}

static bool
is_smtp(str text)
{
    str rest, host, port;
    if (str_starts_with(text, STR("smtps://")))
        rest = str_slice(text, 8, text.len);
    else if (str_starts_with(text, STR("smtp://")))
        rest = str_slice(text, 7, text.len);
    else
        return false;
    return is_plain(rest) && str_find(rest, '/') < 0 && str_find(rest, '@') < 0 && split_port(rest, &host, &port);
}

static bool
is_mail(str text)
{
    ptrdiff_t at = str_find(text, '@');
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("<>,:()[]", text.data[i]) != NULL)
            return false;
    }
    return at > 0 && (size_t)at + 1 < text.len && is_plain(text);
}

/* Labels of small letters, digits and hyphens with dots between them; room is left for what stands in front. */
static bool
is_domain(str text)
{
    enum { DOMAIN_MAX_BYTES = 190, LABEL_MAX_BYTES = 63 };
    if (text.len == 0 || text.len > DOMAIN_MAX_BYTES || text.data[text.len - 1] == '.')
        return false;
    while (text.len > 0) {
        str label = str_cut(&text, '.');
        if (label.len == 0 || label.len > LABEL_MAX_BYTES || label.data[0] == '-' || label.data[label.len - 1] == '-')
            return false;
        for (size_t i = 0; i < label.len; i++) {
            char c = label.data[i];
            if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
                return false;
        }
    }
    return true;
}

static const char *
absolute_path(struct config *config, str text)
{
    if (text.len == 0 || text.data[0] == '/' || str_is(text, "stderr"))
        return str_dup(config->arena, text).data;
    const char *slash = strrchr(config->path, '/');
    return str_format(config->arena, "%.*s/%.*s", (int)(slash - config->path), config->path, STR_ARG(text)).data;
}

/* What is allowed, for the message; NULL when the value is fine. */
static const char *
why_not(const struct setting *setting, str value, struct arena *arena)
{
    struct net_block block;
    str host, port;
    int64_t number;
    enum name_scheme scheme;
    switch (setting->kind) {
    case KIND_NUMBER:
        if (!str_to_int(value, setting->min, setting->max, &number))
            return str_format(arena, "a whole number from %lld to %lld", (long long)setting->min,
                              (long long)setting->max)
                .data;
        return NULL;
    case KIND_ADDRESS: return is_address(value) ? NULL : "an address with a port, such as 127.0.0.1:8443 or [::]:8443";
    case KIND_BLOCK: return net_parse_block(value, &block) ? NULL : "an address or block, such as 10.0.0.0/24";
    case KIND_FILE:
        return value.len > 0 && value.len < PATH_MAX && is_plain(value)
                   ? NULL
                   : "a path without spaces, quotes, ';', '$' or braces";
    case KIND_URL: return is_url(value) ? NULL : "a URL with http or https and without a slash at its end";
    case KIND_SMTP: return is_smtp(value) ? NULL : "smtp://host:port or smtps://host:port";
    case KIND_MAIL: return is_mail(value) ? NULL : "an e-mail address";
    case KIND_REDIS:
        return value.len > 0 && is_plain(value) && (value.data[0] == '/' || split_port(value, &host, &port))
                   ? NULL
                   : "the path of a socket, or host:port";
    case KIND_DOMAIN: return is_domain(value) ? NULL : "a domain in small letters, such as db.example.org";
    case KIND_NAMING: return name_scheme_from(value, &scheme) ? NULL : "named, random or shard";
    case KIND_SWITCH: return str_is(value, "on") || str_is(value, "off") ? NULL : "on or off";
    case KIND_NAME: return value.len > 0 && is_plain(value) ? NULL : "the name of a user";
    case KIND_TEXT: break;
    }
    return value.len > 0 && str_is_text(value) ? NULL : "a text that is not empty";
}

static void
set_value(struct reader *reader, const struct setting *setting, str value)
{
    struct config *config = reader->config;
    const char *allowed = why_not(setting, value, config->arena);
    if (allowed != NULL) {
        line_file_complain(&reader->file, "%s cannot be \"%.*s\": it must be %s", setting->key, STR_ARG(value),
                           allowed);
        return;
    }
    void *member = (char *)config + setting->offset;
    if (setting->kind == KIND_NUMBER) {
        if (!str_to_int(value, setting->min, setting->max, member))
            line_file_complain(&reader->file, "%s is out of bounds", setting->key);
        return;
    }
    const char *text = setting->kind == KIND_FILE ? absolute_path(config, value) : str_dup(config->arena, value).data;
    if (!(setting->flags & MANY)) {
        *(const char **)member = text;
        return;
    }
    struct config_list *list = member;
    if (list->count == CONFIG_MAX_VALUES - 1)
        line_file_complain(&reader->file, "%s is there more than %d times", setting->key, CONFIG_MAX_VALUES - 1);
    else
        list->values[list->count++] = text;
}

static void
read_line(void *context, str line)
{
    struct reader *reader = context;
    ptrdiff_t equals = str_find(line, '=');
    if (equals < 0) {
        line_file_complain(&reader->file, "a line must be \"key = value\", a comment that begins with #, or empty");
        return;
    }
    str key = str_trim(str_slice(line, 0, (size_t)equals));
    str value = str_trim(str_slice(line, (size_t)equals + 1, line.len));
    for (size_t i = 0; i < LENGTH(settings); i++) {
        if (!str_is(key, settings[i].key))
            continue;
        if (reader->seen[i] && !(settings[i].flags & MANY))
            line_file_complain(&reader->file, "%s is there twice", settings[i].key);
        reader->seen[i] = true;
        set_value(reader, &settings[i], value);
        return;
    }
    struct buf known = buf_in(reader->config->arena, LINE_MAX_BYTES);
    for (size_t i = 0; i < LENGTH(settings); i++)
        buf_format(&known, "%s%s", i > 0 ? ", " : "", settings[i].key);
    line_file_complain(&reader->file, "there is no key \"%.*s\"; the keys are: %s", STR_ARG(key), buf_str(&known).data);
}

static void
set_defaults(struct reader *reader)
{
    for (size_t i = 0; i < LENGTH(settings); i++) {
        if (reader->seen[i])
            continue;
        const struct setting *setting = &settings[i];
        if (setting->flags & NEEDED) {
            fprintf(reader->file.problems, "%s: the key %s is missing. %s\n", reader->config->path, setting->key,
                    setting->sentence);
            reader->file.mistakes++;
        } else if (setting->fallback != NULL && setting->fallback[0] != '\0') {
            set_value(reader, setting, str_from(setting->fallback));
        } else if (!(setting->flags & MANY)) {
            *(const char **)((char *)reader->config + setting->offset) = "";
        }
    }
}

/* ---- What no single line can show ---- */
static struct redis_place
read_redis_place(struct config *config, const char *text)
{
    struct redis_place place = { 0 };
    str host, port;
    int64_t number;
    if (text[0] == '/')
        return (struct redis_place){ .socket = text };
    if (split_port(str_from(text), &host, &port) && str_to_int(port, 1, 65535, &number))
        place = (struct redis_place){ .host = str_dup(config->arena, host).data, .port = (int)number };
    return place;
}

/* Servers, poolers and what else listens on the address of a member. */
static void
check_ports(struct reader *reader)
{
    static const struct {
        int port;
        const char *whose;
    } taken[] = { { 8008, "Patroni" }, { 27018, "pgBackRest" } };
    const struct config *config = reader->config;
    if (config->cluster_port == config->pooler_port) {
        fprintf(reader->file.problems, "%s: cluster_port and pooler_port must differ\n", config->path);
        reader->file.mistakes++;
    }
    for (size_t i = 0; i < LENGTH(taken); i++) {
        if (config->cluster_port != taken[i].port && config->pooler_port != taken[i].port)
            continue;
        fprintf(reader->file.problems, "%s: %s listens on port %d of every member\n", config->path, taken[i].whose,
                taken[i].port);
        reader->file.mistakes++;
    }
}

static void
check_together(struct reader *reader)
{
    struct config *config = reader->config;
    if ((config->operator_certificate[0] == '\0') != (config->operator_certificate_key[0] == '\0')) {
        fprintf(reader->file.problems, "%s: operator_certificate and operator_certificate_key are needed together\n",
                config->path);
        reader->file.mistakes++;
    }
    if (config->agent_listen[0] != '\0' &&
        (config->agent_certificate[0] == '\0' || config->agent_certificate_key[0] == '\0' ||
         config->agent_authority[0] == '\0')) {
        fprintf(
            reader->file.problems,
            "%s: agent_listen needs agent_certificate, agent_certificate_key and agent_authority; `reeved fleet --help` "
            "says how they are made\n",
            config->path);
        reader->file.mistakes++;
    }
    if (config->proxy_listen.count > 0 && config->balancers.count == 0) {
        fprintf(reader->file.problems, "%s: proxy_listen needs balancers: nobody else could connect to it\n",
                config->path);
        reader->file.mistakes++;
    }
    if (config->monitor_stores.count > MONITOR_MAX_STORES) {
        fprintf(reader->file.problems, "%s: monitor_stores is there more than %d times\n", config->path,
                MONITOR_MAX_STORES);
        reader->file.mistakes++;
    }
    check_ports(reader);
    if (config->base_url[0] == '\0')
        config->base_url = str_format(config->arena, "https://%s", config->listen.values[0]).data;
    for (size_t i = 0; i < config->redis.count; i++)
        config->redis_places[i] = read_redis_place(config, config->redis.values[i]);
}

struct config *
config_load(const char *path, FILE *problems)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct config *config = arena == NULL ? NULL : ARENA_NEW(arena, struct config);
    char resolved[PATH_MAX];
    if (config == NULL || realpath(path, resolved) == NULL) {
        fprintf(problems, "%s: %s\n", path, config == NULL ? "no memory" : strerror(errno));
        arena_free(arena);
        return NULL;
    }
    config->arena = arena;
    config->path = str_dup(arena, str_from(resolved)).data;
    struct reader reader = { .config = config, .file = { .path = config->path, .problems = problems } };
    if (line_file_read(&reader.file, LINE_MAX_BYTES, read_line, &reader)) {
        set_defaults(&reader);
        if (reader.file.mistakes == 0)
            check_together(&reader);
    }
    if (reader.file.mistakes == 0 && !arena_is_exhausted(arena))
        return config;
    config_free(config);
    return NULL;
}

void
config_free(struct config *config)
{
    if (config == NULL)
        return;
    struct arena *arena = config->arena;
    crypto_wipe(&config->key, sizeof(config->key));
    arena_free(arena);
}

bool
config_read_key(struct config *config, FILE *problems)
{
    char digits[2 * KEY_BYTES + 2];
    struct stat facts;
    int fd = open(config->key_file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) != 0) {
        fprintf(problems, "key_file %s: %s\n", config->key_file, strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    ssize_t count = read(fd, digits, sizeof(digits));
    (void)close(fd);
    size_t len = count > 0 ? (size_t)count : 0;
    while (len > 0 && (digits[len - 1] == '\n' || digits[len - 1] == ' '))
        len--;
    bool well_formed = str_from_hex((str){ digits, len }, config->key.bytes, KEY_BYTES);
    crypto_wipe(digits, sizeof(digits));
    if (facts.st_mode & S_IRWXO) {
        fprintf(problems, "key_file %s: others can read it; chmod 600 it\n", config->key_file);
        return false;
    }
    if (!well_formed)
        fprintf(problems, "key_file %s: it must hold %d hexadecimal digits and nothing else\n", config->key_file,
                2 * KEY_BYTES);
    return well_formed;
}

void
config_read_agent_identity(struct config *config)
{
    enum { PEM_BYTES = 256 * 1024 };
    const struct {
        const char *path;
        str *content;
    } files[] = { { config->agent_certificate, &config->agent_identity.certificate },
                  { config->agent_certificate_key, &config->agent_identity.key },
                  { config->agent_authority, &config->agent_identity.authority } };
    for (size_t i = 0; config->agent_listen[0] != '\0' && i < LENGTH(files); i++) {
        if (!disk_read(config->arena, files[i].path, PEM_BYTES, files[i].content))
            *files[i].content = STR_EMPTY;
    }
}

bool
config_has_console(const struct config *config)
{
    char page[PATH_MAX];
    int length = snprintf(page, sizeof(page), "%s/index.html", config->console_dir);
    return config->console_dir[0] != '\0' && length < (int)sizeof(page) && access(page, F_OK) == 0;
}

/* ---- Listings ---- */
void
config_print_sample(FILE *out)
{
    fputs("# Configuration of a Reeve node. Lines of `key = value`; a line that begins with # is a comment.\n"
          "# Keys that are commented out show their default, or an example where there is none.\n",
          out);
    for (size_t i = 0; i < LENGTH(settings); i++) {
        const struct setting *setting = &settings[i];
        bool has_default = setting->fallback != NULL && setting->fallback[0] != '\0';
        fprintf(out, "\n# %s\n%s%s = %s\n", setting->sentence, setting->flags & NEEDED ? "" : "#", setting->key,
                has_default ? setting->fallback : setting->example);
    }
}

void
config_print_reference(FILE *out)
{
    fputs("# Configuration\n\n"
          "`reeve.conf` holds lines of `key = value`; a line that begins with `#` is a comment. With an unknown key "
          "or "
          "a value out of bounds the node does not start, and does not reload: then the old configuration stays in "
          "force.\n"
          "`reeved config --sample` prints a file to start with. This page is printed by `reeved config "
          "--reference`.\n\n"
          "| key | default | allowed | what it is |\n|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < LENGTH(settings); i++) {
        const struct setting *setting = &settings[i];
        bool has_default = setting->fallback != NULL && setting->fallback[0] != '\0';
        fprintf(out, "| `%s` | ", setting->key);
        if (has_default)
            fprintf(out, "`%s` | ", setting->fallback);
        else
            fprintf(out, "%s | ", setting->flags & NEEDED ? "needed" : "none");
        if (setting->kind == KIND_NUMBER)
            fprintf(out, "%lld to %lld | ", (long long)setting->min, (long long)setting->max);
        else if (setting->example != NULL)
            fprintf(out, "such as `%s` | ", setting->example);
        else
            fputs("| ", out);
        fprintf(out, "%s |\n", setting->sentence);
    }
}
