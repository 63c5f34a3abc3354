/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve fleet top`: hosts, and what is unfinished. Room and clusters come from the figures that a worker takes every 15 seconds. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/profile.h"
#include "cli/top/top.h"

enum {
    MOST_HOSTS = 10000,
    MOST_JOBS = 5,
    REST_MS = 5000,
    SLOW_REST_MS = 15000, /* of many hosts */
    MANY_HOSTS = 500,     /* on a page */
    SILENT_S = 60,
};

struct host {
    str name, state, purpose, place;
    double members, cpus, used_cpus, memory, used_memory, disk, used_disk, addresses, free_addresses;
    double silent_s; /* NAN: nothing was ever heard from it */
    struct verdict verdict;
};

struct job {
    str state, kind, subject, step, why;
    bool is_late;
};

/* Of the figures; NAN: not known. */
struct figures {
    double healthy, silent, none, starting, stopped, problems;
};

struct state {
    struct host *hosts;
    size_t count, silent, troubled;
    struct job jobs[MOST_JOBS];
    size_t job_count, open_jobs, failed_jobs, late_jobs;
    size_t nodes, workers, gone;
    struct figures figures;
};

struct view {
    struct state now, next;
    int pages;
    bool has_more;
};

/* ---- What is wrong, worst first ---- */
static double
part(double used, double all)
{
    return all > 0 ? used * 100 / all : NAN;
}

static void
judge(struct arena *arena, struct host *host, const json_t *document)
{
    size_t strays = json_array_size(json_object_get(document, "strays"));
    int64_t goal = json_int_at(document, "goalVersion"), seen = json_int_at(document, "seenVersion");
    bool has_members = str_is(host->purpose, "DATABASE"), is_active = str_is(host->state, "ACTIVE");
    top_blame(&host->verdict, isnan(host->silent_s), 100, STR("never heard from"));
    top_blame(&host->verdict, host->silent_s > SILENT_S, 100,
              str_format(arena, "silent for %s", grid_seconds(arena, host->silent_s).data));
    top_blame(&host->verdict, strays > 0, 60,
              str_format(arena, "%zu unit%s of no member", strays, strays == 1 ? "" : "s"));
    top_blame(&host->verdict, !is_active, 50, str_format(arena, "%s, gets nothing new", host->state.data));
    top_blame(&host->verdict, seen < goal, 40,
              str_format(arena, "has goal %lld, at %lld", (long long)goal, (long long)seen));
    top_blame(&host->verdict, is_active && has_members && host->free_addresses < 1, 30, STR("no free address"));
    top_blame(&host->verdict, is_active && part(host->used_disk, host->disk) >= 95, 20, STR("disk is taken"));
    top_blame(&host->verdict, is_active && part(host->used_memory, host->memory) >= 95, 20, STR("memory is taken"));
    top_blame(&host->verdict, is_active && part(host->used_cpus, host->cpus) >= 95, 20, STR("processors are taken"));
}

/* ---- Asking ---- */
static void
ask_hosts(struct top *top, int page)
{
    top_ask(top, str_format(top->arena, "%s/hosts?itemsPerPage=%d&includeCount=false&pageNum=%d", OPERATOR_PREFIX,
                            MANY_HOSTS, page));
}

static void
ask(struct top *top)
{
    struct view *view = top->view;
    if (top->stage == 0) {
        view->next = (struct state){ .figures = { NAN, NAN, NAN, NAN, NAN, NAN } };
        view->pages = 1;
        ask_hosts(top, 1);
        top_ask(top, str_format(top->arena, "%s/jobs?itemsPerPage=100", OPERATOR_PREFIX));
        top_ask(top, str_format(top->arena, "%s/instances", OPERATOR_PREFIX));
        top_ask(top, STR("/metrics"));
    } else if (view->has_more && view->next.count < MOST_HOSTS) {
        ask_hosts(top, ++view->pages);
    }
}

/* ---- Answers ---- */
static double
number_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void
take_host(struct top *top, struct host *host, const json_t *one)
{
    *host = (struct host){ .name = json_text_at(one, "name"),
                           .state = json_text_at(one, "state"),
                           .purpose = json_text_at(one, "purpose"),
                           .members = number_at(one, "members") + number_at(one, "seats"),
                           .cpus = number_at(one, "cpus"),
                           .used_cpus = number_at(one, "usedCpus"),
                           .memory = number_at(one, "memoryMb"),
                           .used_memory = number_at(one, "usedMemoryMb"),
                           .disk = number_at(one, "diskGb"),
                           .used_disk = number_at(one, "usedDiskGb"),
                           .addresses = number_at(one, "addresses"),
                           .free_addresses = number_at(one, "freeAddresses"),
                           .silent_s = number_at(one, "silentS") };
    host->place = str_format(top->arena, "%s %s", json_text_at(one, "region").data, json_text_at(one, "zone").data);
    judge(top->arena, host, one);
}

static bool
take_hosts(struct top *top, const struct ask *answered)
{
    struct view *view = top->view;
    struct state *state = &view->next;
    const json_t *document = top_document(top, answered), *list = json_object_get(document, "results"), *one;
    struct host *all = ARENA_ARRAY(top->arena, struct host, state->count + json_array_size(list) + 1);
    size_t i;
    view->has_more = false;
    if (document == NULL || all == NULL)
        return false;
    for (i = 0; i < state->count; i++)
        all[i] = state->hosts[i];
    state->hosts = all;
    json_array_foreach(list, i, one)
    {
        struct host *host = &all[state->count++];
        take_host(top, host, one);
        state->silent += isnan(host->silent_s) || host->silent_s > SILENT_S;
        state->troubled += host->verdict.weight > 0;
    }
    json_array_foreach(json_object_get(document, "links"), i, one) view->has_more =
        view->has_more || str_is(json_text_at(one, "rel"), "next");
    return true;
}

/* Failed ones first, then those that are late, then the others. */
static int
rank_of(const struct job *job)
{
    return str_is(job->state, "FAILED") ? 2 : job->is_late ? 1 : 0;
}

static void
place_job(struct state *state, struct job job)
{
    size_t at = state->job_count;
    while (at > 0 && rank_of(&job) > rank_of(&state->jobs[at - 1]))
        at--;
    if (at == MOST_JOBS)
        return;
    state->job_count += state->job_count < MOST_JOBS;
    for (size_t i = state->job_count - 1; i > at; i--)
        state->jobs[i] = state->jobs[i - 1];
    state->jobs[at] = job;
}

static bool
take_jobs(struct top *top, const struct ask *answered)
{
    struct view *view = top->view;
    struct state *state = &view->next;
    const json_t *document = top_document(top, answered), *one;
    size_t i;
    json_array_foreach(json_object_get(document, "results"), i, one)
    {
        struct job job = { .state = json_text_at(one, "state"),
                           .kind = json_text_at(one, "kind"),
                           .subject = json_text_at(one, "subjectName"),
                           .step = json_text_at(one, "currentStep"),
                           .why = json_text_at(one, "failure"),
                           .is_late = json_text_at(one, "overdueAt").len > 0 };
        if (job.why.len == 0)
            job.why = json_text_at(one, "waitsFor");
        bool is_failed = rank_of(&job) == 2;
        state->failed_jobs += is_failed;
        state->late_jobs += !is_failed && job.is_late;
        place_job(state, job);
    }
    size_t all = (size_t)json_int_at(document, "totalCount");
    state->open_jobs = all > i ? all : i;
    return document != NULL;
}

static bool
take_instances(struct top *top, const struct ask *answered)
{
    struct view *view = top->view;
    const json_t *document = top_document(top, answered), *one;
    size_t i;
    json_array_foreach(json_is_array(document) ? document : json_object_get(document, "results"), i, one)
    {
        bool is_there = json_is_true(json_object_get(one, "isThere"));
        bool is_node = str_is(json_text_at(one, "kind"), "API");
        view->next.nodes += is_there && is_node;
        view->next.workers += is_there && !is_node;
        view->next.gone += !is_there;
    }
    return document != NULL;
}

/* A line is `name{labels} value`. */
static void
take_figures(struct top *top, const struct ask *answered)
{
    struct view *view = top->view;
    struct figures *f = &view->next.figures;
    const struct {
        const char *begins;
        double *figure;
    } wanted[] = {
        { "reeve_fleet_clusters{primary=\"HEALTHY\"} ", &f->healthy },
        { "reeve_fleet_clusters{primary=\"SILENT\"} ", &f->silent },
        { "reeve_fleet_clusters{primary=\"NONE\"} ", &f->none },
        { "reeve_fleet_clusters{primary=\"STARTING\"} ", &f->starting },
        { "reeve_fleet_clusters{primary=\"STOPPED\"} ", &f->stopped },
        { "reeve_fleet_members_with_problem ", &f->problems },
    };
    str rest = answered->answer.status == 200 ? answered->answer.body : STR_EMPTY;
    while (rest.len > 0) {
        str line = str_cut(&rest, '\n');
        for (size_t i = 0; i < LENGTH(wanted); i++) {
            str begins = str_from(wanted[i].begins);
            if (str_starts_with(line, begins))
                *wanted[i].figure = strtod(str_dup(top->arena, str_slice(line, begins.len, line.len)).data, NULL);
        }
    }
}

static bool
take(struct top *top)
{
    if (top->stage > 0)
        return take_hosts(top, &top->asks[0]);
    take_figures(top, &top->asks[3]);
    return take_hosts(top, &top->asks[0]) && take_jobs(top, &top->asks[1]) && take_instances(top, &top->asks[2]);
}

static void
keep(struct top *top)
{
    struct view *view = top->view;
    view->now = view->next;
}

static int
rest_ms(const struct top *top)
{
    const struct view *view = top->view;
    return view->now.count > MANY_HOSTS ? SLOW_REST_MS : REST_MS;
}

/* ---- Order ---- */
static const char *const sorts[] = {
    "problem", "silence", "free processors", "free memory", "free disk", "name", NULL
};
enum sort { BY_PROBLEM, BY_SILENCE, BY_CPUS, BY_MEMORY, BY_DISK, BY_NAME };
static enum sort sorted_by; /* qsort() hands nothing on */

static double
worth(const struct host *host)
{
    switch (sorted_by) {
    case BY_PROBLEM: return host->verdict.weight;
    case BY_SILENCE: return isnan(host->silent_s) ? INFINITY : host->silent_s;
    case BY_CPUS: return host->cpus - host->used_cpus;
    case BY_MEMORY: return host->memory - host->used_memory;
    case BY_DISK: return host->disk - host->used_disk;
    case BY_NAME: return 0;
    }
    return 0;
}

static int
compare(const void *left, const void *right)
{
    const struct host *a = left, *b = right;
    double x = worth(a), y = worth(b);
    return x > y ? -1 : x < y ? 1 : str_compare(a->name, b->name);
}

static void
order(const struct top *top, struct state *state)
{
    sorted_by = (enum sort)top->sort;
    if (state->count > 0)
        qsort(state->hosts, state->count, sizeof(*state->hosts), compare);
}

/* ---- Showing ---- */
static const struct grid_column columns[] = {
    { "HOST", false, 0 },     { "FOR", false, 6 },     { "STATE", false, 5 },       { "PLACE", false, 7 },
    { "MEMBERS", true, 8 },   { "FREE CPU", true, 1 }, { "FREE MEMORY", true, 2 },  { "FREE DISK", true, 3 },
    { "ADDRESSES", true, 9 }, { "SILENT", true, 0 },   { "PROBLEM", false, 0, 16 },
};

static str
of(struct arena *arena, str left, str all)
{
    return str_format(arena, "%.*s of %.*s", STR_ARG(left), STR_ARG(all));
}

static str
gigabytes(struct arena *arena, double left, double all)
{
    return of(arena, grid_number(arena, floor(left)),
              str_format(arena, "%.*s GB", STR_ARG(grid_number(arena, floor(all)))));
}

static enum style
room_style(double used, double all)
{
    return part(used, all) >= 95 ? STYLE_RED : part(used, all) >= 80 ? STYLE_YELLOW : STYLE_PLAIN;
}

static void
fill_row(struct arena *arena, const struct host *h, struct cell *row)
{
    bool is_silent = isnan(h->silent_s) || h->silent_s > SILENT_S;
    const struct cell cells[LENGTH(columns)] = {
        { h->name, STYLE_BOLD },
        { str_is(h->purpose, "REPOSITORY") ? STR("backups")
          : str_is(h->purpose, "RELAY")    ? STR("relays")
                                           : STR("members"),
          STYLE_PLAIN },
        { h->state, str_is(h->state, "ACTIVE") ? STYLE_GREEN : STYLE_YELLOW },
        { h->place, STYLE_PLAIN },
        { grid_number(arena, h->members), STYLE_PLAIN },
        { of(arena, grid_number(arena, h->cpus - h->used_cpus), grid_number(arena, h->cpus)),
          room_style(h->used_cpus, h->cpus) },
        { gigabytes(arena, (h->memory - h->used_memory) / 1024, h->memory / 1024),
          room_style(h->used_memory, h->memory) },
        { gigabytes(arena, h->disk - h->used_disk, h->disk), room_style(h->used_disk, h->disk) },
        { of(arena, grid_number(arena, h->free_addresses), grid_number(arena, h->addresses)), STYLE_PLAIN },
        { isnan(h->silent_s) ? STR("always") : grid_seconds(arena, h->silent_s), is_silent ? STYLE_RED : STYLE_PLAIN },
        { h->verdict.problem, h->verdict.weight >= 50 ? STYLE_RED : STYLE_YELLOW },
    };
    memcpy(row, cells, sizeof(cells));
}

static void
draw_head(struct page *page, const struct state *state)
{
    struct arena *arena = page->arena;
    const struct figures *f = &state->figures;
    double free_cpus = 0, free_memory = 0, free_disk = 0;
    for (size_t i = 0; i < state->count; i++) {
        const struct host *h = &state->hosts[i];
        bool takes = str_is(h->state, "ACTIVE") && str_is(h->purpose, "DATABASE") && h->silent_s <= SILENT_S;
        free_cpus += takes ? h->cpus - h->used_cpus : 0;
        free_memory += takes ? (h->memory - h->used_memory) / 1024 : 0;
        free_disk += takes ? h->disk - h->used_disk : 0;
    }
    page_head(page, STYLE_BOLD,
              str_format(arena,
                         "%zu host%s, %zu with a problem, %zu silent; free: %s processors, %s GB memory, %s GB disk",
                         state->count, state->count == 1 ? "" : "s", state->troubled, state->silent,
                         grid_number(arena, free_cpus).data, grid_number(arena, floor(free_memory)).data,
                         grid_number(arena, floor(free_disk)).data));
    bool is_bad = f->silent > 0 || f->none > 0;
    page_head(
        page, is_bad ? STYLE_RED : STYLE_PLAIN,
        isnan(f->healthy)
            ? STR("clusters: the figures are missing or old; is a worker there?")
            : str_format(arena,
                         "clusters: %.0f healthy, %.0f without a primary, %.0f silent, %.0f starting, %.0f stopped; "
                         "%.0f member%s with a problem",
                         f->healthy, f->none, f->silent, f->starting, f->stopped, f->problems,
                         f->problems == 1 ? "" : "s"));
    page_head(page, state->failed_jobs + state->late_jobs > 0 ? STYLE_YELLOW : STYLE_PLAIN,
              str_format(arena, "jobs: %zu open, %zu failed, %zu late; %zu node%s and %zu worker%s, %zu gone",
                         state->open_jobs, state->failed_jobs, state->late_jobs, state->nodes,
                         state->nodes == 1 ? "" : "s", state->workers, state->workers == 1 ? "" : "s", state->gone));
}

static void
draw(struct top *top, struct page *page)
{
    struct view *view = top->view;
    struct state *state = &view->now;
    struct arena *arena = page->arena;
    struct cell *cells = ARENA_ARRAY(arena, struct cell, (state->count + 1) * LENGTH(columns));
    page->rows = ARENA_ARRAY(arena, str, state->count + 1);
    if (cells == NULL || page->rows == NULL)
        return;
    order(top, state);
    for (size_t i = 0; i < state->count; i++)
        fill_row(arena, &state->hosts[i], cells + i * LENGTH(columns));
    draw_head(page, state);
    grid_make(arena, columns, LENGTH(columns), cells, state->count, page->width, page->color, page->rows);
    page->row_count = state->count + 1;
    if (state->job_count > 0)
        page_foot(page, STYLE_PLAIN, STR_EMPTY);
    for (size_t i = 0; i < state->job_count; i++) {
        const struct job *job = &state->jobs[i];
        page_foot(page,
                  rank_of(job) == 2 ? STYLE_RED
                  : job->is_late    ? STYLE_YELLOW
                                    : STYLE_PLAIN,
                  str_format(arena, "%s%s  %s %s  %s%s%s", job->state.data, job->is_late ? ", late" : "",
                             job->kind.data, job->subject.data, job->step.data, job->why.len > 0 ? ": " : "",
                             job->why.data));
    }
}

/* ---- As a document ---- */
static json_t *
document(struct top *top)
{
    struct view *view = top->view;
    struct state *state = &view->now;
    const struct figures *f = &state->figures;
    json_t *hosts = json_array();
    order(top, state);
    for (size_t i = 0; i < state->count; i++) {
        const struct host *h = &state->hosts[i];
        json_array_append_new(
            hosts, json_pack("{so so so so so so so so}", "name", top_text(h->name), "purpose", top_text(h->purpose),
                             "state", top_text(h->state), "problem", top_text(h->verdict.problem), "freeCpus",
                             top_number(h->cpus - h->used_cpus), "freeMemoryMb", top_number(h->memory - h->used_memory),
                             "freeDiskGb", top_number(h->disk - h->used_disk), "silentS", top_number(h->silent_s)));
    }
    json_t *clusters =
        json_pack("{so so so so so}", "healthy", top_number(f->healthy), "silent", top_number(f->silent), "none",
                  top_number(f->none), "starting", top_number(f->starting), "stopped", top_number(f->stopped));
    return json_pack("{so so so s{sI sI sI} s{sI sI sI}}", "hosts", hosts, "clusters", clusters, "membersWithProblem",
                     top_number(f->problems), "jobs", "open", (json_int_t)state->open_jobs, "failed",
                     (json_int_t)state->failed_jobs, "late", (json_int_t)state->late_jobs, "instances", "nodes",
                     (json_int_t)state->nodes, "workers", (json_int_t)state->workers, "gone", (json_int_t)state->gone);
}

static const struct top_kind fleet_kind = { sorts, rest_ms, ask, take, keep, draw, document };

int
builtin_fleet_top(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    struct view *view = ARENA_NEW(cli->arena, struct view);
    json_t *caller;
    if (view == NULL || (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    /* No token, nobody there: said as by other commands, before a screen is opened. */
    int status = fetch_document(cli, client, STR(OPERATOR_PREFIX), &caller);
    return status == EXIT_SUCCESS ? top_run(cli, client, &fleet_kind, view) : status;
}
