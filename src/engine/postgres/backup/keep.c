/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/keep.h"

#include <errno.h>
#include <ftw.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/verify.h"
#include "engine/postgres/backup/wal_holes.h"
#include "engine/postgres/own/own_copy.h"
#include "engine/program.h"

enum { FILE_BYTES = 4 * 1024 * 1024, INFO_BYTES = 64 * 1024 * 1024, MOST_WORDS = 32, DAY_MS = 24 * 3600 * 1000 };

#define NEVER_BY_ITSELF "--repo1-retention-full-type=count", "--repo1-retention-full=9999999"

struct keep {
    struct arena *arena;
    str folder, stanza;
    const struct receive_config *config;
    json_t *order, *info;
    const json_t *before; /* what the last order came to; NULL: there was none */
    const json_t *verified;
    json_t *holes;
    bool is_unread;       /* what is there could not be looked at: it is what it was */
    int64_t shortened_ms; /* the end of the full backup before which WAL was removed; 0: none was */
};

static json_t *
read_file(struct keep *keep, const char *name, size_t most)
{
    str path = str_format(keep->arena, "%s/%s", keep->folder.data, name), text;
    return disk_read(keep->arena, path.data, most, &text) ? json_parse_own(keep->arena, text) : NULL;
}

/* Everything is to go. */
static bool
is_last(const struct keep *keep)
{
    return json_is_true(json_object_get(keep->order, "isLast"));
}

/* ---- pgBackRest ---- */
static error
pgbackrest(struct keep *keep, const char *config, const char *const *words, str *ret_said)
{
    str config_option = str_format(keep->arena, "--config=%s/%s", keep->folder.data, config);
    str stanza = str_format(keep->arena, "--stanza=%s", keep->stanza.data);
    const char *argv[MOST_WORDS] = { "/usr/bin/pgbackrest", config_option.data, stanza.data };
    size_t count = 3;
    for (size_t i = 0; words[i] != NULL && count < MOST_WORDS - 1; i++)
        argv[count++] = words[i];
    argv[count] = NULL;
    return program_ask(keep->arena, argv, STR_EMPTY, INFO_BYTES, ret_said);
}

str
keep_unreadable(const json_t *info)
{
    enum { STATUS_OTHER = 99 }; /* smaller ones are what can be seen: no stanza yet, no backup yet */
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(json_array_get(info, 0), "repo"), i, one)
    {
        const json_t *status = json_object_get(one, "status");
        str message = json_str(json_object_get(status, "message"));
        if (json_integer_value(json_object_get(status, "code")) >= STATUS_OTHER)
            return message.len == 0 ? STR("pgBackRest does not say why") : str_trim(str_cut(&message, '\n'));
    }
    return STR_EMPTY;
}

bool
keep_has_stanza(const json_t *info)
{
    enum { STATUS_OK = 0, STATUS_NO_BACKUP = 2 };
    const json_t *status = json_object_get(json_array_get(info, 0), "status");
    int64_t code = json_integer_value(json_object_get(status, "code"));
    return json_is_object(status) && (code == STATUS_OK || code == STATUS_NO_BACKUP);
}

static error
read_info(struct keep *keep)
{
    const char *const words[] = { "info", "--output=json", "--log-level-console=off", NULL };
    str said;
    TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, words, &said));
    json_t *info = json_parse_own(keep->arena, said);
    str why = keep_unreadable(info);
    if (!json_is_array(info))
        return problem(keep->arena, "pgBackRest did not say what is in the repository.");
    if (why.len > 0)
        return problem(keep->arena, "The repository cannot be read: %.*s.", STR_ARG(why));
    own_copy_complete(keep_backups(info));
    verify_mark_damaged(keep->verified, keep_backups(info));
    keep->info = info;
    return OK;
}

json_t *
keep_backups(const json_t *info)
{
    return json_object_get(json_array_get(info, 0), "backup");
}

