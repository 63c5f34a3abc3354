/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_files.h"

#include <errno.h>
#include <sys/stat.h>

#include "agent/own/own_database.h"
#include "agent/state.h"
#include "base/disk_below.h"
#include "base/json.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/backup/receive_config.h"

enum { CONFIG_BYTES = 256 * 1024, FILE_BYTES = 4 * 1024 * 1024, STORE_FOLDER_BYTES = 512 };

/* A store that says nothing for so long is away: each thing that is asked of it waits, and somebody is to be told. */
#define STORE_SILENT_S "20"
#define HEADER         "# Written by reeve-agent, which overwrites whatever is changed here.\n"

error
seat_folders(struct seat_pass *pass)
{
    static const struct {
        const char *name;
        mode_t mode;
        bool is_own; /* the seat's */
    } folders[] = { { "", 0750, false },      { "tls", 0750, false },     { "repo", 0700, true },
                    { SEAT_WAL, 0700, true }, { SEAT_ASIDE, 0700, true }, { "spool", 0700, true },
                    { "state", 0700, true },  { "copy", 0700, true } }; /* the last: of the own database alone */
    size_t count = seat_is_own(pass->seat) ? LENGTH(folders) : LENGTH(folders) - 1;
    if (!disk_make_folder(pass->folder.data, 0750, pass->files))
        return problem(pass->arena, "%s cannot be made: %s.", pass->folder.data, strerror(errno));
    for (size_t i = 0; i < count; i++) {
        if (!disk_below_make_folder(pass->folder.data, folders[i].name, folders[i].mode,
                                    folders[i].is_own ? pass->owner : pass->files))
            return problem(pass->arena, "%s/%s cannot be made: %s.", pass->folder.data, folders[i].name,
                           strerror(errno));
    }
    return OK;
}

/* ---- pgBackRest ---- */
static void
add_store(struct buf *out, const struct goal_seat *seat, str folder)
{
    const struct goal_seat_store *store = &seat->store;
    str endpoint = store->endpoint;
    if (endpoint.len == 0) {
        buf_format(out, "repo1-path=%s/repo\n", folder.data);
        return;
    }
    if (str_starts_with(endpoint, STR("https://")))
        endpoint = str_slice(endpoint, strlen("https://"), endpoint.len);
    buf_format(out,
               "io-timeout=" STORE_SILENT_S "\n"
               "repo1-type=s3\n"
               "repo1-path=%s/%s\n"
               "repo1-s3-endpoint=%.*s\n"
               "repo1-s3-bucket=%s\n"
               "repo1-s3-region=%s\n"
               "repo1-s3-uri-style=%s\n"
               "repo1-s3-key=%s\n"
               "repo1-s3-key-secret=%s\n",
               str_is(store->path, "/") ? "" : store->path.data, store->folder.data, STR_ARG(endpoint),
               store->bucket.data, store->region.data, store->uri_style.len > 0 ? store->uri_style.data : "host",
               store->key.data, store->secret_key.data);
    if (store->authority.len > 0)
        buf_format(out, "repo1-storage-ca-file=%s/tls/store-authority.crt\n", folder.data);
}

/* What pg_basebackup has copied. */
static void
add_copy(struct buf *out, const struct goal_seat *seat, str folder)
{
    buf_format(out, "\n[%s]\npg1-path=%s/" SEAT_COPY "\n", seat->stanza.data, folder.data);
}

/* Members are read through their own servers, as the seat of their cluster. */
static void
add_members(struct buf *out, const struct goal_seat *seat, str folder)
{
    buf_format(out, "\n[%s]\n", seat->stanza.data);
    for (size_t i = 0; i < seat->members.count; i++) {
        const struct goal_seat_member *member = &seat->members.items[i];
        char name[ID_DIGITS + 1];
        int n = (int)i + 1;
        id_write(member->id, name);
        buf_format(out,
                   "pg%d-host=%s\npg%d-host-type=tls\npg%d-host-port=%d\n"
                   "pg%d-host-ca-file=%s/" CLUSTER_AUTHORITY "\npg%d-host-cert-file=%s/tls/seat.crt\n"
                   "pg%d-host-key-file=%s/tls/seat.key\npg%d-host-config=" MEMBERS_FOLDER "/%s/" BACKUP_CONFIG "\n"
                   "pg%d-path=" MEMBERS_FOLDER "/%s/data\npg%d-port=%d\npg%d-socket-path=" MEMBERS_FOLDER "/%s/run\n"
                   "pg%d-user=" SUPERUSER "\n",
                   n, member->address.data, n, n, (int)member->backup_port, n, folder.data, n, folder.data, n,
                   folder.data, n, name, n, name, n, (int)member->port, n, name, n);
    }
}

