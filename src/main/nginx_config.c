/* SPDX-License-Identifier: Apache-2.0 */
#include "main/nginx_config.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/download.h"
#include "api/log_path.h"
#include "base/json.h"
#include "base/net/log_door.h"
#include "main/node.h"

enum { CONFIG_MAX_BYTES = 256 * 1024 };
#define DOWNLOAD_CONNECTIONS "8"
#define DOWNLOAD_RATE        "64m"
#define LOG_CONNECTIONS      "4"
#define LOG_RESTS_INNER_PATH "/reeve-log-rest/"

/*
 * Forward secrecy and authenticated encryption only. The suites of TLS 1.3 are OpenSSL's own, which are all fine.
 * Tickets and a cache both: scripts that connect once per call resume instead of paying for a handshake.
 */
static const char tls_settings[] =
    "    ssl_protocols TLSv1.2 TLSv1.3;\n"
    "    ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;\n"
    "    ssl_prefer_server_ciphers off;\n"
    "    ssl_ecdh_curve X25519:prime256v1:secp384r1;\n"
    "    ssl_session_cache shared:reeve:10m;\n"
    "    ssl_session_timeout 1h;\n"
    "    ssl_session_tickets on;\n"
    /* Each connection whose client reads slowly holds one: 2,000 of them cost 64 MiB with the usual 16k. */
    "    ssl_buffer_size 8k;\n";

/* Whatever nginx refuses by itself is answered with Reeve's error document. Not a named location: nginx cannot go to
 * one when the request line was not understood. */
static const char error_settings[] =
    "    error_page 400 403 404 405 408 411 413 414 415 416 421 431 500 501 502 503 504 505 /reeve-error;\n"
    /* nginx would call these 400 without the number behind "=". */
    "    error_page 494 =494 /reeve-error;\n"
    "    error_page 495 =495 /reeve-error;\n"
    "    error_page 496 =496 /reeve-error;\n"
    "    error_page 497 =497 /reeve-error;\n";
static const char error_location[] =
    "        location = /reeve-error {\n"
    "            internal;\n"
    "            client_max_body_size 0; # or a body that is too large would be refused here again\n"
    "            reeve_error;\n"
    "        }\n";

/* One JSON object a request. Neither the query nor any header is in it: both may hold what nobody else must read. */
static const char log_settings[] =
    "    log_format reeve escape=json '{\"time\":\"$time_iso8601\",\"event\":\"request\",\"requestId\":\"$reeve_request_id\","
    "\"client\":\"$remote_addr\",\"method\":\"$reeve_method\",\"path\":\"$reeve_path\",\"status\":$reeve_status,"
    "\"bytes\":$body_bytes_sent,\"durationMs\":$reeve_duration_ms,\"operation\":\"$reeve_operation\","
    "\"caller\":\"$reeve_caller\",\"errorCode\":\"$reeve_error_code\",\"protocol\":\"$server_protocol\","
    "\"tls\":\"$ssl_protocol\"}';\n"
    /* Asked for last: it counts the lines that it lets through. */
    "    map $reeve_status $reeve_is_refusal {\n        ~^[123] 0;\n        default $reeve_is_logged;\n    }\n";

bool
nginx_facts_find(struct arena *arena, const struct config *config, FILE *problems, struct nginx_facts *ret_facts)
{
    struct stat facts;
    *ret_facts = (struct nginx_facts){
        .stderr_is_socket = fstat(STDERR_FILENO, &facts) == 0 && S_ISSOCK(facts.st_mode),
    };
    if (geteuid() != 0)
        return true;
    bool is_named = config->user[0] != '\0';
    const struct passwd *user = getpwnam(is_named ? config->user : "reeve");
    if (user == NULL && !is_named)
        user = getpwnam("nobody");
    if (user == NULL) {
        fprintf(problems, "%s: user = %s: there is no such user\n", config->path, is_named ? config->user : "nobody");
        return false;
    }
    ret_facts->user = str_dup(arena, str_from(user->pw_name));
    /* Named as well: nginx would look for a group with the user's name, and nobody's is nogroup. */
    const struct group *group = getgrgid(user->pw_gid);
    ret_facts->group = str_dup(arena, str_from(group == NULL ? "" : group->gr_name));
    return true;
}