/* ---- A backup ---- */
static bool
is_made(struct keep *keep, str snapshot)
{
    const json_t *one;
    size_t i;
    json_array_foreach(keep_backups(keep->info), i, one)
    {
        if (str_eq(json_str(json_object_get(json_object_get(one, "annotation"), "snapshot")), snapshot) &&
            !json_is_true(json_object_get(one, "error")))
            return true;
    }
    return false;
}

static bool
is_of_own_database(const struct keep *keep)
{
    return keep->config->connection.len > 0;
}

/* Nothing runs in the copy that pgBackRest could ask, so it is told not to. By their times all files have changed: --delta looks into them. */
static error
make_copy(struct keep *keep, const char **words, size_t *count)
{
    static const char *const stanza_words[] = { "stanza-create", "--no-online", NULL };
    str ignored;
    TRY(own_copy_make(keep->arena, keep->config, words + *count));
    *count += OWN_COPY_WORDS;
    words[(*count)++] = "--no-online";
    words[(*count)++] = "--delta";
    return pgbackrest(keep, SEAT_PULL_CONFIG, stanza_words, &ignored);
}

static error
back_up(struct keep *keep)
{
    const json_t *wish = json_object_get(keep->order, "backup"), *value;
    const char *words[MOST_WORDS - 4], *name;
    size_t count = 0;
    str ignored;
    if (!json_is_object(wish) || is_made(keep, json_str(json_object_get(wish, "snapshot"))))
        return OK;
    words[count++] = "backup";
    words[count++] = str_format(keep->arena, "--type=%s", json_str(json_object_get(wish, "type")).data).data;
    json_object_foreach(json_object_get(wish, "annotations"), name, value)
    {
        if (count < LENGTH(words) - 3 - OWN_COPY_WORDS)
            words[count++] = str_format(keep->arena, "--annotation=%s=%s", name, json_str(value).data).data;
    }
    if (is_of_own_database(keep))
        TRY(make_copy(keep, words, &count));
    words[count] = NULL;
    failpoint("keep:backup:before");
    TRY(pgbackrest(keep, SEAT_PULL_CONFIG, words, &ignored));
    failpoint("keep:backup:after");
    return OK;
}

/* ---- What goes ---- */
bool
keep_next_removed(str *rest, str *ret_label)
{
    static const char mark[] = "remove expired backup ";
    while (rest->len > 0) {
        str line = str_cut(rest, '\n');
        const char *found = line.len == 0 ? NULL : memmem(line.data, line.len, mark, strlen(mark));
        if (found == NULL)
            continue;
        str behind = str_slice(line, (size_t)(found - line.data) + strlen(mark), line.len);
        *ret_label = str_trim(str_cut(&behind, ' '));
        return true;
    }
    return false;
}

static bool
is_listed(const json_t *info, str label)
{
    const json_t *one;
    size_t i;
    json_array_foreach(keep_backups(info), i, one)
    {
        if (str_eq(json_str(json_object_get(one, "label")), label))
            return true;
    }
    return false;
}

/* `expire` takes along whatever builds on a backup, without a word. So what it would remove is asked first. */
error
keep_check_removal(struct arena *arena, const json_t *info, str said, str label)
{
    size_t count = 0;
    str named;
    for (str rest = said; keep_next_removed(&rest, &named);) {
        if (str_eq(named, label))
            count++;
        else if (is_listed(info, named))
            return problem(arena, "%.*s is not removed: %.*s would go with it.", STR_ARG(label), STR_ARG(named));
    }
    return count == 1
               ? OK
               : problem(arena, "%.*s is not removed: pgBackRest would remove %zu backups.", STR_ARG(label), count);
}

bool
keep_is_unsettled(const json_t *info, str said)
{
    static const char found[] = "found in repository added to backup.info";
    bool is_unsettled = said.len > 0 && memmem(said.data, said.len, found, strlen(found)) != NULL;
    str named;
    for (str rest = said; keep_next_removed(&rest, &named); is_unsettled = true) {
        if (is_listed(info, named))
            return false;
    }
    return is_unsettled;
}

