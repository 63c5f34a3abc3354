/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/pooler/pooler.h"

#include <errno.h>
#include <string.h>

#include "base/disk_below.h"
#include "base/net/net.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/session.h"

enum { FILE_BYTES = 16 * 1024 * 1024, MOST_CLIENTS = 10000, FEWEST_SESSIONS = 5, USUAL_CONNECTIONS = 100 };

#define HEADER "# Written by reeve-agent, which overwrites whatever is changed here.\n"

bool
pooler_is_on(const struct engine_member *self)
{
    return self->cluster->pooling.mode != POOL_OFF && !self->is_shared && !self->is_closed;
}

/* ---- pgbouncer.ini ---- */
/*
 * Half of what the server takes, for each database: the other half is for those who connect directly, for other databases,
 * and for Reeve's own.
 */
static int64_t
sessions(const struct engine_member *self)
{
    int64_t most = USUAL_CONNECTIONS;
    for (size_t i = 0; i < self->cluster->parameters.count; i++) {
        const struct wire_pair *pair = &self->cluster->parameters.items[i];
        if (str_is(pair->name, "max_connections") && !str_to_int(pair->value, 1, INT32_MAX, &most))
            most = USUAL_CONNECTIONS;
    }
    return most / 2 < FEWEST_SESSIONS ? FEWEST_SESSIONS : most / 2;
}

/*
 * Why so:
 * - the socket, and not the network: whoever comes to the server from its own address could be anybody on this host.
 * - auth_user is let in by who it runs as, so that there is no password to lose.
 * - server_login_retry: a user whose password was changed is not shut out for a quarter of a minute.
 * - no stats_users, and an administrator that can come through the socket only: nothing of the console is for tenants.
 * - track_extra_parameters is left alone: with search_path in it, a client's would apply to the question for its verifier.
 */
static const char ini[] = HEADER "[databases]\n"
                                 "* = host=%s port=%d\n"
                                 "[pgbouncer]\n"
                                 "listen_addr = %s\n"
                                 "listen_port = %d\n"
                                 "unix_socket_dir = %s\n"
                                 "unix_socket_mode = 0700\n"
                                 "pool_mode = %s\n"
                                 "max_client_conn = %d\n"
                                 "default_pool_size = %lld\n"
                                 "max_db_connections = %lld\n"
                                 "max_prepared_statements = 200\n"
                                 "server_login_retry = 1\n"
                                 "ignore_startup_parameters = extra_float_digits\n"
                                 "auth_type = hba\n"
                                 "auth_file = %s/users.txt\n"
                                 "auth_hba_file = %s/hba.conf\n"
                                 "auth_ident_file = %s/ident.conf\n"
                                 "auth_user = " POOLER_ROLE "\n"
                                 "auth_dbname = postgres\n"
                                 "auth_query = SELECT name, verifier FROM " POOLER_ROLE ".login($1)\n"
                                 "admin_users = " POOLER_ADMIN "\n"
                                 "stats_users =\n"
                                 "client_tls_sslmode = require\n"
                                 "client_tls_protocols = secure\n"
                                 "client_tls_cert_file = %s/server.crt\n"
                                 "client_tls_key_file = %s/server.key\n"
                                 "tcp_keepidle = 30\n"
                                 "tcp_keepintvl = 10\n"
                                 "tcp_keepcnt = 3\n"
                                 "log_connections = 0\n"
                                 "log_disconnections = 0\n"
                                 "log_stats = 0\n";

static str
ini_text(struct engine_member *self)
{
    str run = member_path(self, "run"), own = member_path(self, POOLER_FOLDER);
    long long most = sessions(self);
    return str_format(self->arena, ini, run.data, (int)self->member->port, self->member->address.data,
                      (int)self->cluster->pooling.port, run.data,
                      self->cluster->pooling.mode == POOL_SESSION ? "session" : "transaction", MOST_CLIENTS, most, most,
                      own.data, own.data, own.data, own.data, own.data);
}

