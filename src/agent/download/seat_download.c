/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/download/seat_download.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/certificates.h"
#include "agent/download/download_unit.h"
#include "agent/seat/seat_files.h"
#include "agent/seat/seat_scratch.h"
#include "agent/seat/seat_store.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/pack.h"
#include "engine/postgres/drill/drill_files.h"

#define PACK   "pack"
#define SERVE  "serve"
#define FAILED "failed"

enum {
    MOST_ATTEMPTS = 3,
    SAID_BYTES = 64 * 1024,
    PACK_MEMORY_MB = 1024,
    MEGABYTE = 1024 * 1024,
    SHA256_DIGITS = 64,
};

static const struct disk_owner root = { 0, 0 };

static const char *const stages[] = { PACK, SERVE, NULL };
/* Its file adds "from", "to", "bytes" and "sha256"; a stage besides those with units is "failed". */
static const struct scratch_kind download_kind = {
    .name = "download", .noun = "download", .place = DOWNLOADS_FOLDER, .stages = stages
};

/* ---- Names ---- */
bool
seat_download_has_unit(struct arena *arena, id seat, const char *unit)
{
    return scratch_has_unit(arena, &download_kind, seat, unit);
}

static const char *
unit_of(const struct scratch *download, const char *stage)
{
    return scratch_unit(download->pass->arena, &download_kind, download->pass->seat->id, stage).data;
}

static str
file_of(const struct scratch *download)
{
    return str_format(download->pass->arena, "%s" PACK_SUFFIX, download->name.data);
}

/* Why is told until the goal has it removed. */
static error
give_up(struct scratch *download, error why)
{
    log_line(LOG_WARNING, "download", "%s: %.*s", download->name.data, STR_ARG(why->detail));
    scratch_set_text(download, "problem", why->detail);
    TRY(scratch_go_to_stage(download, FAILED));
    return scratch_clear(download);
}

/* ---- The beginning ---- */
static const json_t *
find_backup(const struct seat_view *view, str label)
{
    const json_t *all = seat_view_backups(view), *one;
    size_t i;
    json_array_foreach(all, i, one)
    {
        if (str_eq(json_text_at(one, "label"), label))
            return one;
    }
    return NULL;
}

static error
check_possible(struct scratch *download, const json_t *backup)
{
    static const char *const programs[] = { "pg_controldata", NULL };
    struct arena *arena = download->pass->arena;
    int64_t needed = json_int_at(json_object_get(backup, "info"), "size") / MEGABYTE * 11 / 5 + SCRATCH_SPARE_MB;
    if (backup == NULL)
        return problem(arena, "The snapshot is not in the repository.");
    if (access(DOWNLOAD_NGINX, X_OK) != 0)
        return problem(arena, "This repository host has no nginx: install the package nginx-light here.");
    TRY(scratch_check_programs(download->pass, programs));
    if (!disk_make_folder(DOWNLOADS_FOLDER, 0711, root))
        return problem(arena, DOWNLOADS_FOLDER " cannot be made: %s.", strerror(errno));
    return scratch_check_room(download, needed);
}

/* The memory before the folder: whoever finds the folder knows whose it is. */
static error
begin(struct scratch *download, const struct seat_view *view)
{
    struct seat_pass *pass = download->pass;
    if (view->kept == NULL)
        return problem(pass->arena, "What is in the repository is not known yet.");
    const json_t *backup = find_backup(view, pass->seat->download.label);
    const json_t *archive = json_object_get(backup, "archive");
    download->memory = scratch_memory_new(download);
    if (download->memory == NULL)
        return fail(pass->arena, OVERLOADED);
    scratch_set_text(download, "from", json_text_at(archive, "start"));
    scratch_set_text(download, "to", json_text_at(archive, "stop"));
    failpoint("agent:download:begin:before");
    TRY(scratch_remember(download));
    failpoint("agent:download:begin:after");
    error why = check_possible(download, backup);
    return why == OK ? OK : give_up(download, why);
}