/*
 * Nothing expires by itself: what goes is said one by one. archive-check is for servers that archive by themselves; here the
 * agent sees to it that WAL is complete. archive-push-queue-max is never set: it drops WAL.
 */
str
seat_config_text(struct arena *arena, const struct goal_seat *seat, str folder, bool with_members)
{
    struct buf out = buf_in(arena, CONFIG_BYTES);
    buf_format(&out,
               HEADER "[global]\n"
                      "repo1-cipher-type=aes-256-cbc\n"
                      "repo1-cipher-pass=%s\n"
                      "repo1-bundle=y\n"
                      "repo1-block=y\n"
                      "repo1-retention-full-type=count\n"
                      "repo1-retention-full=9999999\n"
                      "expire-auto=n\n"
                      "compress-type=zst\n"
                      "compress-level=3\n"
                      "process-max=2\n"
                      "lock-path=%s/spool/lock\n"
                      "spool-path=%s/spool\n"
                      "log-level-console=error\n"
                      "log-level-file=off\n"
                      "log-level-stderr=off\n"
                      "protocol-timeout=660\n"
                      "db-timeout=600\n",
               seat->cipher_pass.data, folder.data, folder.data);
    add_store(&out, seat, folder);
    if (with_members && seat_is_own(seat)) {
        add_copy(&out, seat, folder);
    } else if (with_members) {
        buf_add_text(&out, "archive-check=n\nbackup-standby=prefer\nstart-fast=y\n");
        add_members(&out, seat, folder);
    }
    return buf_str(&out);
}

/* ---- The receiver ---- */
static str
receive_text(struct seat_pass *pass)
{
    const struct goal_seat *seat = pass->seat;
    json_t *members = json_array();
    for (size_t i = 0; i < seat->members.count; i++) {
        const struct goal_seat_member *member = &seat->members.items[i];
        json_array_append_new(members, json_pack("{s:s, s:s, s:I}", "name", member->name.data, "address",
                                                 member->address.data, "port", (json_int_t)member->port));
    }
    json_t *all =
        json_in(pass->arena, json_pack("{s:s, s:s, s:o}", "stanza", seat->stanza.data, "slot",
                                       seat_is_own(seat) ? OWN_SLOT : backup_slot(pass->arena, seat->ordinal).data,
                                       "members", members));
    if (seat_is_own(seat))
        json_object_set_new(all, "connection",
                            json_string(own_database_connection(pass->arena, &seat->own, pass->folder).data));
    return all == NULL ? STR_EMPTY : json_text(pass->arena, all);
}

/* There is none: of a cluster that is gone, or of a store that the system knows. */
static str
or_empty(str authority)
{
    return authority.len > 0 ? authority : STR("\n");
}

struct seat_file {
    const char *name;
    str content;
    bool *changed; /* who must know: the receiver reads its own file when it starts, the others at every use */
};

static error
keep_file(struct seat_pass *pass, const struct seat_file *file, mode_t mode, struct disk_owner owner)
{
    if (arena_is_exhausted(pass->arena) || file->content.len == 0)
        return fail(pass->arena, OVERLOADED);
    if (!disk_below_keep(pass->arena, pass->folder.data, file->name, file->content, mode, owner, file->changed))
        return problem(pass->arena, "%s/%s cannot be written: %s.", pass->folder.data, file->name, strerror(errno));
    return OK;
}

