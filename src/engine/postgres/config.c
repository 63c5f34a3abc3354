/* SPDX-License-Identifier: Apache-2.0 */
/* patroni.yml, written as JSON, which is YAML: nothing has to be quoted twice. The only password in it is for the cluster's own keys in etcd. */
#include <errno.h>
#include <stdlib.h>

#include "base/disk_below.h"
#include "base/net/net.h"
#include "engine/postgres/advisor/load.h"
#include "engine/postgres/audit.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/postgres.h"

#define PRELOAD "shared_preload_libraries"

enum { LIBRARIES_BYTES = 1024, SYNC_METHOD_SINCE = 17 };

// clang-format off
/* What every cluster has unless its goal says otherwise. Parameters are texts, as PostgreSQL's own files have them. */
static const struct {
    const char *name, *value;
} defaults[] = {
    { "hot_standby",              "on" },
    { "huge_pages",               "off" },
    { "log_line_prefix",          "%m [%p] %c %l (%i) %e client=%h user=\"%u\" database=\"%d\" application=\"%a\" " },
    { "max_replication_slots",    "16" },
    { "max_wal_senders",          "16" },
    { "max_wal_size",             "256MB" },
    { "min_wal_size",             "32MB" },
    { "password_encryption",      "scram-sha-256" },
    { "ssl",                      "on" },
    { "ssl_min_protocol_version", "TLSv1.2" },
    { "wal_keep_size",            "64MB" },
    { "wal_level",                "replica" },
    { "wal_log_hints",            "on" },
};
/* Of the host and not of the cluster: no goal can change them. */
static const struct {
    const char *name, *file;
} local[] = {
    { "hba_file",                "pg_hba.conf" },
    { "ident_file",              "pg_ident.conf" },
    { "ssl_ca_file",             "tls/authorities.crt" },
    { "ssl_cert_file",           "tls/member.crt" },
    { "ssl_key_file",            "tls/member.key" },
    { "unix_socket_directories", "run" },
};
// clang-format on

str
member_path(const struct engine_member *self, const char *name)
{
    return str_format(self->arena, "%s/%s", self->folder.data, name);
}

str
address_in_url(struct arena *arena, str address)
{
    return str_format(arena, str_find(address, ':') >= 0 ? "[%.*s]" : "%.*s", STR_ARG(address));
}

static json_t *
text(str s)
{
    return json_stringn(s.data, s.len);
}

static json_t *
path(struct engine_member *self, const char *name)
{
    return text(member_path(self, name));
}

static json_t *
address_and_port(struct engine_member *self, int port)
{
    return text(str_format(self->arena, "%s:%d", address_in_url(self->arena, self->member->address).data, port));
}

static bool
is_local(str name)
{
    for (size_t i = 0; i < LENGTH(local); i++) {
        if (str_is(name, local[i].name))
            return true;
    }
    return false;
}

/* ---- What is loaded with the server ---- */
/* "pgaudit,pg_stat_statements" */
static str
libraries(const struct engine_member *self)
{
    for (size_t i = 0; i < self->cluster->parameters.count; i++) {
        if (str_is(self->cluster->parameters.items[i].name, PRELOAD))
            return self->cluster->parameters.items[i].value;
    }
    return STR_EMPTY;
}

bool
config_loads(const struct engine_member *self, const char *library)
{
    str rest = libraries(self);
    while (rest.len > 0) {
        if (str_is(str_cut(&rest, ','), library))
            return true;
    }
    return false;
}

/* A server that is told to load what is not there does not start. */
static void
put_libraries_here(struct engine_member *self, json_t *parameters)
{
    str rest = libraries(self);
    struct buf here = buf_in(self->arena, LIBRARIES_BYTES);
    bool is_missing = false;
    while (rest.len > 0) {
        str library = str_cut(&rest, ',');
        str file = str_format(self->arena, "/usr/lib/postgresql/%s/lib/%.*s.so", self->cluster->major_version.data,
                              STR_ARG(library));
        if (disk_exists(file.data))
            buf_format(&here, "%s%.*s", here.len > 0 ? "," : "", STR_ARG(library));
        else
            is_missing = true;
    }
    if (is_missing)
        json_object_set_new(parameters, PRELOAD, text(buf_str(&here)));
}

