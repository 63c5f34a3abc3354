/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_export.h"

#include <errno.h>

#include "agent/seat/seat_scratch.h"
#include "agent/unit_keep.h"
#include "agent/wall.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/net/egress.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/export/export_files.h"

#define DUMP   "dump"
#define UPLOAD "upload"

enum {
    MOST_ATTEMPTS = 4,
    MOST_UPLOADS = 50,
    SAID_BYTES = 16 * 1024 * 1024,
    SENTENCE_BYTES = 512,
    CODE_BYTES = 32,
    DUMP_MEMORY_MB = 1024,
    UPLOAD_MEMORY_MB = 1024,
    WALL_AGAIN_MS = 30 * 1000,
    PATIENCE_MS = 10 * 60 * 1000, /* with a store whose name leads nowhere */
    MEGABYTE = 1024 * 1024,
};
#define MOST_TABLES ((int64_t)1 << 40)

/* What an export adds to the file: "label", "from", "until", "uploads": how often that stage was begun, "addresses" and "port" of the store, "code", "done", "total". */
enum stage { STAGE_FETCH, STAGE_DUMP, STAGE_UPLOAD };
static const char *const stages[] = { SCRATCH_FETCH, DUMP, UPLOAD, NULL }; /* by the enum */
static error take_wall_down(struct scratch *job);
static const struct scratch_kind export_kind = {
    .name = "export", .noun = "export", .place = DRILLS_FOLDER, .stages = stages, .let_go = take_wall_down
};

static const struct goal_export *
wish_of(const struct scratch *job)
{
    return &job->pass->seat->export_job;
}

bool
seat_export_has_unit(struct arena *arena, id seat, const char *unit)
{
    return scratch_has_unit(arena, &export_kind, seat, unit);
}

static error
end_failed(struct scratch *job, const char *code, error why)
{
    scratch_set_text(job, "code", str_from(code));
    return scratch_end_with(job, report_export_words[EXPORT_FAILED], why);
}

/* ---- The beginning ---- */
static const json_t *
find_backup(struct scratch *job, const struct seat_view *view)
{
    const json_t *all = seat_view_backups(view), *backup;
    size_t i;
    str ignored;
    json_array_foreach(all, i, backup)
    {
        if (str_eq(json_text_at(backup, "label"), wish_of(job)->label) &&
            seat_view_state(view, backup, &ignored) == COPY_COMPLETED)
            return backup;
    }
    return NULL;
}

/* Files of the database, and at most as much again of what is dumped. */
static error
check_possible(struct scratch *job, const json_t *backup)
{
    static const char *const programs[] = { "postgres", "pg_dump", "pg_dumpall", "pg_controldata", NULL };
    if (backup == NULL)
        return problem(job->pass->arena, "The snapshot is not in the repository.");
    TRY(scratch_check_programs(job->pass, programs));
    int64_t megabytes = json_int_at(json_object_get(backup, "info"), "size") / MEGABYTE;
    return scratch_check_room(job, megabytes * 2 * 6 / 5 + SCRATCH_SPARE_MB + 64);
}

static error
begin(struct scratch *job, const struct seat_view *view)
{
    const json_t *backup = find_backup(job, view);
    const json_t *archive = json_object_get(backup, "archive");
    TRY(scratch_check_turn(job));
    TRY(check_possible(job, backup));
    job->memory = scratch_memory_new(job);
    if (job->memory == NULL)
        return fail(job->pass->arena, OVERLOADED);
    scratch_set_text(job, "label", wish_of(job)->label);
    scratch_set_text(job, "from", json_text_at(archive, "start"));
    scratch_set_text(job, "until", json_text_at(archive, "stop"));
    failpoint("agent:export:begin:before");
    TRY(scratch_remember(job));
    failpoint("agent:export:begin:after");
    return OK;
}