/*
 * The first match wins. Names of Reeve's own are refused before anybody is asked for a password: the socket would let the
 * pooler in as the superuser, because it runs as the member does.
 */
static str
hba_text(struct engine_member *self)
{
    static const char *const anywhere[] = { "0.0.0.0/0", "::/0" };
    const struct wire_texts *networks = &self->cluster->access.networks;
    struct buf out = buf_in(self->arena, FILE_BYTES);
    buf_add_text(&out, HEADER "local pgbouncer " POOLER_ADMIN " peer map=reeve_agent\n"
                              "local all all reject\n");
    for (size_t i = 0; i < LENGTH(anywhere); i++) {
        buf_format(&out, "host pgbouncer all %s reject\n", anywhere[i]);
        buf_format(&out,
                   "host all " SUPERUSER "," REPLICATOR "," REWINDER "," WAL_ROLE "," MONITOR_ROLE "," PLANNER_ROLE
                   "," POOLER_ROLE "," POOLER_ADMIN " %s reject\n",
                   anywhere[i]);
    }
    for (size_t i = 0; i < networks->count; i++) {
        struct net_block block;
        if (net_parse_block(networks->items[i], &block))
            buf_format(&out, "hostssl all all %s scram-sha-256\n", net_block_text(self->arena, &block).data);
    }
    return buf_str(&out);
}

/* What it shows clients is the member's. A copy, so that it needs to see none of the member's other keys. */
static error
read_tls(struct engine_member *self, const char *name, str *ret_text)
{
    if (!disk_below_read(self->arena, self->folder.data, name, FILE_BYTES, self->owner.user, ret_text))
        return problem(self->arena, "%s cannot be read: %s.", member_path(self, name).data, strerror(errno));
    return OK;
}

error
pooler_write_files(struct engine_member *self, bool *ret_changed)
{
    str certificate, key;
    if (!pooler_is_on(self))
        return OK;
    TRY(read_tls(self, "tls/member.crt", &certificate));
    TRY(read_tls(self, "tls/member.key", &key));
    const struct {
        const char *name;
        str content;
    } files[] = {
        { POOLER_FOLDER "/server.crt", certificate },
        { POOLER_FOLDER "/server.key", key },
        /* Known, so that it can come through the socket; a password that is empty opens nothing. */
        { POOLER_FOLDER "/users.txt", STR("\"" POOLER_ADMIN "\" \"\"\n") },
        { POOLER_FOLDER "/ident.conf", STR(HEADER "reeve_agent root " POOLER_ADMIN "\n") },
        { POOLER_FOLDER "/hba.conf", hba_text(self) },
        { POOLER_FOLDER "/pgbouncer.ini", ini_text(self) },
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        if (arena_is_exhausted(self->arena) || files[i].content.len == 0)
            return fail(self->arena, OVERLOADED);
        if (!disk_below_keep(self->arena, self->folder.data, files[i].name, files[i].content, 0640, self->files,
                             ret_changed))
            return problem(self->arena, "%s cannot be written: %s.", member_path(self, files[i].name).data,
                           strerror(errno));
    }
    return OK;
}

str
pooler_command(struct engine_member *self)
{
    return pooler_is_on(self)
               ? str_format(self->arena, POOLER_PROGRAM " -q %s/pgbouncer.ini", member_path(self, POOLER_FOLDER).data)
               : STR_EMPTY;
}

error
pooler_make_role(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    if (!pooler_is_on(self))
        return OK;
    TRY(session_open(self, STR(SUPERUSER), &session));
    return session_run(session, SQL_POOLER_ROLE_MAKE, NULL);
}

bool
pooler_lets_in(const struct goal_access *access, str address)
{
    struct net_address one;
    struct net_block block;
    if (!net_parse_address(address, &one))
        return false;
    for (size_t i = 0; i < access->networks.count; i++) {
        if (net_parse_block(access->networks.items[i], &block) && net_contains(&block, &one))
            return true;
    }
    return false;
}