str
nginx_config_first(struct arena *arena, const struct config *config, const char *module, const char *generated)
{
    struct buf out = buf_in(arena, CONFIG_MAX_BYTES);
    buf_format(&out,
               "# Written by reeved from %s at each start; changes made here are lost.\n"
               "load_module %s;\n"
               "daemon off;\n"
               "reeve_conf %s;\n"
               "reeve_include %s;\n",
               config->path, module, config->path, generated);
    return buf_str(&out);
}

static void
add_access_log(struct buf *out, const struct config *config, struct nginx_facts facts, const char *condition)
{
    const char *place = config->log;
    if (strcmp(config->log, "stderr") == 0)
        place = facts.stderr_is_socket ? "syslog:server=unix:/dev/log,nohostname,tag=reeve" : "/dev/stderr";
    buf_format(out, "    access_log %s reeve%s;\n", place, condition);
}

static void
add_limits(struct buf *out, const struct config *config)
{
    buf_format(out, "    client_header_timeout %llds;\n", (long long)config->header_timeout_s);
    buf_format(out, "    client_body_timeout %llds;\n", (long long)config->body_timeout_s);
    buf_format(out, "    send_timeout %llds;\n", (long long)config->send_timeout_s);
    buf_format(out, "    keepalive_timeout %llds;\n", (long long)config->keepalive_timeout_s);
    /* The module reads bodies in pieces of client_body_buffer_size and never lets nginx write one to a file. */
    buf_format(out,
               "    keepalive_requests 10000;\n"
               "    reset_timedout_connection on;\n"
               "    client_header_buffer_size 2k;\n"
               "    large_client_header_buffers 4 16k;\n"
               "    client_max_body_size %d;\n"
               "    client_body_buffer_size 16k;\n"
               "    http2_max_concurrent_streams 128;\n",
               JSON_MAX_BYTES);
    /* All header lines reach the module, which counts and checks them itself. */
    buf_add_text(out, "    ignore_invalid_headers off;\n"
                      "    underscores_in_headers on;\n");
    if (config->agent_listen[0] != '\0')
        buf_add_text(out, "    limit_conn_zone $reeve_download_project zone=reeve_downloads:1m;\n"
                          "    limit_conn_zone $reeve_log_project zone=reeve_logs:1m;\n");
    if (config->address_concurrency > 0) {
        buf_format(out,
                   "    limit_conn_zone $binary_remote_addr zone=reeve_address:8m;\n"
                   "    limit_conn reeve_address %lld;\n"
                   "    limit_conn_log_level info;\n",
                   (long long)config->address_concurrency);
    }
}

/* Every path that nginx would otherwise look for in the folders of the distribution's own server. */
static void
add_paths(struct buf *out, const struct config *config)
{
    static const char *const kinds[] = { "client_body", "proxy", "fastcgi", "uwsgi", "scgi" };
    for (size_t i = 0; i < LENGTH(kinds); i++)
        buf_format(out, "    %s_temp_path %s/temp/%s;\n", kinds[i], config->run_dir, kinds[i]);
    buf_format(out, "    root %s/empty;\n", config->run_dir);
}

/* 444 closes the connection: who is not a balancer has no business here. */
static const char balancers_only[] =
    "            if ($reeve_is_balancer = 0) {\n                return 444;\n            }\n";

/*
 * Files of snapshots, which repository hosts hand out to nodes: the module looks at the address that the client has, and leads it to the second location. Nothing is
 * kept here but one buffer for each connection: a client that reads slowly makes the host wait. So many connections for each project, each so fast: the others'
 * requests go on. nginx looks at the limits of the first location that has one with a key that is not empty; the project is known in the second only, so the first
 * must not have those of the server.
 * 416 is the host's own answer: it says how long the file is.
 */
