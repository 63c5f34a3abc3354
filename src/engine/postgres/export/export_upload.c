/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/export/export_upload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/disk.h"
#include "base/failpoint.h"
#include "base/net/bucket.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/export/export_files.h"

enum {
    UPLOAD_BYTES = 4 * 1024 * 1024,
    DUMPED_BYTES = 64 * 1024 * 1024,
    MOST_FILES = 1000 * 1000,
    MOST_ADDRESSES = 16,
    FILE_ARENA_BYTES = 32 * 1024 * 1024,
    PATIENCE_MS = 10 * 60 * 1000,
    SAY_MS = 1000,
};

struct upload {
    struct arena *arena;
    str folder, prefix;
    json_t *order; /* upload.json */
    /* dumped.json and tables.json (NULL: it is not CSV): the tenant's word, if they want it to be */
    const json_t *dumped, *tables;
    struct drill_story story;
    struct bucket *bucket;
    struct net_address addresses[MOST_ADDRESSES];
    size_t file_count;
    char **files; /* below dump/, sorted */
    json_t *listed;
    int64_t tables_done, said_ms;
};

/* ---- What there is ---- */
bool
export_is_table(str file)
{
    size_t at = 0;
    if (str_ends_with(file, STR(EXPORT_CSV_END)))
        return true;
    while (at < file.len && file.data[at] >= '0' && file.data[at] <= '9')
        at++;
    return at > 0 && str_starts_with(str_slice(file, at, file.len), STR(".dat"));
}

static str
base_name(str path)
{
    const char *slash = memrchr(path.data, '/', path.len);
    return slash == NULL ? path : str_slice(path, (size_t)(slash - path.data) + 1, path.len);
}

static error
add_file(struct upload *upload, str name)
{
    if (upload->file_count >= MOST_FILES)
        return problem(upload->arena, "There are more than %d files.", MOST_FILES);
    if ((upload->file_count & (upload->file_count - 1)) == 0) {
        size_t room = upload->file_count == 0 ? 1 : upload->file_count * 2;
        char **more = realloc(upload->files, room * sizeof(*more));
        if (more == NULL)
            return fail(upload->arena, OVERLOADED);
        upload->files = more;
    }
    upload->files[upload->file_count++] = (char *)(uintptr_t)name.data;
    return OK;
}

