/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve top`: the servers of a cluster. Asks for the cluster and its servers, then once for each server's measurements. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/member_hosts.h"
#include "cli/profile.h"
#include "cli/top/top.h"

enum {
    MOST_MEMBERS = 64,
    POINTS = 30,           /* five minutes of them */
    REST_MS = 10000,       /* servers are looked at every ten seconds */
    CALLS_A_MINUTE = 50,   /* a project has 100: others want some of them */
    DISK_EVERY_MS = 60000, /* disks fill slowly */
    FRESH_POINTS = 6,      /* a value that is older than a minute is none */
    SILENT_MS = 60000,
};

/* What is asked of each server, in one question; ten is the most that it takes. */
// clang-format off
#define METRICS(M) \
    M(CPU_USER, "PROCESS_NORMALIZED_CPU_USER") M(CPU_KERNEL, "PROCESS_NORMALIZED_CPU_KERNEL") \
    M(CONNECTIONS, "CONNECTIONS") M(CONNECTIONS_MAX, "CONNECTIONS_MAX") \
    M(COMMITTED, "TRANSACTIONS_COMMITTED") M(ROLLED_BACK, "TRANSACTIONS_ROLLED_BACK") \
    M(LAG, "REPLICATION_LAG") M(LONGEST, "LONGEST_QUERY") M(LOCKS, "LOCKS_WAITING") M(DISK_WAITS, "SESSIONS_WAITING_IO")
// clang-format on
#define METRIC_ENUM(number, name) number,
enum { METRICS(METRIC_ENUM) METRIC_COUNT };
#define METRIC_NAME(number, name) name,
static const char *const metric_names[] = { METRICS(METRIC_NAME) };
#define METRIC_QUERY(number, name) "&m=" name
#define MEASUREMENTS               "/measurements?granularity=PT10S&period=PT5M" METRICS(METRIC_QUERY)
#define DISK                       "/disks/data/measurements?granularity=PT10S&period=PT1M&m=DISK_PARTITION_SPACE_PERCENT_USED"

struct member {
    str id, name, role, version;
    int64_t ping_ms; /* 0: never */
    double values[METRIC_COUNT], curves[METRIC_COUNT][POINTS];
    size_t points;
    double disk;
    bool is_measured;
    struct verdict verdict;
};

struct state {
    str name, state;
    bool is_paused;
    struct member members[MOST_MEMBERS];
    size_t count;
    str note;       /* why there are no measurements */
    int64_t now_ms; /* of the server: our own clock may be wrong */
};

struct view {
    const char *cluster;
    struct state now, next;
    str hosts; /* ",a,b,": those of the connection string, while servers are looked for */
    int pages; /* of servers that were seen */
    bool has_more;
    struct {
        char id[256];
        double percent;
        int64_t asked_ms;
    } disks[MOST_MEMBERS];
    size_t asks_of[MOST_MEMBERS][2]; /* which question of the round is whose: 0 measurements, 1 disk; + 1 */
};

/* ---- Figures ---- */
static double
cpu_of(const struct member *member)
{
    return member->values[CPU_USER] + member->values[CPU_KERNEL];
}

static double
rate_of(const struct member *member)
{
    return member->values[COMMITTED] + member->values[ROLLED_BACK];
}

static double
connections_percent(const struct member *member)
{
    double max = member->values[CONNECTIONS_MAX];
    return max > 0 ? member->values[CONNECTIONS] * 100 / max : NAN;
}

/* ---- What is wrong, worst first ---- */
static void
judge(struct arena *arena, const struct state *state, struct member *member)
{
    int64_t silent_ms = member->ping_ms > 0 ? state->now_ms - member->ping_ms : 0;
    const double *v = member->values;
    double percent = connections_percent(member), waits = v[LOCKS];
    str silent = str_format(arena, "not heard from for %s", grid_seconds(arena, (double)(silent_ms / 1000)).data);
    top_blame(&member->verdict, member->ping_ms == 0, 100, STR("never heard from"));
    top_blame(&member->verdict, silent_ms > SILENT_MS, 100, silent);
    top_blame(&member->verdict, str_is(member->role, "NO_DATA") && !state->is_paused, 90, STR("does not run"));
    top_blame(&member->verdict, str_is(member->role, "RECOVERING"), 80, STR("recovers"));
    top_blame(&member->verdict, member->disk >= 90, 70, str_format(arena, "disk is %.0f%% full", member->disk));
    top_blame(&member->verdict, v[LAG] >= 10, 60,
              str_format(arena, "is behind by %s", grid_seconds(arena, v[LAG]).data));
    top_blame(&member->verdict, percent >= 90, 50, str_format(arena, "%.0f%% of its connections are taken", percent));
    top_blame(&member->verdict, waits >= 1, 40,
              str_format(arena, "%.0f session%s for a lock", ceil(waits), ceil(waits) == 1 ? " waits" : "s wait"));
    top_blame(&member->verdict, cpu_of(member) >= 90, 30, STR("its processors are busy"));
    top_blame(&member->verdict, v[LONGEST] >= 300, 20,
              str_format(arena, "a statement runs for %s", grid_seconds(arena, v[LONGEST]).data));
    top_blame(&member->verdict, member->disk >= 80, 10, str_format(arena, "disk is %.0f%% full", member->disk));
    top_blame(&member->verdict, !member->is_measured && !state->is_paused, 5, STR("no measurements"));
}

/* ---- Asking ---- */
static str
path_of(const struct top *top, const char *rest)
{
    return str_format(top->arena, "%s/groups/%s%s", API_PREFIX,
                      str_percent_encode(top->arena, str_from(top->cli->profile->project)).data, rest);
}

static void
ask_servers(struct top *top, int page)
{
    top_ask(top, str_format(top->arena, "%s?itemsPerPage=500&includeCount=false&pageNum=%d",
                            path_of(top, "/processes").data, page));
}

static double *
disk_of(struct view *view, str id, int64_t now_ms, bool *ret_is_due)
{
    size_t oldest = 0;
    for (size_t i = 0; i < MOST_MEMBERS; i++) {
        if (str_is(id, view->disks[i].id)) {
            *ret_is_due = now_ms - view->disks[i].asked_ms >= DISK_EVERY_MS;
            if (*ret_is_due)
                view->disks[i].asked_ms = now_ms;
            return &view->disks[i].percent;
        }
        oldest = view->disks[i].asked_ms < view->disks[oldest].asked_ms ? i : oldest;
    }
    snprintf(view->disks[oldest].id, sizeof(view->disks[oldest].id), "%.*s", STR_ARG(id));
    view->disks[oldest].asked_ms = now_ms;
    view->disks[oldest].percent = NAN;
    *ret_is_due = true;
    return &view->disks[oldest].percent;
}

static void
ask_measurements(struct top *top)
{
    struct view *view = top->view;
    for (size_t i = 0; i < view->next.count; i++) {
        str id = view->next.members[i].id, escaped = str_percent_encode(top->arena, id);
        str path = str_format(top->arena, "%s/%s", path_of(top, "/processes").data, escaped.data);
        bool is_due;
        top_ask(top, str_format(top->arena, "%s" MEASUREMENTS, path.data));
        view->asks_of[i][0] = top->ask_count;
        view->asks_of[i][1] = 0;
        disk_of(view, id, clock_steady_ms(), &is_due);
        if (!is_due)
            continue;
        top_ask(top, str_format(top->arena, "%s" DISK, path.data));
        view->asks_of[i][1] = top->ask_count;
    }
}

/* First the cluster and its servers, page by page, then what was measured on them. */
static void
ask(struct top *top)
{
    struct view *view = top->view;
    if (top->stage == 0) {
        view->next = (struct state){ .now_ms = clock_now_ms() };
        view->pages = 1;
        view->has_more = false;
        str name = str_percent_encode(top->arena, str_from(view->cluster));
        top_ask(top, str_format(top->arena, "%s/%s", path_of(top, "/clusters").data, name.data));
        ask_servers(top, 1);
    } else if (view->has_more) {
        ask_servers(top, ++view->pages);
    } else if (view->pages > 0) {
        view->pages = 0;
        ask_measurements(top);
    }
}

/* ---- Answers ---- */
/* Every member has a name in the connection string; other servers of the project have not. */
static bool
is_ours(const struct view *view, struct arena *arena, const json_t *process)
{
    str name = str_format(arena, ",%s:", json_text_at(process, "hostname").data);
    return strstr(view->hosts.data, name.data) != NULL;
}

static void
take_server(struct top *top, const json_t *process)
{
    struct view *view = top->view;
    str host = json_text_at(process, "hostname");
    if (view->next.count == MOST_MEMBERS || !is_ours(view, top->arena, process))
        return;
    struct member *member = &view->next.members[view->next.count++];
    *member = (struct member){ .id = json_text_at(process, "id"),
                               .role = json_text_at(process, "typeName"),
                               .version = json_text_at(process, "version"),
                               .disk = NAN };
    member->name = str_dup(top->arena, str_cut(&host, '.'));
    for (size_t i = 0; i < METRIC_COUNT; i++)
        member->values[i] = NAN;
    if (!date_parse(json_text_at(process, "lastPing"), &member->ping_ms))
        member->ping_ms = 0;
}

static bool
take_servers(struct top *top, const struct ask *ask)
{
    struct view *view = top->view;
    const json_t *document = top_document(top, ask), *one;
    size_t i;
    view->has_more = false;
    if (document == NULL)
        return false;
    json_array_foreach(json_object_get(document, "results"), i, one) take_server(top, one);
    json_array_foreach(json_object_get(document, "links"), i, one) view->has_more =
        view->has_more || str_is(json_text_at(one, "rel"), "next");
    return true;
}

static bool
take_cluster(struct top *top, const struct ask *ask)
{
    struct view *view = top->view;
    const json_t *cluster = top_document(top, ask);
    if (cluster == NULL)
        return false;
    view->next.name = json_text_at(cluster, "name");
    view->next.state = json_text_at(cluster, "stateName");
    view->next.is_paused = json_is_true(json_object_get(cluster, "paused"));
    str hosts = member_hosts(top->arena, cluster);
    view->hosts = str_format(top->arena, ",%.*s", STR_ARG(hosts));
    return true;
}

static double
number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The last step is under way, and what it says of rates is not true yet. */
static size_t
finished(const json_t *points)
{
    size_t count = json_array_size(points);
    return count > 0 ? count - 1 : 0;
}

/* The last value that is not too old. */
static double
newest(const json_t *points)
{
    size_t count = finished(points);
    for (size_t i = 0; i < count && i < FRESH_POINTS; i++) {
        double value = number_or_nan(json_object_get(json_array_get(points, count - 1 - i), "value"));
        if (!isnan(value))
            return value;
    }
    return NAN;
}

static void
take_series(struct member *member, const json_t *series)
{
    const json_t *points = json_object_get(series, "dataPoints");
    size_t count = finished(points), first = count > POINTS ? count - POINTS : 0, metric = 0;
    while (metric < METRIC_COUNT && !str_is(json_text_at(series, "name"), metric_names[metric]))
        metric++;
    if (metric == METRIC_COUNT)
        return;
    member->points = count - first;
    member->values[metric] = newest(points);
    member->is_measured = member->is_measured || !isnan(member->values[metric]);
    for (size_t i = first; i < count; i++)
        member->curves[metric][i - first] = number_or_nan(json_object_get(json_array_get(points, i), "value"));
}

static void
take_measurements(struct top *top, struct member *member, const struct ask *ask)
{
    struct view *view = top->view;
    json_t *document = json_in(top->arena, json_loadb(ask->answer.body.data, ask->answer.body.len, 0, NULL)), *one;
    int64_t end_ms;
    size_t i;
    if (ask->answer.status != 200) {
        view->next.note = top_said(top->arena, &ask->answer);
        return;
    }
    if (date_parse(json_text_at(document, "end"), &end_ms))
        view->next.now_ms = end_ms;
    json_array_foreach(json_object_get(document, "measurements"), i, one) take_series(member, one);
}

static void
take_disk(struct top *top, struct member *member, const struct ask *ask)
{
    bool is_due;
    double *percent = disk_of(top->view, member->id, 0, &is_due);
    if (ask != NULL && ask->answer.status == 200) {
        json_t *document = json_in(top->arena, json_loadb(ask->answer.body.data, ask->answer.body.len, 0, NULL));
        json_t *series = json_array_get(json_object_get(document, "measurements"), 0);
        *percent = newest(json_object_get(series, "dataPoints"));
    }
    member->disk = *percent;
}

static bool
take(struct top *top)
{
    struct view *view = top->view;
    if (top->stage == 0)
        return take_cluster(top, &top->asks[0]) && take_servers(top, &top->asks[1]);
    if (view->pages > 0)
        return take_servers(top, &top->asks[0]);
    for (size_t i = 0; i < view->next.count; i++) {
        struct member *member = &view->next.members[i];
        size_t disk = view->asks_of[i][1];
        take_measurements(top, member, &top->asks[view->asks_of[i][0] - 1]);
        take_disk(top, member, disk > 0 ? &top->asks[disk - 1] : NULL);
    }
    return true;
}

static void
keep(struct top *top)
{
    struct view *view = top->view;
    view->now = view->next;
    for (size_t i = 0; i < view->now.count; i++)
        judge(top->arena, &view->now, &view->now.members[i]);
}

/* A project's rate limit is everybody's in it: the more servers, the slower. */
static int
rest_ms(const struct top *top)
{
    const struct view *view = top->view;
    int needed = (int)(view->now.count + 2) * 60 * 1000 / CALLS_A_MINUTE;
    return needed > REST_MS ? needed / 1000 * 1000 : REST_MS;
}

/* ---- Order ---- */
static const char *const sorts[] = { "problem", "cpu", "connections", "transactions", "lag", "disk", "name", NULL };
enum sort { BY_PROBLEM, BY_CPU, BY_CONNECTIONS, BY_TRANSACTIONS, BY_LAG, BY_DISK, BY_NAME };

static double
worth(const struct member *member, enum sort sort)
{
    switch (sort) {
    case BY_PROBLEM: return member->verdict.weight;
    case BY_CPU: return cpu_of(member);
    case BY_CONNECTIONS: return member->values[CONNECTIONS];
    case BY_TRANSACTIONS: return rate_of(member);
    case BY_LAG: return member->values[LAG];
    case BY_DISK: return member->disk;
    case BY_NAME: return 0;
    }
    return 0;
}

static bool
is_before(const struct member *a, const struct member *b, enum sort sort)
{
    double left = worth(a, sort), right = worth(b, sort);
    left = isnan(left) ? -1 : left;
    right = isnan(right) ? -1 : right;
    return left > right || (left == right && str_compare(a->name, b->name) < 0);
}

/* Few enough to be put in place one by one. */
static void
order(struct state *state, enum sort sort)
{
    for (size_t i = 1; i < state->count; i++) {
        struct member one = state->members[i];
        size_t at = i;
        for (; at > 0 && is_before(&one, &state->members[at - 1], sort); at--)
            state->members[at] = state->members[at - 1];
        state->members[at] = one;
    }
}

/* ---- Showing ---- */
static const struct grid_column columns[] = {
    { "MEMBER", false, 0, .has_end = true },
    { "ROLE", false, 0 },
    { "CPU", true, 0 },
    { "", false, 8 },
    { "CONN", true, 0 },
    { "TX/S", true, 0 },
    { "", false, 9 },
    { "LAG", true, 1 },
    { "DISK", true, 2 },
    { "LONGEST", true, 5 },
    { "WAITS", true, 6 },
    { "PROBLEM", false, 0, 16 },
};

static struct cell
role_cell(str role)
{
    static const struct {
        const char *name, *shown;
        enum style style;
    } roles[] = { { "REPLICA_PRIMARY", "primary", STYLE_GREEN },
                  { "REPLICA_SECONDARY", "replica", STYLE_PLAIN },
                  { "RECOVERING", "recovering", STYLE_YELLOW },
                  { "NO_DATA", "down", STYLE_RED } };
    for (size_t i = 0; i < LENGTH(roles); i++) {
        if (str_is(role, roles[i].name))
            return (struct cell){ str_from(roles[i].shown), roles[i].style };
    }
    return (struct cell){ role, STYLE_PLAIN };
}

static enum style
alarm_style(double value, double warn, double alarm)
{
    return value >= alarm ? STYLE_RED : value >= warn ? STYLE_YELLOW : STYLE_PLAIN;
}

/* Of the sum of two metrics; a letter has the higher of two steps. */
static str
curve_of(struct arena *arena, const struct member *m, int one, int other, double top)
{
    double values[POINTS / 2];
    size_t count = 0;
    for (size_t i = m->points % 2; i + 1 < m->points; i += 2) {
        double left = m->curves[one][i] + m->curves[other][i], right = m->curves[one][i + 1] + m->curves[other][i + 1];
        values[count++] = fmax(left, right); /* what is not there does not count */
    }
    return grid_curve(arena, values, count, top);
}

static void
fill_row(struct arena *arena, const struct member *m, struct cell *row)
{
    double waits = m->values[LOCKS] + m->values[DISK_WAITS];
    str connections =
        isnan(m->values[CONNECTIONS_MAX])
            ? grid_number(arena, m->values[CONNECTIONS])
            : str_format(arena, "%s/%.0f", grid_number(arena, m->values[CONNECTIONS]).data, m->values[CONNECTIONS_MAX]);
    const struct cell cells[LENGTH(columns)] = {
        { m->name, STYLE_BOLD },
        role_cell(m->role),
        { grid_percent(arena, cpu_of(m)), alarm_style(cpu_of(m), 70, 90) },
        { curve_of(arena, m, CPU_USER, CPU_KERNEL, 100), STYLE_CYAN },
        { connections, alarm_style(connections_percent(m), 75, 90) },
        { grid_number(arena, rate_of(m)), STYLE_PLAIN },
        { curve_of(arena, m, COMMITTED, ROLLED_BACK, 0), STYLE_CYAN },
        { grid_seconds(arena, m->values[LAG]), alarm_style(m->values[LAG], 1, 10) },
        { grid_percent(arena, m->disk), alarm_style(m->disk, 80, 90) },
        { grid_seconds(arena, m->values[LONGEST]), alarm_style(m->values[LONGEST], 60, 300) },
        { grid_number(arena, waits), alarm_style(m->values[LOCKS], 1, 10) },
        { m->verdict.problem, m->verdict.weight >= 50 ? STYLE_RED : STYLE_YELLOW },
    };
    memcpy(row, cells, sizeof(cells));
}

static void
draw(struct top *top, struct page *page)
{
    struct view *view = top->view;
    struct state *state = &view->now;
    struct arena *arena = page->arena;
    struct cell *cells = ARENA_ARRAY(arena, struct cell, (state->count + 1) * LENGTH(columns));
    size_t troubled = 0;
    bool has_primary = false;
    page->rows = ARENA_ARRAY(arena, str, state->count + 1);
    if (cells == NULL || page->rows == NULL)
        return;
    order(state, (enum sort)top->sort);
    for (size_t i = 0; i < state->count; i++) {
        fill_row(arena, &state->members[i], cells + i * LENGTH(columns));
        troubled += state->members[i].verdict.weight > 0;
        has_primary = has_primary || str_is(state->members[i].role, "REPLICA_PRIMARY");
    }
    page_head(page, STYLE_BOLD,
              str_format(arena, "%.*s  %.*s%s  %zu member%s, %zu with a problem", STR_ARG(state->name),
                         STR_ARG(state->state), state->is_paused ? ", paused" : "", state->count,
                         state->count == 1 ? "" : "s", troubled));
    if (!has_primary && !state->is_paused)
        page_head(page, STYLE_RED, STR("no server says that it is the primary: nothing can be written"));
    grid_make(arena, columns, LENGTH(columns), cells, state->count, page->width, page->color, page->rows);
    page->row_count = state->count + 1;
    if (state->note.len > 0)
        page_foot(page, STYLE_YELLOW, str_format(arena, "no measurements: %.*s", STR_ARG(state->note)));
}

/* ---- As a document ---- */
static json_t *
document(struct top *top)
{
    struct view *view = top->view;
    struct state *state = &view->now;
    json_t *members = json_array();
    order(state, (enum sort)top->sort);
    for (size_t i = 0; i < state->count; i++) {
        const struct member *m = &state->members[i];
        const double *v = m->values;
        json_array_append_new(
            members, json_pack("{so so so so so so so so so so so so so}", "id", top_text(m->id), "typeName",
                               top_text(m->role), "version", top_text(m->version), "problem",
                               top_text(m->verdict.problem), "cpuPercent", top_number(cpu_of(m)), "connections",
                               top_number(v[CONNECTIONS]), "connectionsMax", top_number(v[CONNECTIONS_MAX]),
                               "transactionsPerSecond", top_number(rate_of(m)), "lagSeconds", top_number(v[LAG]),
                               "diskPercentUsed", top_number(m->disk), "longestQuerySeconds", top_number(v[LONGEST]),
                               "locksWaiting", top_number(v[LOCKS]), "sessionsWaitingIo", top_number(v[DISK_WAITS])));
    }
    return json_pack("{so so sb so}", "clusterName", top_text(state->name), "stateName", top_text(state->state),
                     "paused", state->is_paused, "members", members);
}

static const struct top_kind cluster_kind = { sorts, rest_ms, ask, take, keep, draw, document };

int
builtin_top(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    json_t *cluster;
    struct view *view = ARENA_NEW(cli->arena, struct view);
    if (cli->profile->project == NULL) {
        cli_say(cli, "which project? Give --project, or `reeve profiles set project NAME`");
        return EXIT_USAGE;
    }
    if (view == NULL || (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    view->cluster = cli->call.arguments[0];
    /* A wrong name, no credentials, nobody there: said as by other commands, before a screen is opened. */
    str target = str_format(cli->arena, "%s/groups/%s/clusters/%s", API_PREFIX,
                            str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                            str_percent_encode(cli->arena, str_from(view->cluster)).data);
    int status = fetch_document(cli, client, target, &cluster);
    return status == EXIT_SUCCESS ? top_run(cli, client, &cluster_kind, view) : status;
}