static error
remove_one(struct keep *keep, str label)
{
    str set = str_format(keep->arena, "--set=%s", label.data), said;
    const char *const try_words[] = {
        "expire", set.data, "--dry-run", "--log-level-console=info", NEVER_BY_ITSELF, NULL
    };
    const char *const words[] = { "expire", set.data, NEVER_BY_ITSELF, NULL };
    TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, try_words, &said));
    TRY(keep_check_removal(keep->arena, keep->info, said, label));
    failpoint("keep:remove:before");
    TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, words, &said));
    failpoint("keep:remove:after");
    log_line(LOG_INFO, "backup_removed", "%.*s", STR_ARG(label));
    return OK;
}

/*
 * Who is killed while pgBackRest writes leaves what is in no list: a folder of a removal that was broken off, which nobody would ask for again, or a backup that is
 * whole, which would be made a second time. `expire` removes the one and lists the other, when it would remove nothing else.
 */
static error
settle(struct keep *keep)
{
    static const char *const try_words[] = { "expire", "--dry-run", "--log-level-console=info", NEVER_BY_ITSELF, NULL };
    static const char *const words[] = { "expire", NEVER_BY_ITSELF, NULL };
    str said;
    if (!keep_has_stanza(keep->info)) /* without a backup in it, the first one may have been broken off */
        return OK;
    TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, try_words, &said));
    if (!keep_is_unsettled(keep->info, said))
        return OK;
    log_line(LOG_INFO, "backup_settled", "Something was broken off in the repository: %.*s", STR_ARG(said));
    TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, words, &said));
    return read_info(keep);
}

/* In the order that they were given: leaves first. One that cannot go now keeps no other. */
static error
remove_all(struct keep *keep)
{
    const json_t *one;
    size_t i;
    error first = OK;
    json_array_foreach(json_object_get(keep->order, "remove"), i, one)
    {
        error why = is_listed(keep->info, json_str(one)) ? remove_one(keep, json_str(one)) : OK;
        first = first == OK ? why : first;
    }
    return first;
}

int64_t
keep_fulls_with_wal(const json_t *info, int64_t window_ms, int64_t *ret_end_ms)
{
    const json_t *all = keep_backups(info);
    int64_t count = 0;
    for (size_t i = json_array_size(all); i > 0; i--) {
        const json_t *one = json_array_get(all, i - 1);
        if (!str_is(json_str(json_object_get(one, "type")), "full"))
            continue;
        count++;
        *ret_end_ms = json_integer_value(json_object_get(json_object_get(one, "timestamp"), "stop")) * 1000;
        if (*ret_end_ms <= window_ms && !json_is_true(json_object_get(one, "error")))
            return count;
    }
    return 0;
}

/* The oldest of so many full backups, from the newest on. */
static const json_t *
full_at(const json_t *info, int64_t count)
{
    const json_t *all = keep_backups(info);
    for (size_t i = json_array_size(all); i > 0; i--) {
        const json_t *one = json_array_get(all, i - 1);
        if (str_is(json_str(json_object_get(one, "type")), "full") && --count == 0)
            return one;
    }
    return NULL;
}

/*
 * WAL that only moments before the window need. What older backups need for themselves stays with them. Where moments are not wanted at all, the window begins now, and so
 * with the newest full backup.
 */
static error
shorten_wal(struct keep *keep)
{
    int64_t days = json_integer_value(json_object_get(keep->order, "windowDays")), end_ms = 0;
    int64_t window_ms = json_is_true(json_object_get(keep->order, "isWalLeftOut")) ? 0 : days * DAY_MS;
    int64_t fulls = days <= 0 ? 0 : keep_fulls_with_wal(keep->info, clock_now_ms() - window_ms, &end_ms);
    str ignored;
    if (fulls == 0)
        return OK;
    str count = str_format(keep->arena, "--repo1-retention-archive=%lld", (long long)fulls);
    const char *const words[] = { "expire", NEVER_BY_ITSELF, "--repo1-retention-archive-type=full", count.data, NULL };
    keep->shortened_ms = end_ms > keep->shortened_ms ? end_ms : keep->shortened_ms;
    failpoint("keep:shorten:before");
    if (is_of_own_database(keep))
        return own_copy_shorten_wal(
            keep->arena, str_format(keep->arena, "%s/repo/archive/%s", keep->folder.data, keep->stanza.data),
            keep_backups(keep->info), json_text_at(json_object_get(full_at(keep->info, fulls), "archive"), "start"));
    return pgbackrest(keep, SEAT_PUSH_CONFIG, words, &ignored);
}

