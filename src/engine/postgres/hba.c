/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_hba.conf and pg_ident.conf. The agent owns both files (hba_file and ident_file point to them), because Patroni
 * reads its configuration only every few seconds, and an address that was removed from an access list must lose access
 * at once.
 *
 * The first match wins, so the order matters: the socket; replication and rewind between hosts of this cluster by
 * certificate; refusal of these users from elsewhere; then other users, from the project's networks only.
 */
#include <errno.h>

#include "base/disk_below.h"
#include "base/net/net.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/pooler/pooler.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles.h"

enum { FILE_BYTES = 16 * 1024 * 1024, PLAIN_LDAP = 389 };

#define SECRET_FILE        "ldap-secret.conf"
#define SYSTEM_AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"
#define HEADER             "# Written by reeve-agent, which overwrites whatever is changed here.\n"

static str
block_of(struct arena *arena, str address)
{
    struct net_block block;
    return net_parse_block(address, &block) ? net_block_text(arena, &block) : STR_EMPTY;
}

static bool
is_listed(const struct wire_texts *list, str value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (str_eq(list->items[i], value))
            return true;
    }
    return false;
}

/* Outgoing connections of a member have its host's address or its own, and several members may be on one host. */
static struct wire_texts
peer_blocks(struct engine_member *self)
{
    const struct goal_peers *peers = &self->cluster->peers;
    struct wire_texts blocks = { .items = ARENA_ARRAY(self->arena, str, peers->count * 2 + 1) };
    for (size_t i = 0; blocks.items != NULL && i < peers->count; i++) {
        const str both[] = { block_of(self->arena, peers->items[i].address),
                             block_of(self->arena, peers->items[i].host_address) };
        for (size_t k = 0; k < LENGTH(both); k++) {
            if (!is_listed(&blocks, both[k]))
                blocks.items[blocks.count++] = both[k];
        }
    }
    return blocks;
}

/* Between quotes, with quotes doubled; texts with control characters never come here. */
static void
add_quoted(struct buf *out, str name)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '"')
            buf_add_char(out, '"');
        buf_add_char(out, name.data[i]);
    }
    buf_add_char(out, '"');
}

static void
add_option(struct buf *out, const char *name, str value)
{
    buf_format(out, " %s=", name);
    add_quoted(out, value);
}

/*
 * How users of the directory prove who they are. PostgreSQL writes the line that matched into its log when a login fails, so the
 * password is not in it: an option that begins with @ is read from a file.
 */
static str
ldap_method(struct engine_member *self)
{
    const struct goal_ldap *ldap = &self->cluster->access.ldap;
    struct buf out = buf_in(self->arena, FILE_BYTES);
    if (ldap->hostname.len == 0)
        return STR("reject");
    buf_add_text(&out, "ldap");
    add_option(&out, "ldapserver", address_in_url(self->arena, ldap->hostname));
    buf_format(&out, " ldapport=%d %s", (int)ldap->port, ldap->port == PLAIN_LDAP ? "ldaptls=1" : "ldapscheme=ldaps");
    if (ldap->base.len == 0) {
        add_option(&out, "ldapprefix", ldap->prefix);
        add_option(&out, "ldapsuffix", ldap->suffix);
        return buf_str(&out);
    }
    add_option(&out, "ldapbasedn", ldap->base);
    add_option(&out, "ldapsearchfilter", ldap->filter);
    add_option(&out, "ldapbinddn", ldap->bind_name);
    buf_add_text(&out, " @" SECRET_FILE);
    return buf_str(&out);
}

static str
secret_text(struct engine_member *self)
{
    struct buf out = buf_in(self->arena, FILE_BYTES);
    buf_add_text(&out, HEADER "ldapbindpasswd=");
    add_quoted(&out, self->cluster->access.ldap.bind_password);
    buf_add_char(&out, '\n');
    return buf_str(&out);
}