static str
order_text(struct scratch *job)
{
    const struct goal_seat *seat = job->pass->seat;
    json_t *order =
        json_in(job->pass->arena,
                json_pack("{s:s, s:O, s:O, s:O, s:s, s:s}", "stanza", seat->stanza.data, "label",
                          json_object_get(job->memory, "label"), "from", json_object_get(job->memory, "from"), "until",
                          json_object_get(job->memory, "until"), "majorVersion", seat->major_version.data, "format",
                          goal_export_format_words[wish_of(job)->format]));
    return order == NULL ? STR_EMPTY : json_text(job->pass->arena, order);
}

/* ---- What is restored is dumped ---- */
static error
start_dump(struct scratch *job)
{
    static const char *const own[] = { "out", "conf", "run", EXPORT_DUMP, NULL };
    struct seat_pass *pass = job->pass;
    struct arena *arena = pass->arena;
    struct disk_owner owner;
    TRY(scratch_give_away(job, &owner));
    TRY(scratch_make_folders(job, own, owner));
    const struct unit_beside wish = {
        .description = str_format(arena, "export of %s: what is restored is dumped", pass->seat->stanza.data),
        .user = users_name(arena, owner.user),
        .folder = job->folder,
        .command = str_format(arena, "%s dump --folder %s", pass->host->agent.data, job->folder.data),
        .memory_mb = DUMP_MEMORY_MB,
        .more = unit_drill_walls(arena, wish_of(job)->limit_seconds, true),
    };
    return scratch_start_unit(job, DUMP, &wish);
}

/* ---- The wall around what uploads ---- */
/* The store as the memory has it; false: there is none. */
static bool
remembered_store(struct scratch *job, struct wall_store *ret_store)
{
    const json_t *all = json_object_get(job->memory, "addresses"), *one;
    struct net_address *addresses = ARENA_ARRAY(job->pass->arena, struct net_address, EGRESS_MAX_ADDRESSES);
    size_t i, count = 0;
    uid_t user;
    if (addresses == NULL || json_array_size(all) == 0 || !users_find(job->pass->host->users, job->id, &user))
        return false;
    json_array_foreach(all, i, one)
    {
        if (count < EGRESS_MAX_ADDRESSES && net_parse_address(json_str(one), &addresses[count]))
            count++;
    }
    *ret_store = (struct wall_store){ user, count, addresses, (int)json_int_at(job->memory, "port") };
    return true;
}

static error
take_wall_down(struct scratch *job)
{
    struct wall_store store;
    return remembered_store(job, &store) ? wall_remove_store(job->pass->arena, &store) : OK;
}

/* Now and then again: somebody may have loaded other rules. */
static error
keep_wall(struct scratch *job)
{
    struct wall_store store;
    int64_t now = clock_steady_ms();
    if (now - job->pass->memory->store_wall_ms < WALL_AGAIN_MS || !remembered_store(job, &store))
        return OK;
    TRY(wall_put_store(job->pass->arena, &store));
    job->pass->memory->store_wall_ms = now;
    return OK;
}

/* The name is looked up here, once, by rules that no tenant can change; what uploads can reach these addresses only. */
static error
find_store(struct scratch *job, struct egress_target *ret_target)
{
    const struct goal_export *wish = wish_of(job);
    struct arena *arena = job->pass->arena;
    struct net_block *blocks = ARENA_ARRAY(arena, struct net_block, wish->networks.count + 1);
    struct egress_allowed allowed = { 0, blocks };
    str why;
    if (blocks == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < wish->networks.count; i++)
        allowed.count += net_parse_block(wish->networks.items[i], &blocks[allowed.count]);
    return egress_resolve(arena, &allowed, wish->service_url, ret_target, &why)
               ? OK
               : problem(arena, "The address of the bucket cannot be used: %.*s", STR_ARG(why));
}

