/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_jobs.h"

#include <errno.h>
#include <unistd.h>

#include "agent/own/own_expiry.h"
#include "agent/seat/seat_files.h"
#include "agent/seat/turns.h"
#include "agent/unit_keep.h"
#include "backup/schedule.h"
#include "backup/snapshot_id.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/receive_config.h"

#define JOBS_FILE      "jobs.json"
#define PROTECTED_FILE "protected.json"

enum {
    ITEMS_BYTES = 4 * 1024 * 1024,
    LOOK_AGAIN_MS = 10 * 60 * 1000,
    UNREAD_AGAIN_MS = 30 * 1000, /* when the repository did not answer */
    MOST_ATTEMPTS = 5,
    MOST_FAILED = 32,
    AGAIN_MS = 10 * 1000,
    AGAIN_MOST_MS = 15 * 60 * 1000,
    FIRST_FULL_DAYS = 8,
    FAILED_FOR_MS = 24 * 3600 * 1000,
    DAY_MS = 24 * 3600 * 1000,
    LEAST_AT_A_TIME = 2, /* backups, also on a host with one processor */
};

/*
 * jobs.json: {"number": of the last order, "isOut": whether it is under way, "scheduledUntilMs", "job": null or
 *   {"snapshot", "type", "frequency", "items", "createdMs", "expiresMs", "onDemand", "attempts", "retryAtMs", "problem"}, "failed": [job …], "silences", "pauseUntilMs"}
 * protected.json: {"<snapshot id>": until in ms}
 */
struct seat_jobs {
    json_t *memory, *protection;
};

/* ---- Memory ---- */
/* Later, never earlier, whatever the goal says. */
static error
keep_protection(struct seat_pass *pass, struct seat_jobs *jobs)
{
    bool changed = false;
    for (size_t i = 0; i < pass->seat->protect.count; i++) {
        const struct goal_seat_protection *wish = &pass->seat->protect.items[i];
        str name = id_text(pass->arena, wish->snapshot);
        int64_t until;
        if (!date_parse(wish->until, &until) || json_int_at(jobs->protection, name.data) >= until)
            continue;
        json_object_set_new(jobs->protection, name.data, json_integer(until));
        changed = true;
    }
    return changed ? seat_own_write(pass, PROTECTED_FILE, jobs->protection) : OK;
}

error
seat_jobs_read(struct seat_pass *pass, struct seat_jobs **ret_jobs)
{
    struct seat_jobs *jobs = ARENA_ARRAY(pass->arena, struct seat_jobs, 1);
    if (jobs == NULL)
        return fail(pass->arena, OVERLOADED);
    jobs->memory = seat_own_read(pass, JOBS_FILE,
                                 json_pack("{s:i, s:b, s:I, s:n, s:[]}", "number", 0, "isOut", 0, "scheduledUntilMs",
                                           (json_int_t)clock_now_ms(), "job", "failed"));
    jobs->protection = seat_own_read(pass, PROTECTED_FILE, json_object());
    if (jobs->memory == NULL || jobs->protection == NULL)
        return problem(pass->arena, "%s/" JOBS_FILE " or " PROTECTED_FILE " cannot be understood.", pass->folder.data);
    TRY(keep_protection(pass, jobs));
    *ret_jobs = jobs;
    return OK;
}

/* ---- Clocks that may be wrong ---- */
/* Whether something waits until then. Nothing waits longer than this: the clock was set back. */
static bool
is_ahead(int64_t ms)
{
    int64_t now = clock_now_ms();
    return ms > now && ms - now <= AGAIN_MOST_MS;
}

/* By this host's clock or the primary's, whichever is earlier: nothing ends too early because one of them is wrong. */
static int64_t
earliest_now_ms(const struct seat_view *view)
{
    int64_t skew = seat_view_skew_ms(view);
    return clock_now_ms() + (skew < 0 ? skew : 0);
}

static int64_t
latest_now_ms(const struct seat_view *view)
{
    int64_t skew = seat_view_skew_ms(view);
    return clock_now_ms() + (skew > 0 ? skew : 0);
}

static bool
is_protected(const struct seat_jobs *jobs, const struct seat_view *view, str snapshot)
{
    return json_int_at(jobs->protection, snapshot.data) > earliest_now_ms(view);
}