static void
add_download_locations(struct buf *out, const struct config *config, bool behind_balancer)
{
    buf_format(out,
               "        location " DOWNLOADS_PATH " {\n%s"
               "            limit_conn reeve_downloads " DOWNLOAD_CONNECTIONS ";\n"
               "            reeve_api;\n        }\n",
               behind_balancer ? balancers_only : "");
    buf_add_text(out, "        location ~ ^" DOWNLOADS_INNER_PATH "(?<reeve_download_place>[0-9a-f.:\\[\\]]+)/"
                      "(?<reeve_download_project>[0-9a-f]+)/(?<reeve_download>[0-9a-f]+)$ {\n"
                      "            internal;\n"
                      "            limit_conn reeve_downloads " DOWNLOAD_CONNECTIONS ";\n"
                      "            limit_rate " DOWNLOAD_RATE ";\n"
                      "            proxy_pass https://$reeve_download_place/$reeve_download.tar.gz;\n"
                      "            proxy_http_version 1.1;\n"
                      "            proxy_pass_request_headers off;\n"
                      "            proxy_pass_request_body off;\n"
                      "            proxy_set_header Range $http_range;\n"
                      "            proxy_set_header If-Range $http_if_range;\n"
                      "            proxy_set_header Content-Length \"\";\n"
                      "            proxy_buffering off;\n"
                      "            proxy_buffer_size 16k;\n"
                      "            proxy_buffers 4 16k;\n"
                      "            proxy_connect_timeout 5s;\n"
                      "            proxy_read_timeout 30s;\n"
                      "            proxy_intercept_errors on;\n"
                      "            error_page 400 403 500 502 503 504 =503 /reeve-error;\n"
                      "            error_page 404 /reeve-error;\n"
                      "            add_header Cache-Control no-store;\n"
                      "            add_header Strict-Transport-Security \"max-age=63072000; includeSubDomains\";\n"
                      "            add_header X-Content-Type-Options nosniff;\n"
                      "            add_header X-Request-Id $reeve_request_id;\n");
    buf_format(out,
               "            proxy_ssl_certificate %s;\n"
               "            proxy_ssl_certificate_key %s;\n"
               "            proxy_ssl_trusted_certificate %s;\n"
               "            proxy_ssl_verify on;\n"
               "            proxy_ssl_name reeve-download-$reeve_download;\n"
               "            proxy_ssl_server_name on;\n"
               "        }\n",
               config->agent_certificate, config->agent_certificate_key, config->agent_authority);
}

/*
 * Logs, which hosts hand out to nodes, in the same way. 502 tells the module that nobody answers. Once something was sent the answer can only break off: without its
 * last piece, which every client notices. Whoever wants the rest of one waits longer: the host reads it from the beginning, and says first how long the rest is.
 */
static void
add_log_location(struct buf *out, const struct config *config, const char *path, const char *patience, const char *more)
{
    buf_format(out,
               "        location ~ ^%s(?<reeve_log_place>[0-9a-f.:\\[\\]]+)/"
               "(?<reeve_log_project>[0-9a-f]+)/(?<reeve_log_host>[0-9a-f]+)/(?<reeve_log_version>[0-9-]+)/"
               "(?<reeve_log_target>[0-9a-z]+/[a-z]+)/(?<reeve_log_query>[0-9a-z=&-]+)$ {\n"
               "            internal;\n"
               "%s"
               "            proxy_read_timeout %s;\n",
               path, more, patience);
    buf_add_text(out,
                 "            limit_conn reeve_logs " LOG_CONNECTIONS ";\n"
                 "            limit_rate " DOWNLOAD_RATE ";\n"
                 "            proxy_pass https://$reeve_log_place" LOG_DOOR_LOGS "$reeve_log_target?$reeve_log_query;\n"
                 "            proxy_http_version 1.1;\n"
                 "            proxy_pass_request_headers off;\n"
                 "            proxy_pass_request_body off;\n"
                 "            proxy_set_header Range $http_range;\n"
                 "            proxy_set_header If-Range $http_if_range;\n"
                 "            proxy_set_header Content-Length \"\";\n"
                 "            proxy_buffering off;\n"
                 "            proxy_buffer_size 16k;\n"
                 "            proxy_buffers 4 16k;\n"
                 "            proxy_connect_timeout 5s;\n"
                 "            proxy_intercept_errors on;\n"
                 "            error_page 400 403 500 502 504 =502 /reeve-error;\n"
                 "            error_page 404 503 /reeve-error;\n"
                 "            proxy_hide_header Content-Type;\n"
                 "            default_type \"\";\n"
                 "            add_header Content-Type application/vnd.svc.$reeve_log_version+gzip;\n"
                 "            add_header Cache-Control no-store;\n"
                 "            add_header Strict-Transport-Security \"max-age=63072000; includeSubDomains\";\n"
                 "            add_header X-Content-Type-Options nosniff;\n"
                 "            add_header X-Request-Id $reeve_request_id;\n");
    buf_format(out,
               "            proxy_ssl_certificate %s;\n"
               "            proxy_ssl_certificate_key %s;\n"
               "            proxy_ssl_trusted_certificate %s;\n"
               "            proxy_ssl_verify on;\n"
               "            proxy_ssl_name " LOG_DOOR_NAME "$reeve_log_host;\n"
               "            proxy_ssl_server_name on;\n"
               "        }\n",
               config->agent_certificate, config->agent_certificate_key, config->agent_authority);
}