json_t *
config_own_parameters(struct engine_member *self)
{
    json_t *parameters = json_in(self->arena, json_object());
    const struct wire_pairs *own = &self->cluster->analytics_parameters;
    for (size_t i = 0; i < own->count && self->member->analytics; i++) {
        if (!is_local(own->items[i].name))
            json_object_set_new(parameters, own->items[i].name.data, text(own->items[i].value));
    }
    return parameters;
}

json_t *
config_parameters_here(struct engine_member *self)
{
    json_t *parameters = config_parameters(self);
    json_object_update(parameters, config_own_parameters(self));
    put_libraries_here(self, parameters);
    return parameters;
}

json_t *
config_parameters(struct engine_member *self)
{
    json_t *parameters = json_in(self->arena, json_object());
    for (size_t i = 0; i < LENGTH(defaults); i++)
        json_object_set_new(parameters, defaults[i].name, json_string(defaults[i].value));
    for (size_t i = 0; i < self->cluster->parameters.count; i++) {
        const struct wire_pair *pair = &self->cluster->parameters.items[i];
        if (!is_local(pair->name))
            json_object_set_new(parameters, pair->name.data, text(pair->value));
    }
    /* Texts of such statements keep their values. */
    if (config_loads(self, LOAD_LIBRARY))
        json_object_set_new(parameters, LOAD_LIBRARY ".track_utility", json_string("off"));
    json_object_update(parameters, audit_parameters(self->arena, &self->cluster->access.audit));
    json_object_update_missing(parameters, backup_parameters(self));
    return parameters;
}

json_t *
config_dynamic(struct engine_member *self)
{
    json_t *dynamic = json_in(self->arena, json_pack("{s:i, s:i, s:i, s:i, s:b, s:b, s:{s:b, s:b, s:O}}", //
                                                     "ttl", 20, "loop_wait", 5, "retry_timeout", 5,       //
                                                     "maximum_lag_on_failover", 16 * 1024 * 1024,         //
                                                     "synchronous_mode", (int)self->cluster->synchronous, //
                                                     "failsafe_mode", 1,                                  //
                                                     "postgresql", "use_pg_rewind", 1, "use_slots", 1,    //
                                                     "parameters", config_parameters(self)));
    if (backup_is_on(self))
        json_object_set(dynamic, "slots", backup_slots(self));
    return dynamic;
}

/* What a member shows other members, and whom it believes among them, in each phase (docs/internals/fleet.md). */
static const struct {
    const char *certificate, *key, *authority;
} among_members[] = {
    [WALLS_NONE] = { "tls/member.crt", "tls/member.key", "tls/authority.crt" },
    [WALLS_PREPARE] = { "tls/member.crt", "tls/member.key", BOTH_AUTHORITIES },
    [WALLS_CHANGE] = { "tls/cluster.crt", "tls/cluster.key", BOTH_AUTHORITIES },
    [WALLS_CLOSED] = { "tls/cluster.crt", "tls/cluster.key", CLUSTER_AUTHORITY },
};

/* The server that is replicated from shows what it shows everybody: a certificate of the fleet. */
static json_t *
login(struct engine_member *self, const char *user)
{
    enum goal_walls walls = self->cluster->walls;
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "username", user, "sslmode", "verify-full", //
                     "sslcert", path(self, among_members[walls].certificate),                 //
                     "sslkey", path(self, among_members[walls].key),                          //
                     "sslrootcert", path(self, "tls/authority.crt"));
}

const struct wire_texts *
etcd_endpoints(const struct engine_member *self)
{
    return self->cluster->etcd.endpoints.count > 0 ? &self->cluster->etcd.endpoints : &self->goal->etcd;
}

static json_t *
etcd_hosts(struct engine_member *self)
{
    json_t *hosts = json_array();
    const struct wire_texts *endpoints = etcd_endpoints(self);
    for (size_t i = 0; i < endpoints->count; i++) {
        str url = endpoints->items[i];
        if (str_starts_with(url, STR("https://")))
            url = str_slice(url, strlen("https://"), url.len);
        if (str_ends_with(url, STR("/")))
            url = str_slice(url, 0, url.len - 1);
        json_array_append_new(hosts, text(url));
    }
    return hosts;
}

