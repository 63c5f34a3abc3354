/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/verify.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/log.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/program.h"

enum { SAID_BYTES = 64 * 1024 * 1024, SEGMENT_LEAST_BYTES = 1024 * 1024 };

/* ---- What pgBackRest says ---- */
/* "… invalid checksum '17-1/0000000100000000/000000010000000000000003-<sum>.zst'", or "invalid result 17-1/…: [95] …" */
static str
damaged_segment(str line)
{
    struct wal_place ignored;
    while (line.len > 0) {
        str_cut(&line, '/');
        if (line.len > WAL_NAME_DIGITS && line.data[WAL_NAME_DIGITS] == '-' &&
            wal_place_parse(str_slice(line, 0, WAL_NAME_DIGITS), SEGMENT_LEAST_BYTES, &ignored)) {
            str name = str_cut(&line, '\'');
            return str_cut(&name, ':');
        }
    }
    return STR_EMPTY;
}

/* "  backup: 20261117-080925F, status: invalid, total files checked: …" */
static str
damaged_backup(str line)
{
    str rest = str_trim(line);
    if (!str_starts_with(rest, STR("backup: ")))
        return STR_EMPTY;
    str label = str_slice(str_cut(&rest, ','), strlen("backup: "), SIZE_MAX), state = str_trim(str_cut(&rest, ','));
    bool is_sound = str_is(state, "status: valid") || str_is(state, "status: in-progress");
    return is_sound || !str_starts_with(state, STR("status: ")) ? STR_EMPTY : label;
}

static bool
names(const json_t *list, str label)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (str_eq(json_str(one), label))
            return true;
    }
    return false;
}

static void
add(json_t *list, str name)
{
    if (name.len > 0)
        json_array_append_new(list, json_stringn(name.data, name.len));
}

error
verify_read(struct arena *arena, str said, json_t **ret_wal, json_t **ret_backups)
{
    json_t *wal = json_in(arena, json_array()), *backups = json_in(arena, json_array());
    str why = STR_EMPTY; /* the line behind "status: error" */
    if (wal == NULL || backups == NULL)
        return fail(arena, OVERLOADED);
    for (str rest = said; rest.len > 0;) {
        str line = str_cut(&rest, '\n');
        if (str_is(str_trim(line), "status: error"))
            why = str_trim(rest.len == 0 ? line : str_slice(rest, 0, (size_t)str_find(rest, '\n')));
        add(wal, damaged_segment(line));
        str label = damaged_backup(line); /* it says that twice */
        add(backups, names(backups, label) ? STR_EMPTY : label);
    }
    if (why.len > 0 && json_array_size(wal) + json_array_size(backups) == 0)
        return problem(arena, "The repository is damaged: %.*s.", STR_ARG(why));
    *ret_wal = wal;
    *ret_backups = backups;
    return OK;
}

/* ---- Backups that cannot be restored ---- */
void
verify_mark_damaged(const json_t *verified, json_t *backups)
{
    const json_t *damaged = json_object_get(verified, "backups"), *needed;
    json_t *backup;
    size_t i, k;
    json_array_foreach(backups, i, backup)
    {
        const char *why =
            names(damaged, json_text_at(backup, "label")) ? "Its files in the repository are damaged." : NULL;
        json_array_foreach(json_object_get(backup, "reference"), k, needed)
        {
            if (why == NULL && names(damaged, json_str(needed)))
                why = "A backup that it builds on is damaged in the repository.";
        }
        if (why == NULL)
            continue;
        json_object_set_new(backup, "error", json_true());
        json_object_set_new(backup, "damage", json_string(why));
    }
}

/* ---- The program ---- */
static error
read_all(struct arena *arena, str folder, json_t **ret_wal, json_t **ret_backups)
{
    struct receive_config *config = ARENA_ARRAY(arena, struct receive_config, 1);
    str said;
    if (config == NULL)
        return fail(arena, OVERLOADED);
    TRY(receive_config_read(arena, folder, config));
    str config_option = str_format(arena, "--config=%s/" SEAT_PUSH_CONFIG, folder.data);
    str stanza = str_format(arena, "--stanza=%s", config->stanza.data);
    const char *const argv[] = { "/usr/bin/pgbackrest",
                                 config_option.data,
                                 stanza.data,
                                 "--process-max=1",
                                 "--log-level-console=info",
                                 "--log-timestamp=n",
                                 "--output=text",
                                 "verify",
                                 NULL };
    TRY(program_ask(arena, argv, STR_EMPTY, SAID_BYTES, &said));
    return verify_read(arena, said, ret_wal, ret_backups);
}

/* What was found before stands when nobody could look again. */
static json_t *
found_before(struct arena *arena, str path, const char *name)
{
    str text;
    const json_t *before = disk_read(arena, path.data, SAID_BYTES, &text) ? json_parse_own(arena, text) : NULL;
    json_t *found = json_object_get(before, name);
    return json_is_array(found) ? found : json_in(arena, json_array());
}

static int64_t
processor_ms(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

error
verify_run(struct arena *arena, str folder)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };
    str path = str_format(arena, "%s/" SEAT_VERIFIED_FILE, folder.data);
    json_t *wal = found_before(arena, path, "wal"), *backups = found_before(arena, path, "backups");
    int64_t began_ms = clock_steady_ms();
    error why = read_all(arena, folder, &wal, &backups);
    json_t *verified = json_in(
        arena, json_pack("{s:O, s:O, s:s, s:I, s:I, s:I}", "wal", wal, "backups", backups, "problem",
                         why == OK ? "" : str_dup(arena, why->detail).data, "atMs", (json_int_t)clock_now_ms(),
                         "tookMs", (json_int_t)(clock_steady_ms() - began_ms), "cpuMs", (json_int_t)processor_ms()));
    str text = verified == NULL ? STR_EMPTY : json_text(arena, verified);
    log_line(json_array_size(wal) + json_array_size(backups) > 0 || why != OK ? LOG_WARNING : LOG_INFO, "verified",
             "%zu segments of WAL and %zu backups are damaged.", json_array_size(wal), json_array_size(backups));
    if (text.len == 0 || !disk_replace(path.data, text, 0600, unchanged))
        return problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}