error
seat_jobs_check_unprotected(struct seat_pass *pass, struct seat_jobs *jobs)
{
    const char *name;
    json_t *until;
    json_object_foreach(jobs->protection, name, until)
    {
        if (json_integer_value(until) > clock_now_ms())
            return problem(pass->arena, "Snapshot %s is protected until %s: the seat stays.", name,
                           date_text(pass->arena, json_integer_value(until)).data);
    }
    return OK;
}

/* ---- What is due ---- */
struct plan {
    struct schedule schedule;
    id items[SCHEDULE_MOST_ITEMS]; /* of the goal, in the same order */
    schedule_items left_out;       /* what is due by these alone is not taken here */
};

/* What a newer control plane means and this agent does not know is left out. */
static struct plan
plan_of(const struct goal_seat *seat)
{
    const struct goal_seat_schedule *wish = &seat->schedule;
    const struct goal_seat_extra *extra = &wish->extra_days;
    struct plan plan = { .schedule = { .reference_hour = (int)wish->reference_hour,
                                       .reference_minute = (int)wish->reference_minute,
                                       .extra_days = { [SCHEDULE_HOURLY] = (int)extra->hourly,
                                                       [SCHEDULE_DAILY] = (int)extra->daily,
                                                       [SCHEDULE_WEEKLY] = (int)extra->weekly,
                                                       [SCHEDULE_MONTHLY] = (int)extra->monthly,
                                                       [SCHEDULE_YEARLY] = (int)extra->yearly } } };
    for (size_t i = 0; i < wish->items.count && plan.schedule.count < SCHEDULE_MOST_ITEMS; i++) {
        const struct goal_seat_item *item = &wish->items.items[i];
        int frequency = str_word(item->frequency, schedule_frequency_words);
        int unit = str_word(item->retention_unit, schedule_unit_words);
        if (frequency < 0 || unit < 0 ||
            !schedule_interval_is_allowed((enum schedule_frequency)frequency, (int)item->interval))
            continue;
        plan.items[plan.schedule.count] = item->id;
        plan.left_out |= item->is_left_out ? (schedule_items)1 << plan.schedule.count : 0;
        plan.schedule.items[plan.schedule.count++] =
            (struct schedule_item){ (enum schedule_frequency)frequency, (int)item->interval, (enum schedule_unit)unit,
                                    (int)item->retention_value };
    }
    return plan;
}

static str
item_ids(struct arena *arena, const struct plan *plan, schedule_items due)
{
    struct buf out = buf_in(arena, ITEMS_BYTES);
    for (size_t i = 0; i < plan->schedule.count; i++) {
        if ((due >> i & 1) != 0)
            buf_format(&out, "%s%s", out.len == 0 ? "" : ",", id_text(arena, plan->items[i]).data);
    }
    return buf_str(&out);
}

static json_t *
job_new(struct seat_pass *pass, id snapshot, const char *type, const char *frequency, str items, int64_t expires_ms,
        bool on_demand)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:i, s:I, s:s}", "snapshot",
                     id_text(pass->arena, snapshot).data, "type", type, "frequency", frequency, "items",
                     items.len == 0 ? "" : items.data, //
                     "createdMs", (json_int_t)clock_now_ms(), "expiresMs", (json_int_t)expires_ms, "onDemand",
                     (int)on_demand, "attempts", 0, "retryAtMs", (json_int_t)0, "problem", "");
}

static bool
is_in(const json_t *list, str snapshot)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (str_eq(json_text_at(one, "snapshot"), snapshot))
            return true;
    }
    return false;
}

static bool
is_kept(const struct seat_view *view, str snapshot)
{
    const json_t *one;
    size_t i;
    json_array_foreach(seat_view_backups(view), i, one)
    {
        if (str_eq(seat_annotation(one, "snapshot"), snapshot))
            return true;
    }
    return false;
}

/* Without one in the WAL that goes on now, nothing of now can be restored. It is kept as long as others build on it. */
static json_t *
first_full(struct seat_pass *pass, const struct seat_jobs *jobs, const struct seat_view *view)
{
    int64_t days = pass->seat->schedule.window_days + 1;
    const json_t *failed = json_object_get(jobs->memory, "failed");
    const json_t *last = json_array_size(failed) == 0 ? NULL : json_array_get(failed, json_array_size(failed) - 1);
    if (seat_view_newest_full_ms(view) >= 0 || !seat_view_receives(view) || is_ahead(json_int_at(last, "retryAtMs")))
        return NULL;
    days = days < FIRST_FULL_DAYS ? FIRST_FULL_DAYS : days;
    return job_new(pass, id_new(0), "full", "", STR_EMPTY, latest_now_ms(view) + days * DAY_MS, false);
}