/* The LDAP library reads it in the home of the process, at every login: no restart is needed for another authority. */
static str
library_text(struct engine_member *self)
{
    bool has_own = self->cluster->access.ldap.authority.len > 0;
    return str_format(self->arena, HEADER "TLS_CACERT %s\nTLS_REQCERT demand\nTLS_PROTOCOL_MIN 3.3\nREFERRALS off\n",
                      has_own ? member_path(self, "tls/directory.crt").data : SYSTEM_AUTHORITIES);
}

/*
 * Clients of the pooler come through the socket, which nobody but the member itself and root can reach. The pooler has looked at their address; who they
 * are, they prove to the server as well. Who may not do that with a password over the network may not here, either.
 */
static void
add_pooler(struct engine_member *self, struct buf *out)
{
    if (!pooler_is_on(self))
        return;
    buf_add_text(out, "local postgres " POOLER_ROLE " peer map=reeve_local\n"
                      "local all " POOLER_ROLE "," REPLICATOR "," REWINDER "," WAL_ROLE ",+" X509_ROLE ",+" LDAP_ROLE
                      " reject\n");
    for (size_t i = 0; i < self->cluster->access.support.count; i++) {
        buf_add_text(out, "local all ");
        add_quoted(out, self->cluster->access.support.items[i].name);
        buf_add_text(out, " reject\n");
    }
    buf_add_text(out, "local all all scram-sha-256\n");
}

/* From one address, which opens nothing to anybody else, and from nowhere else, whatever the project's networks are. */
static void
add_support(struct engine_member *self, struct buf *out)
{
    for (size_t i = 0; i < self->cluster->access.support.count; i++) {
        const struct goal_support_user *user = &self->cluster->access.support.items[i];
        if (!self->is_closed) {
            buf_add_text(out, "hostssl all ");
            add_quoted(out, user->name);
            buf_format(out, " %s scram-sha-256\n", block_of(self->arena, user->from).data);
        }
        buf_add_text(out, "host all ");
        add_quoted(out, user->name);
        buf_add_text(out, " all reject\n");
    }
}

static str
hba_text(struct engine_member *self)
{
    struct buf out = buf_in(self->arena, FILE_BYTES);
    struct wire_texts peers = peer_blocks(self);
    const struct wire_texts *networks = &self->cluster->access.networks;
    str directory = ldap_method(self);
    buf_add_text(&out, HEADER "local all " SUPERUSER " peer map=reeve_local\n"
                              "local replication " REPLICATOR " peer map=reeve_local\n"
                              "local all " MONITOR_ROLE " peer map=reeve_local\n"
                              "local all " PLANNER_ROLE " peer map=reeve_local\n");
    add_pooler(self, &out);
    buf_add_text(&out, "local all all reject\n");
    for (size_t i = 0; i < peers.count; i++) {
        buf_format(&out, "hostssl replication " REPLICATOR " %s cert map=reeve_member\n", peers.items[i].data);
        buf_format(&out, "hostssl all " REPLICATOR "," REWINDER " %s cert map=reeve_member\n", peers.items[i].data);
    }
    backup_add_hba(self, &out);
    buf_add_text(&out, "host all " SUPERUSER "," REPLICATOR "," REWINDER "," MONITOR_ROLE "," PLANNER_ROLE
                       "," POOLER_ROLE " all reject\n"
                       "host replication all all reject\n");
    add_support(self, &out);
    /* While it is restored, it has users of another time, and perhaps of another cluster. */
    for (size_t i = 0; !self->is_closed && i < networks->count; i++) {
        str block = block_of(self->arena, networks->items[i]);
        buf_format(&out, "hostssl all +" X509_ROLE " %s cert clientname=DN map=reeve_user\n", block.data);
        buf_format(&out, "hostssl all +" LDAP_ROLE " %s %s\n", block.data, directory.data);
        buf_format(&out, "hostssl all all %s scram-sha-256\n", block.data);
    }
    buf_add_text(&out, "host all all all reject\n");
    return buf_str(&out);
}