static json_t *
etcd(struct engine_member *self)
{
    const char *name = self->cluster->walls == WALLS_NONE ? "member" : "etcd";
    const struct goal_etcd *as = &self->cluster->etcd;
    json_t *config = json_pack("{s:o, s:s, s:o, s:o, s:o}", "hosts", etcd_hosts(self), "protocol", "https", //
                               "cacert", path(self, "tls/authority.crt"),                                   //
                               "cert", path(self, str_format(self->arena, "tls/%s.crt", name).data),        //
                               "key", path(self, str_format(self->arena, "tls/%s.key", name).data));
    /* Patroni logs in when etcd asks it to, and goes on without while etcd has no users. */
    if (as->user.len > 0) {
        json_object_set_new(config, "username", text(as->user));
        json_object_set_new(config, "password", text(as->password));
    }
    return config;
}

/* Beside the certificate: only hosts of this cluster's members may change anything through Patroni's API. */
static json_t *
allow_list(struct engine_member *self)
{
    json_t *list = json_array();
    for (size_t i = 0; i < self->cluster->peers.count; i++) {
        json_array_append_new(list, text(self->cluster->peers.items[i].address));
        json_array_append_new(list, text(self->cluster->peers.items[i].host_address));
    }
    return list;
}

/* One that may not become the primary must not be the only one that has every write, either. */
static json_t *
tags(struct engine_member *self)
{
    const struct goal_member *member = self->member;
    json_t *all = member->electable ? json_pack("{s:I}", "failover_priority",
                                                (json_int_t)(member->priority < 1 ? 1 : member->priority))
                                    : json_pack("{s:b, s:b}", "nofailover", 1, "nosync", 1);
    if (member->analytics) /* Patroni says so to whoever asks it where replicas are */
        json_object_set_new(all, "noloadbalance", json_true());
    if (!self->is_shared)
        json_object_set_new(all, OWN_USER_TAG, json_true());
    if (self->has_etcd_user)
        json_object_set_new(all, ETCD_USER_TAG, json_true());
    return all;
}

/*
 * Everything that was copied or begun is on the disk before it is used, in either way. One call for the file system is seven times as
 * fast as one for each of a thousand files, which ext4 writes its journal for each time.
 */
#define SYNC_METHOD "syncfs"

static bool
programs_know_sync_method(const struct engine_member *self)
{
    int64_t major;
    return str_to_int(self->cluster->major_version, 1, INT32_MAX, &major) && major >= SYNC_METHOD_SINCE;
}

/* WAL on the volume of its own, below which its folder may be made anew and removed. */
static void
put_wal_place(struct engine_member *self, json_t *options)
{
    if (self->has_volumes)
        json_array_append_new(options, json_pack("{s:o}", "waldir", path(self, WAL_FOLDER)));
}

static json_t *
basebackup(struct engine_member *self)
{
    json_t *options = json_pack("[{s:s}]", "checkpoint", "fast");
    put_wal_place(self, options);
    if (programs_know_sync_method(self))
        json_array_append_new(options, json_pack("{s:s}", "sync-method", SYNC_METHOD));
    return options;
}

static json_t *
initdb(struct engine_member *self)
{
    json_t *options =
        json_pack("[{s:s}, {s:s}, s, {s:s}]", "encoding", "UTF8", "locale", "C.UTF-8", "data-checksums", //
                  "wal-segsize", "4");
    put_wal_place(self, options);
    if (programs_know_sync_method(self))
        json_array_append_new(options, json_pack("{s:s}", "sync-method", SYNC_METHOD));
    return options;
}

/* Written anew whenever it follows another member, also when its own disk is full; the unit's /tmp is nobody else's. */
static json_t *
pgpass(struct engine_member *self)
{
    return self->has_volumes ? json_string("/tmp/pgpass") : path(self, "run/pgpass");
}

/* A report may take long: what comes from the primary waits for it, and others have the newest rows. */
static void
put_patience(const struct engine_member *self, json_t *parameters)
{
    static const char *const delays[] = { "max_standby_streaming_delay", "max_standby_archive_delay" };
    for (size_t i = 0; i < LENGTH(delays) && self->member->analytics; i++)
        json_object_set_new(parameters, delays[i], json_string("1h"));
}