static json_t *
on_demand(struct seat_pass *pass, const struct seat_jobs *jobs, const struct seat_view *view)
{
    for (size_t i = 0; i < pass->seat->wanted.count; i++) {
        const struct goal_seat_wish *wish = &pass->seat->wanted.items[i];
        str snapshot = id_text(pass->arena, wish->snapshot);
        int64_t expires = -1;
        if (is_kept(view, snapshot) || is_in(json_object_get(jobs->memory, "failed"), snapshot))
            continue;
        if (wish->expires_at.len > 0 && !date_parse(wish->expires_at, &expires))
            expires = -1;
        return job_new(pass, wish->snapshot, str_is(wish->type, "FULL") ? "full" : "diff", "", STR_EMPTY, expires,
                       true);
    }
    return NULL;
}

static json_t *
scheduled(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view)
{
    struct plan plan = plan_of(pass->seat);
    const struct schedule *schedule = &plan.schedule;
    int64_t now = clock_now_ms(), until = json_int_at(jobs->memory, "scheduledUntilMs");
    if (until > now) /* the clock was set back: nothing would be due until it is there again */
        json_object_set_new(jobs->memory, "scheduledUntilMs", json_integer(until = now));
    schedule_items due = schedule_missed(schedule, until, now);
    if (due == 0)
        return NULL;
    str items = item_ids(pass->arena, &plan, due);
    id snapshot = snapshot_id_scheduled(pass->arena, pass->seat->cipher_pass, pass->seat->stanza,
                                        schedule_last(schedule, until, now), items);
    json_object_set_new(jobs->memory, "scheduledUntilMs", json_integer(now));
    if ((due & ~plan.left_out) == 0)
        return NULL; /* another seat takes it */
    if (is_kept(view, id_text(pass->arena, snapshot)))
        return NULL; /* the clock was set back */
    enum schedule_type type = schedule_type_of(schedule, due, seat_view_newest_full_ms(view), now);
    return job_new(pass, snapshot, type == SCHEDULE_FULL ? "full" : "diff",
                   schedule_frequency_words[schedule_frequency_of(schedule, due)], items,
                   schedule_expires(schedule, due, latest_now_ms(view)), false);
}

static bool
has_job(const struct seat_jobs *jobs)
{
    return json_is_object(json_object_get(jobs->memory, "job"));
}

static void
find_job(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view)
{
    if (has_job(jobs) || pass->seat->desired != SEAT_RUNNING || view->kept == NULL)
        return;
    json_t *job = first_full(pass, jobs, view);
    job = job != NULL ? job : on_demand(pass, jobs, view);
    job = job != NULL ? job : scheduled(pass, jobs, view);
    if (job != NULL)
        json_object_set_new(jobs->memory, "job", job);
}

/* ---- What goes ---- */
static bool
builds_on(const json_t *backup, str label)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(backup, "reference"), i, one)
    {
        if (str_eq(json_str(one), label))
            return true;
    }
    return false;
}

/* Whether the goal says that it is to go, by its label and its snapshot. */
static bool
is_to_go(const struct goal_seat *seat, const json_t *backup)
{
    for (size_t i = 0; i < seat->remove.count; i++) {
        id snapshot;
        if (str_eq(seat->remove.items[i].label, json_text_at(backup, "label")) &&
            id_parse(seat_annotation(backup, "snapshot"), &snapshot) && id_eq(snapshot, seat->remove.items[i].snapshot))
            return true;
    }
    return false;
}

static bool
stays(struct seat_pass *pass, const struct seat_jobs *jobs, const struct seat_view *view, const json_t *backup)
{
    bool goes = seat_is_own(pass->seat) ? own_backup_is_over(view, backup, earliest_now_ms(view))
                                        : is_to_go(pass->seat, backup);
    return !goes || is_protected(jobs, view, seat_annotation(backup, "snapshot"));
}