/* ---- The file is made ---- */
static error
write_order(struct scratch *download)
{
    struct seat_pass *pass = download->pass;
    json_t *order = json_in(pass->arena, json_pack("{s:s, s:s, s:O, s:O, s:s, s:s}", "stanza", pass->seat->stanza.data,
                                                   "label", pass->seat->download.label.data, "from",
                                                   json_object_get(download->memory, "from"), "to",
                                                   json_object_get(download->memory, "to"), "majorVersion",
                                                   pass->seat->major_version.data, "name", file_of(download).data));
    str text = order == NULL ? STR_EMPTY : json_text(pass->arena, order);
    return text.len > 0 && disk_below_replace(download->folder.data, DRILL_ORDER_FILE, text, 0644, root)
               ? OK
               : problem(pass->arena, "%s/" DRILL_ORDER_FILE " cannot be written: %s.", download->folder.data,
                         strerror(errno));
}

static error
make_folder(struct scratch *download, const char *name, mode_t mode, struct disk_owner owner)
{
    return disk_below_make_folder(download->folder.data, name, mode, owner)
               ? OK
               : problem(download->pass->arena, "%s/%s cannot be made: %s.", download->folder.data, name,
                         strerror(errno));
}

/* From nothing, however far an earlier attempt came. Nobody but root and the seat comes into the folder; those who hand the file out see what they need of it. */
static error
start_pack(struct scratch *download)
{
    static const char *const seats[] = { DRILL_DATA, "said", "spool", NULL };
    struct seat_pass *pass = download->pass;
    struct arena *arena = pass->arena;
    scratch_set_number(download, "attempts", json_int_at(download->memory, "attempts") + 1);
    if (!disk_remove_tree(download->folder.data) || !disk_make_folder(download->folder.data, 0750, pass->files))
        return problem(arena, "%s cannot be made: %s.", download->folder.data, strerror(errno));
    TRY(scratch_make_folders(download, seats, pass->owner));
    TRY(make_folder(download, PACK_FILES, 0755, pass->owner));
    TRY(write_order(download));
    const struct unit_beside wish = {
        .description = str_format(arena, "download of %s: the file is made", pass->seat->stanza.data),
        .user = pass->user,
        .folder = download->folder,
        .command = str_format(arena, "%s pack --seat %s --folder %s", pass->host->agent.data, pass->folder.data,
                              download->folder.data),
        .memory_mb = PACK_MEMORY_MB,
        .places = str_format(arena, "BindReadOnlyPaths=%s\nBindPaths=%s\n", pass->folder.data, download->folder.data),
        .more = str_format(
            arena, "%s%s",
            unit_drill_walls(arena, pass->seat->download.limit_seconds, pass->seat->store.endpoint.len == 0).data,
            seat_store_lines(arena, pass->seat, pass->folder).data),
    };
    return scratch_start_unit(download, PACK, &wish);
}

/* The word of the seat's user. NULL when it says nothing, or nothing that has a meaning. */
static json_t *
read_said(struct scratch *download)
{
    struct seat_pass *pass = download->pass;
    str text;
    json_t *said = NULL;
    if (!disk_below_read(pass->arena, download->folder.data, PACK_SAID_FILE, SAID_BYTES, pass->owner.user, &text) ||
        json_parse_within(pass->arena, text, SAID_BYTES, &said) != OK)
        return NULL;
    return json_is_true(json_object_get(said, "isDone")) ? said : NULL;
}

static error
ended_without_a_word(struct scratch *download)
{
    struct arena *arena = download->pass->arena;
    int64_t limit = download->pass->seat->download.limit_seconds,
            took = clock_now_ms() - json_int_at(download->memory, "stageMs");
    if (took >= limit * 1000)
        return give_up(download, problem(arena, "It was not made within %lld s.", (long long)limit));
    if (json_int_at(download->memory, "attempts") >= MOST_ATTEMPTS)
        return give_up(download, problem(arena, "What makes the file ended without a word %d times.", MOST_ATTEMPTS));
    return scratch_go_to_stage(download, PACK);
}