static void
add_log_locations(struct buf *out, const struct config *config, bool behind_balancer)
{
    buf_format(out,
               "        location ~ ^/api/.+/logs/[a-z]+\\.gz$ {\n%s"
               "            limit_conn reeve_logs " LOG_CONNECTIONS ";\n"
               "            reeve_api;\n        }\n",
               behind_balancer ? balancers_only : "");
    add_log_location(out, config, LOGS_INNER_PATH, "60s",
                     "            if ($http_range) {\n                rewrite ^" LOGS_INNER_PATH
                     "(.*)$ " LOG_RESTS_INNER_PATH "$1 last;\n            }\n");
    add_log_location(out, config, LOG_RESTS_INNER_PATH, "20m", "");
}

/*
 * The console: files, and one page for all addresses of its screens. Nothing but what is here may run, be shown or be asked on that page, no other page may show it,
 * and no text may become code in it. Files have the hash of their content in their names, so browsers keep them for ever; data is asked for with one.
 */
static const char console_headers[] =
    "            add_header Content-Security-Policy \"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\" always;\n"
    "            add_header Strict-Transport-Security \"max-age=63072000; includeSubDomains\" always;\n"
    "            add_header X-Content-Type-Options nosniff always;\n"
    "            add_header Referrer-Policy no-referrer always;\n"
    "            add_header Cross-Origin-Opener-Policy same-origin always;\n"
    "            add_header Cross-Origin-Resource-Policy same-origin always;\n"
    "            add_header Permissions-Policy \"publickey-credentials-get=(self), publickey-credentials-create=(self), clipboard-write=(self)\" always;\n"
    "            gzip_static on;\n"
    "            types {\n                text/html html;\n                text/javascript js;\n                text/css css;\n"
    "                application/json json;\n                image/svg+xml svg;\n            }\n"
    "            charset utf-8;\n            charset_types text/javascript text/css application/json;\n";

struct console_place {
    const char *folder;   /* below console_dir */
    const char *refusals; /* who gets nothing, not even files */
};

static void
add_console_location(struct buf *out, const struct config *config, const struct console_place *place, const char *path,
                     const char *kept)
{
    buf_format(
        out,
        "        location %s {\n            internal;\n%s            limit_except GET {\n                deny all;\n            }\n"
        "            add_header Cache-Control \"%s\" always;\n            alias %s%s/;\n        }\n",
        path, console_headers, kept, config->console_dir, place->folder);
}