/* Only what is named by both label and snapshot, is not protected, and nothing builds on that stays. The newest first: leaves. */
static json_t *
removals(struct seat_pass *pass, const struct seat_jobs *jobs, const struct seat_view *view)
{
    const json_t *all = seat_view_backups(view), *other;
    json_t *labels = json_array();
    for (size_t i = json_array_size(all); i > 0; i--) {
        const json_t *backup = json_array_get(all, i - 1);
        bool is_needed = stays(pass, jobs, view, backup);
        size_t k;
        json_array_foreach(all, k, other)
        {
            is_needed |= builds_on(other, json_text_at(backup, "label")) && stays(pass, jobs, view, other);
        }
        if (!is_needed)
            json_array_append(labels, json_object_get(backup, "label"));
    }
    return labels;
}

/* ---- Orders ---- */
static json_t *
backup_wish(struct seat_pass *pass, const struct seat_view *view, const json_t *job)
{
    json_t *annotations = json_pack("{s:s, s:s}", "snapshot", json_text_at(job, "snapshot").data, "created",
                                    str_from_int(pass->arena, json_int_at(job, "createdMs")).data);
    str server = json_text_at(view->wal, "serverVersion");
    server = str_cut(&server, ' ');
    const struct {
        const char *name;
        str value;
    } more[] = {
        { "frequency", json_text_at(job, "frequency") },
        { "items", json_text_at(job, "items") },
        { "expires",
          json_int_at(job, "expiresMs") < 0 ? STR_EMPTY : str_from_int(pass->arena, json_int_at(job, "expiresMs")) },
        { "server", server },
        { "skew", str_from_int(pass->arena, json_int_at(view->wal, "skewMs")) },
    };
    for (size_t i = 0; i < LENGTH(more); i++) {
        if (more[i].value.len > 0)
            json_object_set_new(annotations, more[i].name, json_stringn(more[i].value.data, more[i].value.len));
    }
    return json_pack("{s:s, s:s, s:o}", "snapshot", json_text_at(job, "snapshot").data, "type",
                     json_text_at(job, "type").data, "annotations", annotations);
}

/* The memory first: who is killed after it finds an order that came to nothing. */
static error
give_order(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view, json_t *backup, json_t *remove,
           bool is_last)
{
    int64_t days = seat_view_clocks_differ(view) ? 0 : pass->seat->schedule.window_days;
    int64_t next = json_int_at(jobs->memory, "number") + 1;
    bool leaves_wal = days > 0 && pass->seat->schedule.is_wal_left_out;
    json_t *order =
        json_in(pass->arena, json_pack("{s:I, s:o, s:o, s:I, s:b, s:b, s:b}", "number", (json_int_t)next, "backup",
                                       backup != NULL ? backup : json_null(), "remove", remove, "windowDays",
                                       (json_int_t)days, "isWalLeftOut", (int)leaves_wal, "isLast", (int)is_last,
                                       "isInStore", (int)(pass->seat->store.endpoint.len > 0)));
    str order_text = order == NULL ? STR_EMPTY : json_text(pass->arena, order), state;
    if (order_text.len == 0)
        return fail(pass->arena, OVERLOADED);
    json_object_set_new(jobs->memory, "number", json_integer(next));
    json_object_set_new(jobs->memory, "isOut", json_true());
    failpoint("agent:seat:order:before");
    TRY(seat_own_write(pass, JOBS_FILE, jobs->memory));
    if (!disk_below_replace(pass->folder.data, SEAT_ORDER_FILE, order_text, 0640, pass->files))
        return problem(pass->arena, "%s/" SEAT_ORDER_FILE " cannot be written: %s.", pass->folder.data,
                       strerror(errno));
    failpoint("agent:seat:order:after");
    return unit_keep_up(pass->host->units, pass->arena, pass->backup_unit.data, &state);
}

/* ---- What an order came to ---- */
static void
note_failure(struct seat_jobs *jobs, json_t *job, str why)
{
    int attempts = (int)json_int_at(job, "attempts") + 1;
    json_t *failed = json_object_get(jobs->memory, "failed");
    json_object_set_new(job, "attempts", json_integer(attempts));
    json_object_set_new(job, "problem", json_stringn(why.data, why.len));
    json_object_set_new(
        job, "retryAtMs",
        json_integer(clock_now_ms() + backoff_ms((struct backoff){ AGAIN_MS, AGAIN_MOST_MS }, attempts - 1)));
    if (attempts < MOST_ATTEMPTS)
        return;
    json_array_append(failed, job);
    if (json_array_size(failed) > MOST_FAILED)
        json_array_remove(failed, 0);
    json_object_set_new(jobs->memory, "job", json_null());
}