/* All of it, before the seat itself goes: what is in a bucket would stay otherwise. */
static error
remove_stanza(struct keep *keep)
{
    static const char *const parts[] = { "backup", "archive" };
    for (size_t i = 0; i < LENGTH(parts); i++) {
        str path = str_format(keep->arena, "%s/%s", parts[i], keep->stanza.data), ignored;
        const char *const words[] = { "repo-rm", "--recurse", path.data, NULL };
        TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, words, &ignored));
    }
    return OK;
}

/* ---- How much it takes ---- */
static atomic_llong used_bytes; /* nftw() has no place for a context, and this program does one thing */

static int
add_size(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)path;
    (void)ftw;
    if (type == FTW_F)
        used_bytes += (long long)status->st_blocks * 512;
    return 0;
}

/* The sizes of its objects, as the store lists them; nothing when it does not. */
static int64_t
measure_part(struct keep *keep, const char *part)
{
    str path = str_format(keep->arena, "%s/%s", part, keep->stanza.data), said = STR_EMPTY;
    const char *const words[] = { "repo-ls", "--recurse", "--output=json", "--sort=none", path.data, NULL };
    const char *name;
    json_t *one;
    int64_t bytes = 0;
    if (pgbackrest(keep, SEAT_PUSH_CONFIG, words, &said) != OK)
        return 0;
    json_t *listed = json_parse_own(keep->arena, said);
    json_object_foreach(listed, name, one) bytes += json_integer_value(json_object_get(one, "size"));
    return bytes;
}

static int64_t
measure(struct keep *keep)
{
    static const char *const parts[] = { "repo", SEAT_WAL, SEAT_ASIDE };
    used_bytes = 0;
    if (json_is_true(json_object_get(keep->order, "isInStore")))
        used_bytes = measure_part(keep, "backup") + measure_part(keep, "archive");
    for (size_t i = 0; i < LENGTH(parts); i++)
        nftw(str_format(keep->arena, "%s/%s", keep->folder.data, parts[i]).data, add_size, 16, FTW_PHYS);
    return used_bytes;
}

/* ---- What is missing ---- */
/* What must be there is read first: the receiver goes on storing meanwhile. */
static error
look_for_holes(struct keep *keep)
{
    str path = str_format(keep->arena, "archive/%s", keep->stanza.data), said;
    const char *const words[] = { "repo-ls", "--recurse", "--sort=none", path.data, NULL };
    struct wal_look look = { .folder = keep->folder,
                             .memory = read_file(keep, SEAT_MEMORY_FILE, FILE_BYTES),
                             .info = keep->info,
                             .shortened_ms = keep->shortened_ms,
                             .damaged = json_object_get(keep->verified, "wal") };
    TRY(pgbackrest(keep, SEAT_PUSH_CONFIG, words, &said));
    if (said.len >= INFO_BYTES) /* what was cut off would be taken for missing */
        return problem(keep->arena, "There is too much WAL in the repository to look whether some is missing.");
    look.listed = said;
    return wal_holes(keep->arena, &look, &keep->holes);
}

/* ---- What it came to ---- */
static const char *
sentence_of(struct keep *keep, error why)
{
    return why == OK ? "" : str_dup(keep->arena, why->detail).data;
}

struct outcome {
    error backup, removal, look;
};