/* What the connection to the control plane's own database names. libpq wants a password to be in a file that nobody else can read. */
static error
own_files(struct seat_pass *pass)
{
    const struct goal_seat_own *own = &pass->seat->own;
    bool ignored;
    const struct seat_file certificate = { OWN_CERTIFICATE, or_empty(own->certificate), &ignored };
    const struct seat_file key = { OWN_KEY, or_empty(own->key), &ignored };
    const struct seat_file password = { OWN_PASSWORD, own_database_passfile(pass->arena, own), &ignored };
    TRY(keep_file(pass, &certificate, 0640, pass->files));
    TRY(keep_file(pass, &key, 0640, pass->files));
    return keep_file(pass, &password, 0600, pass->owner);
}

#define STORE_FOLDER_FILE "store-folder"

/*
 * The folder in the store that the seat began with, whatever the goal says later: an agent that did not know the goal's word began with the one of before, and what is
 * there would not be found any more.
 */
static error
keep_store_folder(struct seat_pass *pass, struct goal_seat *seat)
{
    static const struct disk_owner root = { 0, 0 };
    struct stat ignored;
    str kept;
    if (seat->store.endpoint.len == 0)
        return OK;
    if (disk_below_read(pass->arena, pass->folder.data, STORE_FOLDER_FILE, STORE_FOLDER_BYTES, 0, &kept)) {
        seat->store.folder = kept;
        return OK;
    }
    if (errno != ENOENT)
        return problem(pass->arena, "%s/" STORE_FOLDER_FILE " cannot be read: %s.", pass->folder.data, strerror(errno));
    if (disk_below_look(pass->folder.data, SEAT_PUSH_CONFIG, &ignored) || seat->store.folder.len == 0)
        seat->store.folder = str_format(pass->arena, "%s-%d", seat->stanza.data, (int)seat->ordinal);
    return disk_below_replace(pass->folder.data, STORE_FOLDER_FILE, seat->store.folder, 0640, root)
               ? OK
               : problem(pass->arena, "%s/" STORE_FOLDER_FILE " cannot be written: %s.", pass->folder.data,
                         strerror(errno));
}

error
seat_files(struct seat_pass *pass, bool *ret_changed)
{
    struct goal_seat own = *pass->seat;
    const struct goal_seat *seat = &own;
    bool ignored;
    TRY(keep_store_folder(pass, &own));
    const struct seat_file files[] = {
        { OWN_AUTHORITY, seat_is_own(seat) ? or_empty(seat->own.authority) : pass->goal->authority, &ignored },
        { CLUSTER_AUTHORITY, or_empty(seat->cluster_authority), &ignored },
        { "tls/store-authority.crt", or_empty(seat->store.authority), &ignored },
        { SEAT_PUSH_CONFIG, seat_config_text(pass->arena, seat, pass->folder, false), &ignored },
        { SEAT_PULL_CONFIG, seat_config_text(pass->arena, seat, pass->folder, true), &ignored },
        { SEAT_RECEIVE_FILE, receive_text(pass), ret_changed },
    };
    for (size_t i = 0; i < LENGTH(files); i++)
        TRY(keep_file(pass, &files[i], 0640, pass->files));
    return seat_is_own(seat) ? own_files(pass) : OK;
}

/* ---- The agent's own memory ---- */
json_t *
seat_own_read(struct seat_pass *pass, const char *name, json_t *otherwise)
{
    str text;
    json_t *said = NULL;
    json_in(pass->arena, otherwise);
    if (disk_below_read(pass->arena, pass->folder.data, name, FILE_BYTES, 0, &text))
        said = json_parse_own(pass->arena, text);
    else if (errno == ENOENT)
        return otherwise;
    return json_is_object(said) ? said : NULL;
}

error
seat_own_write(struct seat_pass *pass, const char *name, const json_t *content)
{
    static const struct disk_owner root = { 0, 0 };
    str text = json_text(pass->arena, content);
    if (text.len == 0 || !disk_below_replace(pass->folder.data, name, text, 0600, root))
        return problem(pass->arena, "%s/%s cannot be written: %s.", pass->folder.data, name, strerror(errno));
    return OK;
}