/* Also where the files are not: then nginx finds none and the answer is 404, and they need no restart when they come. */
static void
add_console(struct buf *out, const struct config *config, const struct console_place *place)
{
    buf_format(
        out,
        "        location ~ ^/console(?:/|$) {\n%s"
        "            rewrite ^/console/((?:[a-z]+-[A-Z0-9]+\\.(?:js|css)|data/[a-z-]+\\.json|icon\\.svg))$ /console-files/$1 last;\n"
        "            rewrite ^ /console-page/index.html last;\n        }\n",
        place->refusals);
    add_console_location(out, config, place, "/console-files/", "public, max-age=31536000, immutable");
    add_console_location(out, config, place, "/console-page/", "no-cache");
}

/* What a program tells people to open, so it is short. */
static void
add_device_address(struct buf *out, const struct config *config, bool behind_balancer)
{
    buf_format(out,
               "        location = /device {\n%s            return 303 %s/console/device$is_args$args;\n        }\n",
               behind_balancer ? balancers_only : "", config->base_url);
}

static void
add_api_server(struct buf *out, const struct config *config, const struct config_list *addresses, bool behind_balancer)
{
    buf_add_text(out, "\n    server {\n");
    for (size_t i = 0; i < addresses->count; i++) {
        /* sndbuf: the kernel would keep up to 4 MiB of answers for each connection that does not read, where nobody counts them. Twice this
         * much is in flight at most, which is 2.5 MiB a second on a line of 100 ms. */
        buf_format(out, "        listen %s ssl http2%s backlog=4096 sndbuf=128k%s;\n", addresses->values[i],
                   behind_balancer ? " proxy_protocol" : "", addresses->values[i][0] == '[' ? " ipv6only=on" : "");
    }
    buf_format(out, "        ssl_certificate %s;\n        ssl_certificate_key %s;\n", config->certificate,
               config->certificate_key);
    if (behind_balancer) {
        for (size_t i = 0; i < config->balancers.count; i++)
            buf_format(out, "        set_real_ip_from %s;\n", config->balancers.values[i]);
        buf_add_text(out, "        real_ip_header proxy_protocol;\n");
    }
    buf_add_text(out, error_location);
    if (config->console_dir[0] != '\0') {
        add_console(out, config, &(struct console_place){ "", behind_balancer ? balancers_only : "" });
        add_device_address(out, config, behind_balancer);
    }
    if (config->agent_listen[0] != '\0') {
        add_download_locations(out, config, behind_balancer);
        add_log_locations(out, config, behind_balancer);
    } else { /* it has nothing with which a host would let it in; other nodes do */
        buf_add_text(out, "        location " DOWNLOADS_INNER_PATH
                          " {\n            internal;\n            return 503;\n        }\n"
                          "        location " LOGS_INNER_PATH
                          " {\n            internal;\n            return 502;\n        }\n");
    }
    buf_add_text(out, "        location / {\n");
    if (behind_balancer)
        buf_add_text(out, balancers_only);
    buf_add_text(out, "            reeve_api;\n        }\n    }\n");
}

/*
 * Operators have pages of their own, in a folder of their own, where their browsers come by https: only there can they sign in. Files say nothing of this service, so nobody needs
 * credentials for them. In clear text they go to this machine only, as the API does: on the way to another one somebody could change them.
 */
static void
add_operator_console(struct buf *out, const struct config *config, bool with_tls)
{
    static const char this_machine_only[] =
        "            if ($remote_addr !~ \"^(?:(?:::ffff:)?127\\.|::1$)\") {\n                return 497;\n            }\n";
    if (config->console_dir[0] != '\0' && str_starts_with(str_from(config->operator_base_url), STR("https://")))
        add_console(out, config, &(struct console_place){ "/operator", with_tls ? "" : this_machine_only });
}

/* Supervision asks every few seconds and is not logged; what operators do is. */
static void
add_operator_server(struct buf *out, const struct config *config, struct nginx_facts facts)
{
    bool with_tls = config->operator_certificate[0] != '\0';
    buf_format(out, "\n    server {\n        listen %s%s;\n", config->operator_listen, with_tls ? " ssl" : "");
    if (with_tls) {
        buf_format(out, "        ssl_certificate %s;\n        ssl_certificate_key %s;\n", config->operator_certificate,
                   config->operator_certificate_key);
    }
    buf_add_text(out, error_location);
    add_operator_console(out, config, with_tls);
    buf_add_text(out, "        location / {\n            access_log off;\n            reeve_operator;\n        }\n");
    buf_add_text(out, "        location /operator/ {\n        ");
    add_access_log(out, config, facts, "");
    buf_add_text(out, "            reeve_operator;\n        }\n    }\n");
}