static error
take_file(struct scratch *download, const json_t *said)
{
    static const char *const spent[] = { DRILL_DATA, "said", "spool", NULL };
    struct arena *arena = download->pass->arena;
    str why = json_text_at(said, "problem"), sum = json_text_at(said, "sha256");
    if (why.len > 0)
        return give_up(download, problem(arena, "%.*s", STR_ARG(why)));
    if (sum.len != SHA256_DIGITS || json_int_at(said, "bytes") <= 0)
        return ended_without_a_word(download);
    scratch_set_text(download, "sha256", sum);
    scratch_set_number(download, "bytes", json_int_at(said, "bytes"));
    TRY(scratch_go_to_stage(download, SERVE));
    return scratch_remove_folders(download, spent);
}

static error
go_on_packing(struct scratch *download)
{
    struct seat_pass *pass = download->pass;
    str state;
    if (!json_is_true(json_object_get(download->memory, "isOut")))
        return start_pack(download);
    TRY(units_state(pass->host->units, pass->arena, unit_of(download, PACK), &state));
    if (unit_is_up(state) || str_is(state, "deactivating")) {
        if (scratch_free_mb(&download_kind) >= SCRATCH_SPARE_MB)
            return OK;
        return give_up(download,
                       problem(pass->arena,
                               "It was given up: less than %d MB were left on the disk of the repository host.",
                               SCRATCH_SPARE_MB));
    }
    const json_t *said = read_said(download);
    return said == NULL ? ended_without_a_word(download) : take_file(download, said);
}

/* ---- The file is handed out ---- */
static error
keep_files(struct scratch *download, const struct download_unit_wish *wish, bool *ret_changed)
{
    struct seat_pass *pass = download->pass;
    const struct {
        const char *name;
        str content;
    } files[] = { { DOWNLOAD_SERVE "/authority.crt", pass->goal->authority },
                  { DOWNLOAD_SERVE "/nginx.conf", download_nginx_text(pass->arena, wish) } };
    for (size_t i = 0; i < LENGTH(files); i++) {
        if (files[i].content.len == 0)
            return fail(pass->arena, OVERLOADED);
        if (!disk_below_keep(pass->arena, download->folder.data, files[i].name, files[i].content, 0644, root,
                             ret_changed))
            return problem(pass->arena, "%s/%s cannot be written: %s.", download->folder.data, files[i].name,
                           strerror(errno));
    }
    return OK;
}

static error
keep_served(struct scratch *download)
{
    struct seat_pass *pass = download->pass;
    struct units *units = pass->host->units;
    const struct download_unit_wish wish = { .stanza = pass->seat->stanza,
                                             .folder = download->folder,
                                             .file = file_of(download),
                                             .port = (int)pass->seat->download.port,
                                             .has_v6 = disk_exists("/proc/net/if_inet6") };
    static const char *const roots[] = { DOWNLOAD_ROOT, DOWNLOAD_ROOT "/tmp", DOWNLOAD_ROOT "/var",
                                         DOWNLOAD_ROOT "/var/tmp" };
    bool changed = false;
    str state;
    TRY(unit_drop(units, pass->arena, unit_of(download, PACK)));
    TRY(make_folder(download, DOWNLOAD_SERVE, 0755, root));
    for (size_t i = 0; i < LENGTH(roots); i++)
        TRY(make_folder(download, roots[i], 0755, root));
    TRY(certificates_of_download(pass->caller, pass->arena, pass->host->state, download->id, download->folder,
                                 &changed));
    TRY(keep_files(download, &wish, &changed));
    TRY(unit_keep(units, pass->arena, unit_of(download, SERVE), download_unit_text(pass->arena, &wish), false,
                  &changed));
    TRY(units_state(units, pass->arena, unit_of(download, SERVE), &state));
    if (changed && unit_is_up(state))
        TRY(units_restart(units, pass->arena, unit_of(download, SERVE)));
    failpoint("agent:download:serve:before");
    TRY(unit_keep_up(units, pass->arena, unit_of(download, SERVE), &state));
    return str_is(state, "active")
               ? OK
               : problem(pass->arena, "%s does not run: its journal says why.", unit_of(download, SERVE));
}