static error
take_outcome(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view)
{
    json_t *job = json_object_get(jobs->memory, "job");
    bool was_said = view->kept != NULL && json_int_at(view->kept, "number") == json_int_at(jobs->memory, "number");
    str why = was_said ? json_text_at(view->kept, "backupProblem") : STR("It ended before it was done.");
    if (has_job(jobs) && is_kept(view, json_text_at(job, "snapshot")))
        json_object_set_new(jobs->memory, "job", json_null());
    else if (has_job(jobs) && why.len > 0)
        note_failure(jobs, job, why);
    /* One that ends without a word will do so again; it is not asked all the time. */
    int64_t silences = was_said ? 0 : json_int_at(jobs->memory, "silences") + 1;
    json_object_set_new(jobs->memory, "silences", json_integer(silences));
    json_object_set_new(jobs->memory, "pauseUntilMs",
                        json_integer(silences == 0
                                         ? 0
                                         : clock_now_ms() + backoff_ms((struct backoff){ AGAIN_MS / 10, AGAIN_MOST_MS },
                                                                       silences - 1)));
    json_object_set_new(jobs->memory, "isOut", json_false());
    return seat_own_write(pass, JOBS_FILE, jobs->memory);
}

static error
check_pause(struct seat_pass *pass, const struct seat_jobs *jobs)
{
    if (!is_ahead(json_int_at(jobs->memory, "pauseUntilMs")))
        return OK;
    return problem(pass->arena, "%s ended without a word %lld times: its journal says why.", pass->backup_unit.data,
                   (long long)json_int_at(jobs->memory, "silences"));
}

/* What failed is told until nobody wants it any more, or for a day when nobody in particular did. */
static void
forget_failed(struct seat_pass *pass, struct seat_jobs *jobs)
{
    json_t *failed = json_object_get(jobs->memory, "failed");
    for (size_t i = json_array_size(failed); i > 0; i--) {
        const json_t *job = json_array_get(failed, i - 1);
        bool is_wanted = !json_is_true(json_object_get(job, "onDemand")) &&
                         clock_now_ms() - json_int_at(job, "createdMs") < FAILED_FOR_MS;
        for (size_t k = 0; k < pass->seat->wanted.count; k++)
            is_wanted |=
                str_eq(id_text(pass->arena, pass->seat->wanted.items[k].snapshot), json_text_at(job, "snapshot"));
        if (!is_wanted)
            json_array_remove(failed, i - 1);
    }
}

/* ---- Turns ---- */
/* Rules of many clusters are due in the same minute. All of their backups at once would each take as many times as long, and hold up what is received. */
static struct turns backups = TURNS_NONE;

static bool
take_turn(id seat)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return turn_take(&backups, processors > LEAST_AT_A_TIME ? (size_t)processors : LEAST_AT_A_TIME, seat);
}

void
seat_jobs_end(const struct seat_pass *pass)
{
    turn_give_back(&backups, pass->seat->id);
}

error
seat_jobs_go_on(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view, bool *ret_is_busy)
{
    str state;
    TRY(units_state(pass->host->units, pass->arena, pass->backup_unit.data, &state));
    *ret_is_busy = unit_is_up(state) || str_is(state, "deactivating");
    if (*ret_is_busy) {
        (void)(has_job(jobs) && take_turn(pass->seat->id)); /* it may have been begun by an earlier life of the agent */
        return OK;
    }
    seat_jobs_end(pass);
    if (json_is_true(json_object_get(jobs->memory, "isOut")))
        TRY(take_outcome(pass, jobs, view));
    TRY(check_pause(pass, jobs));
    forget_failed(pass, jobs);
    find_job(pass, jobs, view);
    const json_t *job = json_object_get(jobs->memory, "job");
    bool backs_up = has_job(jobs) && !is_ahead(json_int_at(job, "retryAtMs")) && pass->seat->desired == SEAT_RUNNING &&
                    pass->has_room && take_turn(pass->seat->id);
    json_t *remove = removals(pass, jobs, view);
    int64_t age_ms = clock_now_ms() - json_int_at(view->kept, "atMs"); /* negative: the clock was set back */
    int64_t again_ms = json_is_true(json_object_get(view->kept, "isUnread")) ? UNREAD_AGAIN_MS : LOOK_AGAIN_MS;
    bool looks = view->kept == NULL || view->is_stale || age_ms > again_ms || age_ms < -again_ms;
    if (!backs_up && !looks && json_array_size(remove) == 0) {
        json_decref(remove);
        return OK;
    }
    *ret_is_busy = true;
    return give_order(pass, jobs, view, backs_up ? backup_wish(pass, view, job) : NULL, remove, false);
}