static error
write_down(struct keep *keep, const struct outcome *outcome)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };
    str path = str_format(keep->arena, "%s/" SEAT_KEPT_FILE, keep->folder.data);
    json_t *kept =
        json_in(keep->arena, json_pack("{s:I, s:b, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:O, s:O}", "number",
                                       json_integer_value(json_object_get(keep->order, "number")), "isLast",
                                       is_last(keep), "backupProblem", sentence_of(keep, outcome->backup),
                                       "removeProblem", sentence_of(keep, outcome->removal), "lookProblem",
                                       sentence_of(keep, outcome->look), "isUnread", keep->is_unread, "shortenedMs",
                                       (json_int_t)keep->shortened_ms, "usedBytes", (json_int_t)measure(keep), "atMs",
                                       (json_int_t)clock_now_ms(), "info", keep->info, "holes", keep->holes));
    str text = kept == NULL ? STR_EMPTY : json_text(keep->arena, kept);
    if (text.len == 0 || !disk_replace(path.data, text, 0600, unchanged))
        return problem(keep->arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}

/* What was found last time stands until somebody has looked again. */
static error
read_before(struct keep *keep)
{
    json_t *none = json_in(keep->arena, json_array());
    keep->before = read_file(keep, SEAT_KEPT_FILE, INFO_BYTES);
    keep->verified = read_file(keep, SEAT_VERIFIED_FILE, FILE_BYTES);
    keep->shortened_ms = json_int_at(keep->before, "shortenedMs");
    keep->holes = json_object_get(keep->before, "holes");
    keep->holes = json_is_array(keep->holes) ? keep->holes : none;
    return keep->holes == NULL ? fail(keep->arena, OVERLOADED) : OK;
}

/* An error when it cannot be seen what is there. */
static error
carry_out(struct keep *keep, struct outcome *outcome)
{
    TRY(read_info(keep));
    if (is_last(keep)) {
        outcome->removal = remove_stanza(keep);
        return read_info(keep);
    }
    error settled = settle(keep);
    outcome->backup = back_up(keep);
    if (is_of_own_database(keep))
        TRY(own_copy_drop(keep->arena, keep->folder)); /* also when it failed: nobody else would ever remove it */
    outcome->removal = remove_all(keep);
    TRY(read_info(keep));
    error shortened = shorten_wal(keep);
    outcome->removal = outcome->removal != OK ? outcome->removal : settled != OK ? settled : shortened;
    TRY(read_info(keep));
    outcome->look = look_for_holes(keep);
    return OK;
}

/* A repository that does not answer has what it had, for all that is known. It is said, and looked at again soon. */
static error
take_what_was(struct keep *keep, error why, struct outcome *outcome)
{
    keep->info = json_object_get(keep->before, "info");
    keep->is_unread = true;
    if (keep->info == NULL)
        return why;
    outcome->look = why;
    if (json_is_object(json_object_get(keep->order, "backup")) && outcome->backup == OK)
        outcome->backup = why;
    if (is_last(keep))
        outcome->removal = why;
    return OK;
}

error
keep_run(struct arena *arena, str folder)
{
    struct keep keep = { .arena = arena, .folder = folder };
    struct receive_config *config = ARENA_ARRAY(arena, struct receive_config, 1);
    if (config == NULL)
        return fail(arena, OVERLOADED);
    TRY(receive_config_read(arena, folder, config));
    keep.config = config;
    keep.stanza = config->stanza;
    TRY(read_before(&keep));
    keep.order = read_file(&keep, SEAT_ORDER_FILE, FILE_BYTES);
    if (!json_is_object(keep.order))
        return problem(arena, "%s/" SEAT_ORDER_FILE " cannot be understood.", folder.data);
    struct outcome outcome = { OK, OK, OK };
    error why = carry_out(&keep, &outcome);
    if (why != OK)
        TRY(take_what_was(&keep, why, &outcome));
    if (outcome.backup != OK)
        log_line(LOG_WARNING, "no_backup", "%.*s", STR_ARG(outcome.backup->detail));
    return write_down(&keep, &outcome);
}