static error
go_on_serving(struct scratch *download, bool *ret_is_served)
{
    struct stat status;
    str file = str_format(download->pass->arena, PACK_FILES "/%s", file_of(download).data);
    if (!disk_below_look(download->folder.data, file.data, &status) ||
        status.st_size != json_int_at(download->memory, "bytes"))
        return give_up(download, problem(download->pass->arena, "The file is not on the repository host any more."));
    TRY(keep_served(download));
    *ret_is_served = true;
    return OK;
}

/* ---- The report ---- */
static void
report_memory(const struct scratch *download, error why, bool is_served, struct report_download *report)
{
    str stage = json_text_at(download->memory, "stage");
    bool is_failed = str_is(stage, FAILED);
    *report = (struct report_download){ .id = download->id,
                                        .state = is_failed                  ? REPORT_DOWNLOAD_FAILED
                                                 : is_served                ? REPORT_DOWNLOAD_READY
                                                 : download->memory == NULL ? REPORT_DOWNLOAD_WAITING
                                                                            : REPORT_DOWNLOAD_RUNNING,
                                        .problem = is_failed   ? json_text_at(download->memory, "problem")
                                                   : why != OK ? why->detail
                                                               : STR_EMPTY,
                                        .bytes = is_served ? json_int_at(download->memory, "bytes") : -1,
                                        .sha256 = is_served ? json_text_at(download->memory, "sha256") : STR_EMPTY };
}

/* ---- ---- */
static error
go_on(struct scratch *download, const struct seat_view *view, bool *ret_is_served)
{
    str stage = json_text_at(download->memory, "stage");
    if (download->memory == NULL)
        return begin(download, view);
    if (str_is(stage, FAILED))
        return scratch_clear(download);
    return str_is(stage, SERVE) ? go_on_serving(download, ret_is_served) : go_on_packing(download);
}

error
seat_download_end(struct seat_pass *pass)
{
    json_t *memory;
    id known;
    if (!scratch_read(&download_kind, pass, &memory, &known))
        return OK;
    struct scratch old = scratch_of(&download_kind, pass, known, memory);
    return scratch_forget(&old);
}

error
seat_download_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report, bool *ret_is_busy)
{
    const struct goal_download *wanted = &pass->seat->download;
    id known;
    json_t *memory;
    bool is_known = scratch_read(&download_kind, pass, &memory, &known), is_served = false;
    bool is_wanted = id_is_there(wanted->id) && wanted->desired == DOWNLOAD_SERVED;
    if (is_known && (!is_wanted || !id_eq(known, wanted->id))) {
        *ret_is_busy |= is_wanted;
        TRY(seat_download_end(pass));
        is_known = false;
    }
    if (!is_wanted) {
        if (id_is_there(wanted->id))
            report->download = (struct report_download){ .id = wanted->id,
                                                         .state = REPORT_DOWNLOAD_ABSENT,
                                                         .problem = STR_EMPTY,
                                                         .bytes = -1,
                                                         .sha256 = STR_EMPTY };
        return OK;
    }
    struct scratch download = scratch_of(&download_kind, pass, wanted->id, is_known ? memory : NULL);
    error why = go_on(&download, view, &is_served);
    report_memory(&download, why, is_served, &report->download);
    *ret_is_busy |= report->download.state == REPORT_DOWNLOAD_RUNNING;
    return OK;
}
