/* SPDX-License-Identifier: Apache-2.0 */
#include "api/document/reference.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/metric.h"

static void
title(FILE *out, const char *text)
{
    fprintf(out, "%s\n# %s\n\n", REFERENCE_NOTE, text);
}

/* ---- Errors ---- */
/* "{}" stands for a parameter; in the page each is named by its number. */
static void
print_detail(FILE *out, const char *detail)
{
    int number = 0;
    for (const char *c = detail; *c != '\0'; c++) {
        if (c[0] == '{' && c[1] == '}') {
            fprintf(out, "‹%d›", ++number);
            c++;
        } else {
            fputc(*c, out);
        }
    }
}

void
reference_errors(FILE *out)
{
    title(out, "Errors");
    fprintf(
        out,
        "Every error is a JSON object with exactly five fields: `detail` for a person, `error` (the status), "
        "`errorCode` for a program, `parameters` and `reason` (the standard text of the status). ‹1› is the first "
        "of the `parameters`, ‹2› the second.\n\n"
        "When several fields of a body are wrong, the error is that of the first. The others, up to 19, follow: in `detail` one "
        "sentence each, in `parameters` two texts each behind those of the code, the field and what to change.\n\n"
        "[All messages](messages.md) are on one page.\n\n"
        "| Status | errorCode | detail | What to do |\n|---|---|---|---|\n");
    for (int i = 0; i < ERROR_CODE_COUNT; i++) {
        fprintf(out, "| %u | `%s` | ", error_rows[i].status, error_rows[i].name);
        print_detail(out, error_rows[i].detail);
        fprintf(out, " | %s |\n", error_rows[i].remedy);
    }
    fprintf(out,
            "\nAn answer with 429 or 503 has a `Retry-After` header: wait at least that many seconds; when the next "
            "attempt fails as well, wait twice as long each time, and add a random part so that many clients do not "
            "come back together.\n");
}

/* ---- Rate limits ---- */
void
reference_rate_limits(const struct catalog *catalog, FILE *out)
{
    static const char *const each[SCOPE_COUNT] = {
        [SCOPE_ORGANIZATION] = "organization",
        [SCOPE_PROJECT] = "project",
        [SCOPE_USER] = "caller",
        [SCOPE_IP] = "address",
    };
    size_t counts[SET_COUNT] = { 0 };
    for (size_t i = 0; i < catalog_count(catalog); i++)
        counts[catalog_at(catalog, i)->set]++;
    title(out, "Rate limits");
    fprintf(
        out,
        "Every operation belongs to one set. A set has one bucket of tokens for each organization, project, caller or "
        "address, depending on its scope. A bucket starts full. A request takes one token. Every %d seconds the "
        "bucket is refilled, up to its capacity. Without a token the answer is 429 with the code "
        "`RATE_LIMITED_TOKEN_BUCKET`.\n\n"
        "`RateLimit-Limit` and `RateLimit-Remaining` show the capacity and what is left; `Retry-After` on a 429 "
        "shows how many seconds to wait. The limits are not part of the API's contract and may change. `GET "
        "/rateLimits` "
        "lists those that are in force.\n\n"
        "| Set | Operations | Scope | One bucket for each | Capacity | Refill per %d s | How many |\n"
        "|---|---|---|---|---:|---:|---:|\n",
        REFILL_PERIOD_S, REFILL_PERIOD_S);
    for (int i = 0; i < SET_COUNT; i++) {
        const struct set_row *set = &set_rows[i];
        fprintf(out, "| %s | %s | %s | %s | %lld | %lld | %zu |\n", set->label, set->title, scope_names[set->scope],
                each[set->scope], (long long)set->capacity, (long long)set->refill, counts[i]);
    }
}

/* ---- Roles ---- */
static void
print_roles(FILE *out, role_set roles)
{
    bool first = true;
    for (int i = 0; i < ROLE_COUNT; i++) {
        if ((roles & role_rows[i].bit) == 0)
            continue;
        fprintf(out, "%s`%s`", first ? "" : ", ", role_rows[i].name);
        first = false;
    }
}

static size_t
count_allowed(const struct catalog *catalog, role_set roles)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog_count(catalog); i++)
        count += (catalog_at(catalog, i)->access.roles & roles) != 0;
    return count;
}

static void
print_role_table(const struct catalog *catalog, bool of_project, FILE *out)
{
    fprintf(out, "| Role | What it is for | Implies | Operations |\n|---|---|---|---:|\n");
    for (int i = 0; i < ROLE_COUNT; i++) {
        const struct role_row *row = &role_rows[i];
        if (role_is_of_project(row->bit) != of_project)
            continue;
        role_set closure = role_closure(row->bit);
        fprintf(out, "| `%s` | %s | ", row->name, row->text);
        print_roles(out, closure & ~row->bit);
        fprintf(out, " | %zu |\n", count_allowed(catalog, closure));
    }
}