/* Tables in schemas in databases are the deepest. Only files that are files count; nothing is followed. */
static error
list_folder(struct upload *upload, int folder, const char *below, int depth)
{
    DIR *all = fdopendir(folder);
    error why = all == NULL ? problem(upload->arena, "What was dumped cannot be read: %s.", strerror(errno)) : OK;
    for (const struct dirent *one = all == NULL ? NULL : readdir(all); one != NULL && why == OK; one = readdir(all)) {
        struct stat status;
        if (strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0 ||
            fstatat(folder, one->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        str name = str_format(upload->arena, "%s%s%s", below, below[0] == '\0' ? "" : "/", one->d_name);
        if (S_ISREG(status.st_mode))
            why = add_file(upload, name);
        else if (S_ISDIR(status.st_mode) && depth > 0) {
            int inner = openat(folder, one->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            why = inner < 0 ? OK : list_folder(upload, inner, name.data, depth - 1);
        }
    }
    if (all != NULL)
        closedir(all);
    return why;
}

/* The roles first: a small file shows whether the bucket can be written to. */
static int
compare_files(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    int is_other = strcmp(one, EXPORT_ROLES) != 0, other_is = strcmp(other, EXPORT_ROLES) != 0;
    return is_other != other_is ? is_other - other_is : strcmp(one, other);
}

static error
list_files(struct upload *upload)
{
    str path = str_format(upload->arena, "%s/" EXPORT_DUMP, upload->folder.data);
    int folder = open(path.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int64_t tables = 0;
    if (folder < 0)
        return problem(upload->arena, "%s cannot be read: %s.", path.data, strerror(errno));
    TRY(list_folder(upload, folder, "", 2));
    if (upload->file_count > 0)
        qsort(upload->files, upload->file_count, sizeof(*upload->files), compare_files);
    for (size_t i = 0; i < upload->file_count; i++)
        tables += export_is_table(base_name(str_from(upload->files[i])));
    json_object_set_new(upload->story.said, "tablesTotal", json_integer(tables));
    return OK;
}

/* ---- What goes wrong ---- */
static error
refused(struct upload *upload, enum bucket_outcome outcome, str why)
{
    bool is_refused = outcome == BUCKET_REFUSED;
    json_object_set_new(upload->story.said, "code",
                        json_string(is_refused ? EXPORT_REFUSED_CODE : EXPORT_UNREACHABLE_CODE));
    return problem(upload->arena, "%.*s%s", STR_ARG(why),
                   is_refused ? " Check the bucket's name, its region, the key, and what the key may do." : "");
}

/* ---- Sending ---- */
static error
send_open_file(struct upload *upload, struct arena *arena, int file, int64_t bytes, str name)
{
    uint8_t digest[SHA256_BYTES];
    str why, key = str_format(arena, "%s/%s", upload->prefix.data, name.data);
    if (!crypto_sha256_file(file, 0, bytes, digest))
        return problem(upload->arena, "%s cannot be read.", name.data);
    const struct bucket_file sent = { file, bytes, str_hex(arena, digest, sizeof(digest)) };
    json_t *listed =
        json_pack("{s:s, s:I, s:s}", "path", name.data, "bytes", (json_int_t)bytes, "sha256", sent.sha256.data);
    json_object_update_missing(listed, json_object_get(upload->tables, name.data));
    json_array_append_new(upload->listed, listed);
    if (bucket_has(upload->bucket, arena, key, &sent))
        return OK;
    enum bucket_outcome outcome = bucket_put(upload->bucket, arena, key, &sent, &why);
    return outcome == BUCKET_FINE ? OK : refused(upload, outcome, why);
}

/* Its memory is its own: there may be a million of them. */
static error
send_file(struct upload *upload, str name)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FILE_ARENA_BYTES);
    struct stat status;
    if (arena == NULL)
        return fail(upload->arena, OVERLOADED);
    str path = str_format(arena, "%s/" EXPORT_DUMP "/%s", upload->folder.data, name.data);
    int file = open(path.data, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    error why = file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)
                    ? problem(upload->arena, "%s cannot be read: %s.", name.data, strerror(errno))
                    : send_open_file(upload, arena, file, status.st_size, name);
    if (file >= 0)
        close(file);
    return why;
}

static error
say_progress(struct upload *upload, bool is_last)
{
    int64_t now = clock_steady_ms();
    if (!is_last && now - upload->said_ms < SAY_MS)
        return OK;
    upload->said_ms = now;
    json_object_set_new(upload->story.said, "tablesDone", json_integer(upload->tables_done));
    return drill_story_write(&upload->story);
}

static error
send_files(struct upload *upload)
{
    for (size_t i = 0; i < upload->file_count; i++) {
        str name = str_from(upload->files[i]);
        TRY(send_file(upload, name));
        upload->tables_done += export_is_table(base_name(name));
        failpoint("export:upload:after-file");
        TRY(say_progress(upload, i + 1 == upload->file_count));
    }
    return OK;
}

/* ---- That it is whole ---- */
static error
send_text(struct upload *upload, const char *name, str text)
{
    str why, key = str_format(upload->arena, "%s/%s", upload->prefix.data, name);
    enum bucket_outcome outcome = bucket_put_text(upload->bucket, upload->arena, key, text, &why);
    return outcome == BUCKET_FINE ? OK : refused(upload, outcome, why);
}

/* The manifest after everything that it names, and .complete last: who finds it finds all. */
static error
send_manifest(struct upload *upload)
{
    json_t *manifest = json_in(upload->arena, json_deep_copy(json_object_get(upload->order, "about")));
    static const char *const from_dump[] = { "format", "serverVersion", "compression", "databases" };
    if (manifest == NULL)
        return fail(upload->arena, OVERLOADED);
    for (size_t i = 0; i < LENGTH(from_dump); i++)
        json_object_set(manifest, from_dump[i], json_object_get(upload->dumped, from_dump[i]));
    json_object_set(manifest, "files", upload->listed);
    str text = json_text(upload->arena, manifest);
    if (text.len == 0)
        return fail(upload->arena, OVERLOADED);
    TRY(send_text(upload, "manifest.json", text));
    failpoint("export:upload:after-manifest");
    return send_text(upload, ".complete", date_now(upload->arena));
}

/* ---- ---- */
static str
ordered(const struct upload *upload, const char *name)
{
    return json_str(json_object_get(upload->order, name));
}

static error
open_bucket(struct upload *upload)
{
    const json_t *addresses = json_object_get(upload->order, "addresses"), *one;
    size_t i, count = 0;
    str authority = str_format(upload->arena, "%s/" EXPORT_AUTHORITY_FILE, upload->folder.data);
    json_array_foreach(addresses, i, one)
    {
        if (count < MOST_ADDRESSES && net_parse_address(json_str(one), &upload->addresses[count]))
            count++;
    }
    const struct bucket_place place = {
        .service_url = ordered(upload, "serviceUrl"),
        .name = ordered(upload, "bucket"),
        .keys = { ordered(upload, "key"), ordered(upload, "secretKey"), ordered(upload, "region") },
        .authority_file = json_is_true(json_object_get(upload->order, "hasAuthority")) ? authority.data : NULL,
        .address_count = count,
        .addresses = upload->addresses,
        .patience_ms = PATIENCE_MS,
    };
    upload->bucket = bucket_open(&place);
    return upload->bucket != NULL ? OK : problem(upload->arena, "The address of the store cannot be used.");
}

/* NULL: it is not there, or cannot be understood. */
static const json_t *
said_by_dump(struct upload *upload, const char *file)
{
    str text, path = str_format(upload->arena, "%s/%s", upload->folder.data, file);
    json_t *said = NULL;
    return disk_read(upload->arena, path.data, DUMPED_BYTES, &text) &&
                   json_parse_within(upload->arena, text, DUMPED_BYTES, &said) == OK
               ? said
               : NULL;
}

static error
run(struct upload *upload)
{
    TRY(drill_story_phase(&upload->story, "upload"));
    upload->dumped = said_by_dump(upload, EXPORT_DUMPED_FILE);
    upload->tables = said_by_dump(upload, EXPORT_TABLES_FILE);
    if (upload->dumped == NULL)
        return problem(upload->arena, "What was dumped is not described.");
    TRY(open_bucket(upload));
    TRY(list_files(upload));
    TRY(send_files(upload));
    return send_manifest(upload);
}

error
export_upload_run(struct arena *arena, str folder)
{
    struct upload *upload = ARENA_ARRAY(arena, struct upload, 1);
    str path = str_format(arena, "%s/" EXPORT_UPLOAD_FILE, folder.data), text;
    if (upload == NULL)
        return fail(arena, OVERLOADED);
    *upload = (struct upload){ .arena = arena, .folder = folder };
    upload->order = disk_read(arena, path.data, UPLOAD_BYTES, &text) ? json_parse_own(arena, text) : NULL;
    if (!json_is_object(upload->order))
        return problem(arena, "%s cannot be understood.", path.data);
    upload->prefix = ordered(upload, "prefix");
    upload->listed = json_in(arena, json_array());
    TRY(drill_story_begin(arena, folder, EXPORT_UPLOADED_FILE, &upload->story));
    error why = run(upload);
    bucket_close(upload->bucket);
    free(upload->files);
    return drill_story_end(&upload->story, why);
}