/* Patroni and PostgreSQL's own programs, over the socket. */
static void
add_system_user(struct buf *out, str user)
{
    buf_format(out, "reeve_local %.*s " SUPERUSER "\n", STR_ARG(user));
    buf_format(out, "reeve_local %.*s " REPLICATOR "\n", STR_ARG(user));
}

static str
ident_text(struct engine_member *self)
{
    struct buf out = buf_in(self->arena, FILE_BYTES);
    const struct goal_peers *peers = &self->cluster->peers;
    const struct goal_users *users = &self->cluster->access.users;
    buf_add_text(&out, HEADER "reeve_local root " SUPERUSER "\n"
                              "reeve_local root " MONITOR_ROLE "\n"
                              "reeve_local root " PLANNER_ROLE "\n");
    add_system_user(&out, self->user);
    if (pooler_is_on(self))
        buf_format(&out, "reeve_local %.*s " POOLER_ROLE "\n", STR_ARG(self->user));
    if (self->is_shared) /* until it was started as its own */
        add_system_user(&out, STR(SUPERUSER));
    for (size_t i = 0; i < peers->count; i++) {
        buf_format(&out, "reeve_member %s " REPLICATOR "\n", peers->items[i].name.data);
        buf_format(&out, "reeve_member %s " REWINDER "\n", peers->items[i].name.data);
    }
    backup_add_ident(self, &out);
    for (size_t i = 0; i < users->count; i++) {
        const struct goal_user *user = &users->items[i];
        if (user->login != LOGIN_X509 || role_name_problem(user->name) != NULL)
            continue;
        buf_add_text(&out, "reeve_user ");
        add_quoted(&out, user->name);
        buf_add_char(&out, ' ');
        add_quoted(&out, role_name(self->arena, user->name));
        buf_add_char(&out, '\n');
    }
    return buf_str(&out);
}

/*
 * Whose certificates the server takes: those of users, and those of members for replication and rewind. A closed cluster takes no
 * other cluster's members, whatever name they show.
 */
static error
authorities_texts(struct engine_member *self, str *ret_both, str *ret_all)
{
    struct buf both = buf_in(self->arena, FILE_BYTES), all = buf_in(self->arena, FILE_BYTES);
    str own = STR_EMPTY;
    if (self->cluster->walls != WALLS_NONE &&
        !disk_below_read(self->arena, self->folder.data, CLUSTER_AUTHORITY, FILE_BYTES, self->owner.user, &own))
        return problem(self->arena, "%s cannot be read: %s.", member_path(self, CLUSTER_AUTHORITY).data,
                       strerror(errno));
    buf_add(&both, self->goal->authority);
    if (own.len > 0)
        buf_format(&both, "\n%.*s", STR_ARG(own));
    *ret_both = buf_str(&both);
    buf_add(&all, self->cluster->walls == WALLS_CLOSED ? own : *ret_both);
    buf_add_char(&all, '\n');
    buf_add(&all, self->cluster->access.authorities);
    *ret_all = buf_str(&all);
    return OK;
}

error
hba_write(struct engine_member *self, bool *ret_changed)
{
    str both, authorities;
    TRY(authorities_texts(self, &both, &authorities));
    str directory = self->cluster->access.ldap.authority;
    const struct {
        const char *name;
        str content;
    } files[] = {
        { "tls/authority.crt", self->goal->authority },
        { BOTH_AUTHORITIES, both },
        { "tls/authorities.crt", authorities },
        { "tls/directory.crt", directory.len > 0 ? directory : STR("\n") },
        { ".ldaprc", library_text(self) },
        { SECRET_FILE, secret_text(self) },
        { "pg_ident.conf", ident_text(self) },
        { "pg_hba.conf", hba_text(self) },
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