static error
put_wall_up(struct scratch *job, uid_t user)
{
    struct egress_target target;
    TRY(find_store(job, &target));
    TRY(take_wall_down(job));
    json_t *addresses = json_array();
    for (size_t i = 0; i < target.count; i++)
        json_array_append_new(addresses, json_string(net_address_text(job->pass->arena, &target.addresses[i]).data));
    json_object_set_new(job->memory, "addresses", addresses);
    scratch_set_number(job, "port", target.url.port);
    TRY(scratch_remember(job));
    const struct wall_store store = { user, target.count, target.addresses, target.url.port };
    TRY(wall_put_store(job->pass->arena, &store));
    job->pass->memory->store_wall_ms = clock_steady_ms();
    return OK;
}

/* ---- What is dumped is uploaded ---- */
static str
upload_text(struct scratch *job)
{
    const struct goal_export *wish = wish_of(job);
    struct arena *arena = job->pass->arena;
    json_t *labels = json_array();
    for (size_t i = 0; i < wish->custom_data.count; i++)
        json_array_append_new(labels, json_pack("{s:s, s:s}", "key", wish->custom_data.items[i].key.data, "value",
                                                wish->custom_data.items[i].value.data));
    json_t *about = json_pack("{s:s, s:s, s:s, s:s, s:o}", "exportId", job->name.data, "snapshotId",
                              id_text(arena, wish->snapshot).data, "snapshotCreatedAt", wish->snapshot_at.data,
                              "clusterName", wish->cluster_name.data, "customData", labels);
    json_t *all =
        json_in(arena, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:b, s:o}", "serviceUrl", wish->service_url.data,
                                 "bucket", wish->bucket.data, "region", wish->region.data, "key", wish->key.data,
                                 "secretKey", wish->secret_key.data, "prefix", wish->prefix.data, "addresses",
                                 json_object_get(job->memory, "addresses"), "hasAuthority", wish->authority.len > 0,
                                 "about", about));
    return all == NULL ? STR_EMPTY : json_text(arena, all);
}

/* Only now: while the tenant's data was run, there were no keys here. */
static error
write_keys(struct scratch *job, uid_t user)
{
    static const char *const keys[] = { EXPORT_KEYS, NULL };
    const struct disk_owner reader = { 0, (gid_t)user };
    str authority = wish_of(job)->authority, text = upload_text(job);
    TRY(scratch_remove_folders(job, keys));
    if (!disk_below_make_folder(job->folder.data, EXPORT_KEYS, 0750, reader) || text.len == 0 ||
        !disk_below_replace(job->folder.data, EXPORT_UPLOAD_FILE, text, 0640, reader) ||
        (authority.len > 0 && !disk_below_replace(job->folder.data, EXPORT_AUTHORITY_FILE, authority, 0640, reader)))
        return problem(job->pass->arena, "%s/" EXPORT_KEYS " cannot be written: %s.", job->folder.data,
                       strerror(errno));
    return OK;
}

static error
start_upload(struct scratch *job)
{
    static const char *const restored[] = { DRILL_DATA, DRILL_WAL, "conf", "run", NULL };
    struct seat_pass *pass = job->pass;
    struct arena *arena = pass->arena;
    uid_t user;
    TRY(scratch_remove_folders(job, restored));
    if (!users_find(pass->host->users, job->id, &user))
        return scratch_go_to_stage(job, SCRATCH_FETCH);
    error why = put_wall_up(job, user);
    if (why != OK)
        return clock_now_ms() - json_int_at(job->memory, "stageMs") < PATIENCE_MS
                   ? why
                   : end_failed(job, EXPORT_UNREACHABLE_CODE, why);
    TRY(write_keys(job, user));
    scratch_set_number(job, "uploads", json_int_at(job->memory, "uploads") + 1);
    const struct unit_beside wish = {
        .description = str_format(arena, "export of %s: what is dumped is uploaded", pass->seat->stanza.data),
        .user = users_name(arena, user),
        .folder = job->folder,
        .command = str_format(arena, "%s upload --folder %s", pass->host->agent.data, job->folder.data),
        .memory_mb = UPLOAD_MEMORY_MB,
        .more = unit_drill_walls(arena, wish_of(job)->limit_seconds, false),
    };
    return scratch_start_unit(job, UPLOAD, &wish);
}