/* Who has no certificate may only join, and the handler says so. What goes well is not logged: every host speaks every ten
 * seconds. Bodies are measured by the handler, which knows its own limit. */
static void
add_agent_server(struct buf *out, const struct config *config, struct nginx_facts facts)
{
    buf_format(out,
               "\n    server {\n"
               "        listen %s ssl backlog=4096;\n"
               "        ssl_certificate %s;\n"
               "        ssl_certificate_key %s;\n"
               "        ssl_client_certificate %s;\n"
               "        ssl_verify_client optional;\n"
               "        ssl_verify_depth 1;\n"
               "        client_max_body_size 0;\n",
               config->agent_listen, config->agent_certificate, config->agent_certificate_key, config->agent_authority);
    if (config->address_concurrency > 0) /* hosts may come through one address */
        buf_add_text(out, "        limit_conn reeve_address 65535;\n");
    add_access_log(out, config, facts, " if=$reeve_is_refusal");
    buf_add_text(out, error_location);
    buf_add_text(out, "        location / {\n            reeve_agent;\n        }\n    }\n");
}

str
nginx_config_rest(struct arena *arena, const struct config *config, struct nginx_facts facts)
{
    struct buf out = buf_in(arena, CONFIG_MAX_BYTES);
    buf_format(&out, "# Made from %s each time nginx reads its configuration; changes made here are lost.\n",
               config->path);
    if (facts.user.len > 0)
        buf_format(&out, "user %s %s;\n", facts.user.data, facts.group.data);
    if (config->workers > 0)
        buf_format(&out, "worker_processes %lld;\n", (long long)config->workers);
    else
        buf_add_text(&out, "worker_processes auto;\n");
    /* Below crit nginx writes what clients did wrong, which the log line of the request says already. */
    buf_format(&out,
               "worker_shutdown_timeout %llds;\n"
               "pid %s/nginx.pid;\n"
               "lock_file %s/nginx.lock;\n"
               "error_log stderr crit;\n"
               "thread_pool reeve threads=%lld max_queue=%lld;\n"
               "events {\n    worker_connections %lld;\n}\n",
               (long long)config->drain_s, config->run_dir, config->run_dir,
               (long long)(config->threads + config->large_readers + config->tool_readers),
               (long long)config->thread_queue, (long long)config->max_connections);
    if (config->agent_listen[0] != '\0') /* all of them may come back at once; they wait in line, and tenants do not */
        buf_format(&out, "thread_pool agents threads=%d max_queue=65536;\n", AGENT_THREADS);
    buf_add_text(
        &out, "http {\n    server_tokens off;\n    default_type application/json;\n    server_name_in_redirect off;\n"
              "    etag off;\n    merge_slashes off;\n");
    add_paths(&out, config);
    add_limits(&out, config);
    buf_add_text(&out, tls_settings);
    buf_add_text(&out, error_settings);
    buf_add_text(&out, log_settings);
    add_access_log(&out, config, facts, " if=$reeve_is_logged");
    if (config->proxy_listen.count > 0) {
        buf_add_text(&out, "    geo $realip_remote_addr $reeve_is_balancer {\n        default 0;\n");
        for (size_t i = 0; i < config->balancers.count; i++)
            buf_format(&out, "        %s 1;\n", config->balancers.values[i]);
        buf_add_text(&out, "    }\n");
    }
    add_api_server(&out, config, &config->listen, false);
    if (config->proxy_listen.count > 0)
        add_api_server(&out, config, &config->proxy_listen, true);
    add_operator_server(&out, config, facts);
    if (config->agent_listen[0] != '\0')
        add_agent_server(&out, config, facts);
    buf_add_text(&out, "}\n");
    return buf_str(&out);
}