error
seat_jobs_empty(struct seat_pass *pass, struct seat_jobs *jobs, const struct seat_view *view, bool *ret_is_empty)
{
    const json_t *kept = view->kept;
    str state, why = json_text_at(kept, "removeProblem");
    *ret_is_empty = false;
    TRY(units_state(pass->host->units, pass->arena, pass->backup_unit.data, &state));
    if (unit_is_up(state) || str_is(state, "deactivating"))
        return OK;
    if (json_is_true(json_object_get(jobs->memory, "isOut")))
        TRY(take_outcome(pass, jobs, view));
    TRY(check_pause(pass, jobs));
    /* Without backups there may still be WAL, so only the word of the order that removes everything counts. */
    bool was_last = json_is_true(json_object_get(kept, "isLast")) &&
                    json_int_at(kept, "number") == json_int_at(jobs->memory, "number");
    *ret_is_empty = was_last && why.len == 0;
    if (*ret_is_empty)
        return OK;
    int64_t age_ms = clock_now_ms() - json_int_at(kept, "atMs");
    if (was_last && age_ms >= 0 && age_ms < UNREAD_AGAIN_MS)
        return problem(pass->arena, "%.*s", STR_ARG(why));
    return give_order(pass, jobs, view, NULL, json_array(), true);
}

/* ---- The report ---- */
size_t
seat_jobs_count(const struct seat_jobs *jobs)
{
    return json_array_size(json_object_get(jobs->memory, "failed")) + 1;
}

static void
report_job(struct seat_pass *pass, const json_t *job, enum report_copy_state state, struct report_copy *copies,
           size_t *count)
{
    struct report_copy *copy = &copies[*count];
    str items = str_dup(pass->arena, json_text_at(job, "items"));
    *copy = (struct report_copy){ .type = str_is(json_text_at(job, "type"), "full") ? STR("FULL") : STR("INCR"),
                                  .label = STR_EMPTY,
                                  .state = state,
                                  .frequency = json_text_at(job, "frequency"),
                                  .created_at = date_text(pass->arena, json_int_at(job, "createdMs")),
                                  .finished_at = STR_EMPTY,
                                  .expires_at = json_int_at(job, "expiresMs") < 0
                                                    ? STR_EMPTY
                                                    : date_text(pass->arena, json_int_at(job, "expiresMs")),
                                  .timeline = -1,
                                  .start_lsn = STR_EMPTY,
                                  .stop_lsn = STR_EMPTY,
                                  .size_bytes = -1,
                                  .delta_bytes = -1,
                                  .server_version = STR_EMPTY,
                                  .problem = json_text_at(job, "problem") };
    copy->policy_items.items = ARENA_ARRAY(pass->arena, str, items.len + 1);
    while (copy->policy_items.items != NULL && items.len > 0)
        copy->policy_items.items[copy->policy_items.count++] = str_cut(&items, ',');
    if (id_parse(json_text_at(job, "snapshot"), &copy->snapshot))
        (*count)++;
}

void
seat_jobs_report(struct seat_pass *pass, const struct seat_jobs *jobs, struct report_copy *copies, size_t *count)
{
    const json_t *job = json_object_get(jobs->memory, "job"), *one;
    size_t i;
    if (json_is_object(job))
        report_job(pass, job, COPY_IN_PROGRESS, copies, count);
    json_array_foreach(json_object_get(jobs->memory, "failed"), i, one)
        report_job(pass, one, COPY_FAILED, copies, count);
}