/* ---- How far it is ---- */
struct said {
    bool is_done;
    str problem, code;
};

static int64_t
count_of(const json_t *said, const char *name)
{
    const json_t *value = json_object_get(said, name);
    int64_t count = json_is_integer(value) ? json_integer_value(value) : -1;
    return count < 0 || count > MOST_TABLES ? -1 : count;
}

static str
sentence_of(const json_t *said, const char *name, size_t most)
{
    str text = json_str(json_object_get(said, name));
    text.len = text.len > most ? most : text.len;
    while (text.len > 0 && !str_is_text(text)) /* cut in the middle of a character */
        text.len--;
    return text;
}

/* The word of somebody else: of the dump even the tenant's. */
static struct said
look(struct scratch *job, enum stage stage)
{
    static const char *const files[] = { DRILL_FETCHED_FILE, EXPORT_DUMPED_FILE, EXPORT_UPLOADED_FILE };
    uid_t user = job->pass->owner.user;
    str text;
    json_t *said = NULL;
    if ((stage != STAGE_FETCH && !users_find(job->pass->host->users, job->id, &user)) ||
        !disk_below_read(job->pass->arena, job->folder.data, files[stage], SAID_BYTES, user, &text) ||
        json_parse_within(job->pass->arena, text, SAID_BYTES, &said) != OK)
        return (struct said){ .is_done = false };
    if (stage == STAGE_UPLOAD) {
        scratch_set_number(job, "done", count_of(said, "tablesDone"));
        scratch_set_number(job, "total", count_of(said, "tablesTotal"));
    }
    return (struct said){ .is_done = json_is_true(json_object_get(said, "isDone")),
                          .problem = sentence_of(said, "problem", SENTENCE_BYTES),
                          .code = sentence_of(said, "code", CODE_BYTES) };
}

/*
 * The unit ended, and nobody said what came of it: killed, or the host was. What is uploaded goes on where it was; what was restored may have been changed, and is
 * restored anew.
 */
static error
ended_without_a_word(struct scratch *job, bool is_upload)
{
    int64_t limit = wish_of(job)->limit_seconds, took = clock_now_ms() - json_int_at(job->memory, "stageMs");
    bool is_enough = is_upload ? json_int_at(job->memory, "uploads") >= MOST_UPLOADS
                               : json_int_at(job->memory, "attempts") >= MOST_ATTEMPTS;
    if (took >= limit * 1000)
        return end_failed(job, EXPORT_FAILED_CODE,
                          problem(job->pass->arena, "It did not end within %lld s.", (long long)limit));
    if (is_enough)
        return end_failed(job, EXPORT_FAILED_CODE,
                          problem(job->pass->arena, "It ended without a word too often: it may need more memory than "
                                                    "it has, or what was restored has ended it."));
    return scratch_go_to_stage(job, is_upload ? UPLOAD : SCRATCH_FETCH);
}

/* Clusters that are kept here need the disk more than an export does. */
static error
give_way(struct scratch *job, str unit)
{
    TRY(unit_keep_down(job->pass->host->units, job->pass->arena, unit.data));
    return end_failed(job, EXPORT_FAILED_CODE,
                      problem(job->pass->arena,
                              "It was given up: less than %d MB were left on the disk of the repository host.",
                              SCRATCH_SPARE_MB));
}

static error
start(struct scratch *job, enum stage stage)
{
    switch (stage) {
    case STAGE_FETCH: return scratch_start_fetch(job, order_text(job), wish_of(job)->limit_seconds);
    case STAGE_DUMP: return start_dump(job);
    case STAGE_UPLOAD: break;
    }
    return start_upload(job);
}