static json_t *
postgresql(struct engine_member *self)
{
    json_t *parameters = json_object();
    json_object_update(parameters, config_own_parameters(self));
    json_object_set_new(parameters, "recovery_init_sync_method", json_string(SYNC_METHOD));
    for (size_t i = 0; i < LENGTH(local); i++)
        json_object_set_new(parameters, local[i].name, path(self, local[i].file));
    put_libraries_here(self, parameters);
    /* Its own and not the cluster's: others may live in plain folders. A member that is gone must not fill the volume for WAL. */
    if (self->has_volumes)
        backup_put_kept_wal(self, parameters);
    put_patience(self, parameters);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:{s:{s:s}, s:o, s:o}, s:o, s:o}", //
                     "listen", address_and_port(self, (int)self->member->port),                        //
                     "connect_address", address_and_port(self, (int)self->member->port),               //
                     "data_dir", path(self, "data"),                                                   //
                     "bin_dir",
                     text(str_format(self->arena, "/usr/lib/postgresql/%s/bin", self->cluster->major_version.data)), //
                     "pgpass", pgpass(self),                                                                         //
                     "use_unix_socket", 1, "use_unix_socket_repl", 1,                                                //
                     "remove_data_directory_on_rewind_failure", 1,                                                   //
                     "remove_data_directory_on_diverged_timelines", 1,                                               //
                     "authentication", "superuser", "username", SUPERUSER,                                           //
                     "replication", login(self, REPLICATOR), "rewind", login(self, REWINDER),                        //
                     "basebackup", basebackup(self),                                                                 //
                     "parameters", parameters);
}

static bool
is_being_built(const struct engine_member *self)
{
    return id_is_there(self->cluster->restore.id) && self->cluster->restore.phase == RESTORE_BUILD;
}

/* A cluster that is restored begins with the member that has the data; whoever else came first would begin an empty one. */
static bool
may_begin(const struct engine_member *self)
{
    return !is_being_built(self) || id_eq(self->cluster->restore.first, self->member->id);
}

/* That member has its data already: if it has not, nothing new is begun either. */
static json_t *
bootstrap(struct engine_member *self)
{
    if (is_being_built(self))
        return json_pack("{s:O, s:s, s:{s:s, s:b}}", "dcs", config_dynamic(self), "method", "never", "never", "command",
                         "/bin/false", "no_params", 1);
    return json_pack("{s:O, s:o}", "dcs", config_dynamic(self), "initdb", initdb(self));
}

json_t *
config_whole(struct engine_member *self)
{
    enum goal_walls walls = self->cluster->walls;
    json_t *config =
        json_pack("{s:s, s:s, s:s, s:{s:s}}", "scope", self->cluster->scope.data, "namespace", NAMESPACE, //
                  "name", self->member->name.data, "log", "level", "INFO");
    json_object_set_new(config, "restapi",
                        json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o}",                    //
                                  "listen", address_and_port(self, PATRONI_PORT),           //
                                  "connect_address", address_and_port(self, PATRONI_PORT),  //
                                  "certfile", path(self, among_members[walls].certificate), //
                                  "keyfile", path(self, among_members[walls].key),          //
                                  "cafile", path(self, among_members[walls].authority),     //
                                  "verify_client", "required", "allowlist", allow_list(self)));
    json_object_set_new(config, "ctl",
                        json_pack("{s:o, s:o, s:o}", "cacert", path(self, among_members[walls].authority), //
                                  "certfile", path(self, among_members[walls].certificate),                //
                                  "keyfile", path(self, among_members[walls].key)));
    json_object_set_new(config, "etcd3", etcd(self));
    if (may_begin(self))
        json_object_set_new(config, "bootstrap", bootstrap(self));
    json_object_set_new(config, "postgresql", postgresql(self));
    json_object_set_new(config, "tags", tags(self));
    return json_in(self->arena, config);
}

error
config_write(struct engine_member *self, bool *ret_changed)
{
    str bin = str_format(self->arena, "/usr/lib/postgresql/%s/bin/postgres", self->cluster->major_version.data);
    if (!disk_exists(bin.data))
        return problem(self->arena, "PostgreSQL %s is not installed on this host: there is no %s.",
                       self->cluster->major_version.data, bin.data);
    json_t *config = config_whole(self);
    str content = config == NULL ? STR_EMPTY : json_text(self->arena, config);
    if (content.len == 0)
        return fail(self->arena, OVERLOADED);
    if (!disk_below_keep(self->arena, self->folder.data, "patroni.yml", content, 0640, self->files, ret_changed))
        return problem(self->arena, "%s cannot be written: %s.", member_path(self, "patroni.yml").data,
                       strerror(errno));
    return OK;
}
