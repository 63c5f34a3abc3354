/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raises and closes alerts about what is measured (docs/internals/monitor.md#alerts). A store is asked once for each metric that any
 * configuration compares, about all members; how many configurations there are costs a comparison each.
 *
 * What was not measured is a third state: it neither raises nor closes. An alert is raised and closed in a transaction that holds the
 * project's cursor, as all of its alerts are, so it happens once, whoever is killed.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "job/alert/alert_change.h"
#include "job/alert/alert_metric.h"
#include "job/alert/alert_rule.h"
#include "job/kinds.h"
#include "monitor/instant.h"
#include "store/alert/alert_metric.h"

enum {
    EVERY_S = 15,
    LEASE_S = 30,     /* people are told within 90 s also when a worker dies in a look; two looks at once do no harm */
    PROJECT_MS = 200, /* for matchers, which tenants write */
    PAGE = 500,
    PAGE_BYTES = 256 * 1024 * 1024,
    ANSWERS_BYTES = 1024 * 1024 * 1024,
    PROJECTS_BYTES = PAGE * 32
};

/* What the stores said about a metric in this run; asked for when the first configuration needs it. */
struct answer {
    const struct alert_metric *metric;
    struct instant_list list;
    struct answer *next;
};

struct looking {
    struct sweep_context *context;
    struct arena *answers_arena;
    struct answer *answers;
    /* Of one project: what was spent on it in this look. Whoever needs more keeps only their own alerts waiting. */
    id project;
    int64_t project_us;
    /* Of one page: */
    struct arena *arena;
    struct metric_config *configs;
    struct metric_member *members;
    struct metric_alert *alerts;
    size_t config_count, member_count, alert_count;
};

/* What has to become of one member's alert of one configuration. */
struct turn {
    const struct metric_config *config;
    const struct metric_member *member; /* NULL: it is to be closed */
    struct alert_threshold threshold;
    double value;
    id alert; /* the open one */
};

struct turns {
    struct turn *items;
    size_t count, room;
};

/* ---- What is measured ---- */
static error
ask(struct looking *looking, const struct alert_metric *metric, const struct instant_list **ret_list)
{
    for (struct answer *one = looking->answers; one != NULL; one = one->next) {
        if (one->metric == metric) {
            *ret_list = &one->list;
            return OK;
        }
    }
    struct answer *answer = ARENA_NEW(looking->answers_arena, struct answer);
    if (answer == NULL)
        return fail(looking->context->arena, OVERLOADED);
    answer->metric = metric;
    error problem =
        instant_read(looking->context->environment->monitor, looking->answers_arena, metric->query, &answer->list);
    if (problem != OK)
        return failure_new(looking->context->arena, problem->code, problem->parameter_count, problem->parameters);
    answer->next = looking->answers;
    looking->answers = answer;
    *ret_list = &answer->list;
    return OK;
}

/* ---- Whom matchers compare ---- */
static struct alert_matched
matched(const struct metric_member *member)
{
    str rest = member->process, hostname = str_cut(&rest, ':');
    bool is_primary = str_is(member->type, "REPLICA_PRIMARY");
    return (struct alert_matched){ .fields = {
                                       [MATCH_CLUSTER] = member->cluster,
                                       [MATCH_HOSTNAME] = hostname,
                                       [MATCH_PROCESS] = member->process,
                                       [MATCH_PORT] = rest,
                                       [MATCH_SET] = member->set_name,
                                       [MATCH_TYPE] = is_primary ? STR("PRIMARY") : STR("SECONDARY"),
                                   } };
}

/* ---- What a page has, in order ---- */
/* Each list of a page is by two identifiers. How many of its rows come before the first that has both. */
static size_t
count_before(const void *rows, size_t count, size_t row_bytes, size_t first_at, size_t second_at, id first, id second)
{
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        const char *row = (const char *)rows + middle * row_bytes;
        int order = memcmp(((const id *)(const void *)(row + first_at))->bytes, first.bytes, ID_BYTES);
        if (order == 0)
            order = memcmp(((const id *)(const void *)(row + second_at))->bytes, second.bytes, ID_BYTES);
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static size_t
first_member(const struct looking *looking, id project, id member)
{
    return count_before(looking->members, looking->member_count, sizeof(*looking->members),
                        offsetof(struct metric_member, project), offsetof(struct metric_member, member), project,
                        member);
}

static bool
is_member(const struct looking *looking, id project, id member)
{
    size_t place = first_member(looking, project, member);
    return place < looking->member_count && id_eq(looking->members[place].member, member);
}

static size_t
first_alert(const struct looking *looking, id config, id member)
{
    return count_before(looking->alerts, looking->alert_count, sizeof(*looking->alerts),
                        offsetof(struct metric_alert, config), offsetof(struct metric_alert, member), config, member);
}

static id
open_alert_of(const struct looking *looking, id config, id member)
{
    size_t place = first_alert(looking, config, member);
    bool is_there = place < looking->alert_count && id_eq(looking->alerts[place].config, config) &&
                    id_eq(looking->alerts[place].member, member);
    return is_there ? looking->alerts[place].alert : ID_NONE;
}

/* ---- What has to be done ---- */
static error
add_turn(struct looking *looking, struct turns *turns, const struct turn *turn)
{
    if (turns->count == turns->room) {
        size_t room = turns->room == 0 ? 64 : turns->room * 2;
        struct turn *more = ARENA_ARRAY(looking->arena, struct turn, room);
        if (more == NULL)
            return fail(looking->context->arena, OVERLOADED);
        if (turns->count > 0)
            memcpy(more, turns->items, turns->count * sizeof(*more));
        turns->items = more;
        turns->room = room;
    }
    turns->items[turns->count++] = *turn;
    return OK;
}

static error
compare_member(struct looking *looking, const struct metric_config *config, const struct alert_threshold *threshold,
               const json_t *matchers, const struct metric_member *member, const struct instant_list *measured,
               struct turns *turns)
{
    struct turn turn = { .config = config,
                         .threshold = *threshold,
                         .alert = open_alert_of(looking, config->config, member->member) };
    bool is_open = id_is_there(turn.alert), is_measured = instant_find(measured, member->member, &turn.value);
    bool is_outside = is_measured && alert_threshold_is_passed(threshold, turn.value);
    if (!is_open && !is_outside)
        return OK;
    struct alert_matched about = matched(member);
    bool is_meant =
        alert_metric_is_meant(threshold->metric, member->analytics) && alert_matchers_hold(matchers, &about);
    if (is_meant && !is_measured)
        return OK;
    is_outside = is_outside && is_meant;
    if (is_outside == is_open)
        return OK;
    turn.member = is_outside ? member : NULL;
    return add_turn(looking, turns, &turn);
}

static error
compare_config(struct looking *looking, const struct metric_config *config, struct turns *turns)
{
    const struct instant_list *measured;
    struct alert_threshold threshold;
    if (!alert_threshold_read(json_parse_own(looking->arena, config->threshold), &threshold))
        return OK;
    const json_t *matchers = json_parse_own(looking->arena, config->matchers);
    TRY(ask(looking, threshold.metric, &measured));
    for (size_t i = first_member(looking, config->place.project, ID_NONE);
         i < looking->member_count && id_eq(looking->members[i].project, config->place.project); i++)
        TRY(compare_member(looking, config, &threshold, matchers, &looking->members[i], measured, turns));
    /* Of a member that is gone or stopped nothing will ever be measured. */
    for (size_t i = first_alert(looking, config->config, ID_NONE);
         i < looking->alert_count && id_eq(looking->alerts[i].config, config->config); i++) {
        if (!is_member(looking, config->place.project, looking->alerts[i].member))
            TRY(add_turn(looking, turns, &(struct turn){ .config = config, .alert = looking->alerts[i].alert }));
    }
    return OK;
}

/* Nothing when its project has had its time. */
static error
compare_in_time(struct looking *looking, const struct metric_config *config, struct turns *turns)
{
    if (!id_eq(looking->project, config->place.project)) {
        looking->project = config->place.project;
        looking->project_us = 0;
    }
    if (looking->project_us > PROJECT_MS * 1000)
        return OK;
    int64_t began_us = clock_steady_us();
    error problem = compare_config(looking, config, turns);
    looking->project_us += clock_steady_us() - began_us;
    return problem;
}

/* ---- What follows ---- */
static const json_t *
current_config(struct arena *arena, const struct alert_config_row *rows, size_t count, const struct metric_config *seen)
{
    for (size_t i = 0; i < count; i++) {
        if (!id_eq(rows[i].id, seen->config))
            continue;
        const json_t *document = json_parse_own(arena, rows[i].document);
        const json_t *before = json_parse_own(arena, seen->threshold);
        return before != NULL && json_equal(json_object_get(document, "metricThreshold"), before) ? document : NULL;
    }
    return NULL;
}

static error
open_one(struct looking *looking, struct alert_change *change, const struct turn *turn, const json_t *config)
{
    const json_t *severity = json_object_get(config, "severityOverride");
    str document;
    struct metric_alert_draft draft = {
        .place = change->place,
        .alert = id_new(store_cell(looking->context->store)),
        .config = turn->config->config,
        .member = turn->member->member,
        .severity = severity != NULL ? json_str(severity) : str_from(alert_severity_names[SEVERITY_WARNING]),
        .cluster = turn->member->cluster,
        .process = turn->member->process,
        .metric = str_from(turn->threshold.metric->name),
        .units = turn->threshold.units,
        .value = turn->value / turn->threshold.factor,
        .is_tracked = alert_config_waits(config),
    };
    TRY(store_metric_alert_add(change->tx, &draft, &document));
    return document.len == 0 ? OK : alert_change_opened(change, config, draft.alert, document, draft.cluster);
}

/* Those of one project. When somebody else holds its cursor, the next run finds the same. */
static error
take_turns(struct looking *looking, const struct turn *turns, size_t count)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PAGE_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    const struct alert_config_row *rows;
    struct alert_change change;
    struct alert_place place = turns[0].config->place;
    size_t row_count;
    int64_t ignored;
    bool held;
    if (arena == NULL)
        return fail(looking->context->arena, OVERLOADED);
    TRY(tx_begin(looking->context->store, arena, place.organization, &tx));
    TRY(store_alert_cursor_lock(tx, place, &held, &ignored));
    if (!held)
        return OK;
    TRY(store_alert_configs(tx, arena, place.project, &rows, &row_count));
    alert_change_begin(&change, tx, arena, place);
    failpoint("alert:measured:before-effect");
    for (size_t i = 0; i < count; i++) {
        const json_t *config = current_config(arena, rows, row_count, turns[i].config);
        if (config == NULL)
            continue; /* it was changed meanwhile */
        TRY(turns[i].member != NULL ? open_one(looking, &change, &turns[i], config)
                                    : alert_change_close(&change, config, turns[i].alert));
    }
    TRY(alert_change_end(&change));
    failpoint("alert:measured:after-effect");
    TRY(tx_commit(tx));
    failpoint("alert:measured:after-commit");
    return OK;
}

static error
take_all_turns(struct looking *looking, const struct turns *turns)
{
    for (size_t from = 0, to; from < turns->count; from = to) {
        id project = turns->items[from].config->place.project;
        for (to = from + 1; to < turns->count && id_eq(turns->items[to].config->place.project, project); to++)
            ;
        error problem = take_turns(looking, turns->items + from, to - from);
        if (problem != OK)
            return failure_new(looking->context->arena, problem->code, problem->parameter_count, problem->parameters);
    }
    return OK;
}

/* ---- Page by page ---- */
static str
projects_of(struct looking *looking)
{
    struct buf out = buf_in(looking->arena, PROJECTS_BYTES);
    for (size_t i = 0; i < looking->config_count; i++) {
        id project = looking->configs[i].place.project;
        if (i > 0 && id_eq(project, looking->configs[i - 1].place.project))
            continue;
        char digits[ID_DIGITS + 1];
        id_write(project, digits);
        buf_format(&out, "%s%s", out.len > 0 ? "," : "", digits);
    }
    return buf_str(&out);
}

static error
look_at_page(struct looking *looking)
{
    struct store *store = looking->context->store;
    struct turns turns = { 0 };
    str projects = projects_of(looking);
    TRY(store_metric_members(store, looking->arena, projects, &looking->members, &looking->member_count));
    TRY(store_metric_alerts(store, looking->arena, projects, &looking->alerts, &looking->alert_count));
    for (size_t i = 0; i < looking->config_count; i++)
        TRY(compare_in_time(looking, &looking->configs[i], &turns));
    return take_all_turns(looking, &turns);
}

static error
look_at_all(struct sweep_context *context)
{
    struct arena *answers CLEANUP(arena_cleanup) = arena_new(ANSWERS_BYTES);
    struct looking looking = { .context = context, .answers_arena = answers };
    id project = ID_NONE, config = ID_NONE;
    bool is_measured = monitor_stores_count(context->environment->monitor) > 0;
    if (answers == NULL)
        return fail(context->arena, OVERLOADED);
    do {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(PAGE_BYTES);
        if (arena == NULL)
            return fail(context->arena, OVERLOADED);
        looking.arena = arena;
        error problem =
            store_metric_configs(context->store, arena, project, config, PAGE, &looking.configs, &looking.config_count);
        if (problem == OK && looking.config_count > 0 && is_measured) {
            problem = look_at_page(&looking);
            project = looking.configs[looking.config_count - 1].place.project;
            config = looking.configs[looking.config_count - 1].config;
        }
        if (problem != OK)
            return failure_new(context->arena, problem->code, problem->parameter_count, problem->parameters);
    } while (looking.config_count == PAGE && is_measured);
    return OK;
}

/*
 * Without a store nothing is looked at, but that there is no database is told. A look at very many configurations takes long: then it rests for nine times as long, so that
 * this never takes more than a tenth of a core.
 */
static error
look(struct sweep_context *context)
{
    static _Atomic int64_t rests_until_ms;
    int64_t began_ms = clock_steady_ms();
    if (began_ms < rests_until_ms)
        return OK;
    error problem = look_at_all(context);
    int64_t spent_ms = clock_steady_ms() - began_ms;
    if (spent_ms * 10 > EVERY_S * 1000)
        rests_until_ms = began_ms + spent_ms * 10;
    return problem;
}

const struct sweep metric_alerts_sweep = {
    .name = "metric-alerts",
    .doc = "Raises and closes alerts about what is measured.",
    .every_s = EVERY_S,
    .lease_s = LEASE_S,
    .run = look,
};