static error
go_on_with_stage(struct scratch *job, enum stage stage)
{
    struct seat_pass *pass = job->pass;
    bool is_upload = stage == STAGE_UPLOAD;
    str unit = scratch_unit(pass->arena, &export_kind, pass->seat->id, stages[stage]), state;
    if (!json_is_true(json_object_get(job->memory, "isOut")))
        return start(job, stage);
    TRY(units_state(pass->host->units, pass->arena, unit.data, &state));
    struct said said = look(job, stage);
    if (unit_is_up(state) || str_is(state, "deactivating")) {
        TRY(is_upload ? keep_wall(job) : OK);
        return scratch_free_mb(&export_kind) < SCRATCH_SPARE_MB ? give_way(job, unit) : OK;
    }
    if (!said.is_done)
        return ended_without_a_word(job, is_upload);
    if (said.problem.len > 0)
        return end_failed(job, said.code.len > 0 ? str_dup(pass->arena, said.code).data : EXPORT_FAILED_CODE,
                          problem(pass->arena, "%.*s", STR_ARG(said.problem)));
    return is_upload ? scratch_end_with(job, report_export_words[EXPORT_SUCCEEDED], OK)
                     : scratch_go_to_stage(job, stages[stage + 1]);
}

static error
end(struct scratch *job)
{
    TRY(scratch_clear(job));
    log_line(LOG_INFO, "export", "%s: %s %s", job->name.data, json_text_at(job->memory, "state").data,
             json_text_at(job->memory, "problem").data);
    return scratch_go_to_stage(job, SCRATCH_DONE);
}

static error
go_on(struct scratch *job)
{
    if (scratch_is_at(job, SCRATCH_DONE))
        return OK;
    if (scratch_is_at(job, SCRATCH_CLEAR))
        return end(job);
    int stage = str_word(json_text_at(job->memory, "stage"), stages);
    return go_on_with_stage(job, stage < 0 ? STAGE_FETCH : (enum stage)stage);
}

/* ---- The report ---- */
static int64_t
remembered_count(const struct scratch *job, const char *name)
{
    return json_is_integer(json_object_get(job->memory, name)) ? json_int_at(job->memory, name) : -1;
}

static void
report_job(const struct scratch *job, str sentence, struct report_export *report)
{
    struct arena *arena = job->pass->arena;
    bool is_known = job->memory != NULL, is_done = is_known && scratch_is_at(job, SCRATCH_DONE);
    int state = is_done ? str_word(json_text_at(job->memory, "state"), report_export_words) : -1;
    *report = (struct report_export){
        .id = job->id,
        .state = state >= 0 ? (enum report_export_state)state
                 : is_known ? EXPORT_RUNNING
                            : EXPORT_WAITING,
        .problem = is_done ? json_text_at(job->memory, "problem") : str_dup(arena, sentence),
        .code = is_done ? json_text_at(job->memory, "code") : STR_EMPTY,
        .started_at = is_known ? date_text(arena, json_int_at(job->memory, "startedMs")) : STR_EMPTY,
        .finished_at = is_done ? date_text(arena, json_int_at(job->memory, "finishedMs")) : STR_EMPTY,
        .tables_done = is_known ? remembered_count(job, "done") : -1,
        .tables_total = is_known ? remembered_count(job, "total") : -1
    };
}

error
seat_export_go_on(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report, bool *ret_is_busy)
{
    id wanted = pass->seat->export_job.id, known;
    json_t *memory;
    bool went;
    TRY(scratch_forget_other(&export_kind, pass, wanted, &went));
    *ret_is_busy |= went;
    if (went || !id_is_there(wanted))
        return OK;
    bool is_known = scratch_read(&export_kind, pass, &memory, &known);
    struct scratch job = scratch_of(&export_kind, pass, wanted, is_known ? memory : NULL);
    error why = is_known ? go_on(&job) : begin(&job, view);
    report_job(&job, why == OK ? STR_EMPTY : why->detail, &report->export_job);
    *ret_is_busy |= report->export_job.state == EXPORT_RUNNING;
    return OK;
}

error
seat_export_end(struct seat_pass *pass)
{
    static const id none;
    bool ignored;
    return scratch_forget_other(&export_kind, pass, none, &ignored);
}