void
reference_roles(const struct catalog *catalog, FILE *out)
{
    title(out, "Roles");
    fprintf(out,
            "The roles of a caller in the organization or project of the path decide what they may do. A role in an "
            "organization also counts in each of its projects. The column *Implies* lists every role that comes with "
            "a role. The column *Operations* counts the operations that it allows, including those of implied roles; "
            "operations that need only valid credentials are not counted.\n\n"
            "## In an organization\n\n");
    print_role_table(catalog, false, out);
    fprintf(out, "\n## In a project\n\n");
    print_role_table(catalog, true, out);
}

/* ---- Metrics ---- */
void
reference_metrics(FILE *out)
{
    title(out, "Metrics");
    fprintf(
        out,
        "`/metrics` on `operator_listen` answers in Prometheus' text format. What a node counts itself is summed over its "
        "processes, and counters survive reloads.\n\n"
        "| Metric | Type | Labels | What it says |\n|---|---|---|---|\n");
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_row *row = &metric_rows[i];
        fprintf(out, "| `%s` | %s | %s | %s %s |\n", row->name, row->type, row->labels, row->help, row->more);
    }
    fprintf(out, "\n[Watching it](../how-to/watch-it.md) has a configuration for Prometheus, and rules for alerts.\n");
}

/* ---- Events ---- */
void
reference_events(FILE *out)
{
    title(out, "Event types");
    fprintf(out, "Every change writes its event in the same transaction. The name of a type never changes. To read "
                 "events, "
                 "see [Events](api/events.md).\n\n"
                 "| Type | What happened |\n|---|---|\n");
    for (int i = 0; i < EVENT_TYPE_COUNT; i++)
        fprintf(out, "| `%s` | %s |\n", event_rows[i].name, event_rows[i].sentence);
}

/* ---- Index ---- */
void
reference_index(const struct catalog *catalog, FILE *out)
{
    title(out, "Operations");
    fprintf(
        out,
        "%zu operations under `/api/svc/v2`. An operation that is neither *complete* nor *refused* by design is "
        "answered with 501 and says what it waits for.\n\n| Family | Operations | Complete | Refused | What it is about |\n|---|---:|---:|---:|---|\n",
        catalog_count(catalog));
    for (const struct family *const *f = catalog_families(catalog); *f != NULL; f++) {
        size_t complete = 0, refused = 0;
        for (size_t i = 0; i < (*f)->count; i++) {
            const struct endpoint *e = &(*f)->endpoints[i];
            refused += e->refuses != 0;
            complete += e->refuses == 0 && endpoint_is_complete(e);
        }
        fprintf(out, "| [%s](%s.md) | %zu | %zu | %zu | %s |\n", (*f)->title, (*f)->name, (*f)->count, complete,
                refused, (*f)->doc);
    }
}

/* ---- Files ---- */
static FILE *
open_page(const char *directory, const char *name)
{
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
        return NULL;
    FILE *out = fopen(path, "w");
    if (out == NULL)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return out;
}

static bool
close_page(FILE *out, const char *name)
{
    bool written = ferror(out) == 0;
    if (fclose(out) == 0 && written)
        return true;
    fprintf(stderr, "%s: could not be written\n", name);
    return false;
}

static bool
write_page(const struct catalog *catalog, const char *directory, const char *name,
           void (*print)(const struct catalog *, FILE *))
{
    FILE *out = open_page(directory, name);
    if (out == NULL)
        return false;
    print(catalog, out);
    return close_page(out, name);
}

static void
print_errors(const struct catalog *catalog, FILE *out)
{
    (void)catalog;
    reference_errors(out);
}

static void
print_metrics(const struct catalog *catalog, FILE *out)
{
    (void)catalog;
    reference_metrics(out);
}

static void
print_events(const struct catalog *catalog, FILE *out)
{
    (void)catalog;
    reference_events(out);
}

int
reference_write(const struct catalog *catalog, const struct catalog *operators, const char *directory)
{
    char name[256];
    snprintf(name, sizeof(name), "%s/api", directory);
    if (mkdir(name, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        return 1;
    }
    bool good = write_page(catalog, directory, "errors.md", print_errors) &&
                write_page(catalog, directory, "events.md", print_events) &&
                write_page(catalog, directory, "metrics.md", print_metrics) &&
                write_page(catalog, directory, "rate-limits.md", reference_rate_limits) &&
                write_page(catalog, directory, "roles.md", reference_roles) &&
                write_page(operators, directory, "operator.md", reference_operator) &&
                write_page(catalog, directory, "api/README.md", reference_index);
    for (const struct family *const *f = catalog_families(catalog); good && *f != NULL; f++) {
        snprintf(name, sizeof(name), "api/%s.md", (*f)->name);
        FILE *out = open_page(directory, name);
        if (out == NULL)
            return 1;
        reference_family(*f, out);
        good = close_page(out, name);
    }
    return good ? 0 : 1;
}
