/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/monitor/monitor_tables.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/monitor/monitor_rows.h"
#include "wire/monitor/table_name.h"

enum {
    MOST_DATABASES = MONITOR_MOST_WATCHED + TABLE_MOST_PINNED,
    MOST_CANDIDATES = MOST_DATABASES * MONITOR_MOST_TABLES + TABLE_MOST_PINNED,
    LOOK_MS = 5000, /* for all databases of a round together */
    EVERY_MS = 60 * 1000,
    REST_TIMES = 200,             /* as long as a round took: at most half a percent of the time */
    MOST_REST_MS = 9 * 60 * 1000, /* after ten minutes nobody would know when a counter rose */
    LONGEST_MS = 10 * 60 * 1000,  /* between two looks that are compared */
    LIST_BYTES = 64 * 1024,
};

struct counted {
    uint32_t relid;
    double reads, writes;
};

/* What the tables of a database had counted at the last look, by their numbers. */
struct looked_at {
    char name[TABLE_IDENTIFIER_BYTES + 1];
    int64_t time_ms; /* 0: never */
    size_t count;
    bool is_cut; /* there were more tables */
    struct counted *tables;
};

/* A name that was told, and keeps its place for a while. */
struct place {
    char name[TABLE_NAME_BYTES + 1]; /* empty: nobody has it */
    uint32_t relid;
    int64_t since_ms, told_ms;
    bool is_wanted; /* in this round */
};

/* One that could be told in this round. */
struct candidate {
    str name;
    bool is_pinned, has_before;
    struct counted before, now;
    int64_t before_ms;
    double rise;
};

struct monitor_tables {
    struct looked_at databases[MOST_DATABASES];
    struct place places[MONITOR_MOST_NAMES];
    int64_t rests_until_ms; /* of the steady clock */

    /* Of the round. */
    struct engine_member *self;
    int64_t time_ms, spent_ms;
    bool rests;
    size_t pinned_count, candidate_count;
    struct table_name pinned[TABLE_MOST_PINNED];
    struct candidate *candidates;
};

struct monitor_tables *
monitor_tables_new(void)
{
    return calloc(1, sizeof(struct monitor_tables));
}

void
monitor_tables_free(struct monitor_tables *tables)
{
    for (size_t i = 0; tables != NULL && i < MOST_DATABASES; i++)
        free(tables->databases[i].tables);
    free(tables);
}

static double
total(const struct counted *counted)
{
    return counted->reads + counted->writes;
}

/* ---- A round begins ---- */
void
monitor_tables_begin(struct monitor_tables *tables, struct engine_member *self, const struct engine_round *round)
{
    const struct wire_texts *pinned = &self->cluster->pinned_tables;
    tables->self = self;
    tables->time_ms = round->time_ms;
    tables->spent_ms = 0;
    tables->rests = clock_steady_ms() < tables->rests_until_ms;
    tables->pinned_count = tables->candidate_count = 0;
    tables->candidates = ARENA_ARRAY(self->arena, struct candidate, MOST_CANDIDATES);
    for (size_t i = 0; i < pinned->count && tables->pinned_count < TABLE_MOST_PINNED; i++) {
        if (table_name_read(self->arena, pinned->items[i], &tables->pinned[tables->pinned_count]))
            tables->pinned_count++;
    }
}

bool
monitor_tables_wants(const struct monitor_tables *tables, str database, int place)
{
    if (tables->rests || tables->spent_ms >= LOOK_MS || tables->candidates == NULL)
        return false;
    for (size_t i = 0; i < tables->pinned_count; i++) {
        if (str_eq(tables->pinned[i].database, database))
            return true;
    }
    return place < MONITOR_MOST_WATCHED;
}

/* ---- What a database's tables have counted ---- */
static int
compare_numbers(const void *a, const void *b)
{
    uint32_t x = ((const struct counted *)a)->relid, y = ((const struct counted *)b)->relid;
    return x < y ? -1 : x > y ? 1 : 0;
}

static struct looked_at *
find_database(struct monitor_tables *tables, str name)
{
    struct looked_at *oldest = &tables->databases[0];
    for (size_t i = 0; i < MOST_DATABASES; i++) {
        struct looked_at *one = &tables->databases[i];
        if (str_is(name, one->name))
            return one;
        if (one->time_ms < oldest->time_ms)
            oldest = one;
    }
    free(oldest->tables);
    *oldest = (struct looked_at){ 0 };
    memcpy(oldest->name, name.data, name.len <= TABLE_IDENTIFIER_BYTES ? name.len : TABLE_IDENTIFIER_BYTES);
    return oldest;
}

static const struct counted *
find_counted(const struct counted *tables, size_t count, uint32_t relid)
{
    const struct counted key = { .relid = relid };
    return count == 0 ? NULL : bsearch(&key, tables, count, sizeof(*tables), compare_numbers);
}

static bool
read_row(const PGresult *rows, int row, struct counted *ret_counted)
{
    double relid, reads, writes;
    if (!monitor_number(rows, row, 0, &relid) || !monitor_number(rows, row, 1, &reads) ||
        !monitor_number(rows, row, 2, &writes))
        return false;
    *ret_counted = (struct counted){ (uint32_t)relid, reads, writes };
    return true;
}

/* On the heap: the next round compares with it. NULL without memory. */
static struct counted *
read_counted(const PGresult *rows, size_t *ret_count)
{
    size_t count = 0;
    struct counted *tables = malloc(sizeof(*tables) * ((size_t)PQntuples(rows) + 1));
    for (int row = 0; tables != NULL && row < PQntuples(rows); row++)
        count += read_row(rows, row, &tables[count]);
    if (count > 0)
        qsort(tables, count, sizeof(*tables), compare_numbers);
    *ret_count = count;
    return tables;
}

/* ---- Who did most in a database ---- */
/*
 * What is not in the last look had done nothing until then, unless there were too many to look at all. A count that fell has begun again at 0: then what
 * it is now is how much it rose.
 */
static struct candidate
compare_with_before(const struct looked_at *before, const struct counted *now, int64_t time_ms)
{
    struct candidate one = { .now = *now, .before = { .relid = now->relid }, .before_ms = before->time_ms };
    const struct counted *was = find_counted(before->tables, before->count, now->relid);
    one.has_before = before->time_ms > 0 && time_ms - before->time_ms < LONGEST_MS && time_ms > before->time_ms &&
                     (was != NULL || !before->is_cut);
    if (was != NULL)
        one.before = *was;
    if (one.has_before)
        one.rise = total(now) < total(&one.before) ? total(now) : total(now) - total(&one.before);
    return one;
}

/* Into a list of `most` that is kept in order, the busiest first. */
static size_t
put_in_order(struct candidate *list, size_t count, size_t most, const struct candidate *one)
{
    size_t at = count < most ? count : most;
    while (at > 0 && list[at - 1].rise < one->rise)
        at--;
    if (at == most)
        return count;
    size_t kept = count < most ? count : most - 1;
    memmove(&list[at + 1], &list[at], (kept - at) * sizeof(*list));
    list[at] = *one;
    return kept + 1;
}

static size_t
find_busiest(const struct looked_at *before, const struct counted *now, size_t count, int64_t time_ms,
             struct candidate busiest[MONITOR_MOST_TABLES])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        struct candidate one = compare_with_before(before, &now[i], time_ms);
        if (one.rise > 0)
            found = put_in_order(busiest, found, MONITOR_MOST_TABLES, &one);
    }
    return found;
}

/* ---- What they are called ---- */
static str
names_question(const struct monitor_tables *tables, str database, const struct candidate *busiest, size_t count)
{
    struct buf out = buf_in(tables->self->arena, LIST_BYTES);
    const char *comma = "[";
    for (size_t i = 0; i < count; i++, comma = ",")
        buf_format(&out, "%s%u", comma, busiest[i].now.relid);
    for (size_t i = 0; i < tables->pinned_count; i++) {
        if (!str_eq(tables->pinned[i].database, database))
            continue;
        buf_format(&out, "%s[", comma);
        buf_add_json(&out, tables->pinned[i].schema);
        buf_add_char(&out, ',');
        buf_add_json(&out, tables->pinned[i].table);
        buf_add_char(&out, ']');
        comma = ",";
    }
    if (out.len > 0)
        buf_add_char(&out, ']');
    return buf_str(&out);
}

static bool
is_pinned(const struct monitor_tables *tables, struct table_name name)
{
    for (size_t i = 0; i < tables->pinned_count; i++) {
        const struct table_name *one = &tables->pinned[i];
        if (str_eq(one->database, name.database) && str_eq(one->schema, name.schema) && str_eq(one->table, name.table))
            return true;
    }
    return false;
}

static void
add_candidates(struct monitor_tables *tables, str database, const struct looked_at *before, const struct counted *now,
               size_t count, const PGresult *rows)
{
    for (int row = 0; row < PQntuples(rows) && tables->candidate_count < MOST_CANDIDATES; row++) {
        int64_t relid;
        struct table_name name = { database, monitor_text(rows, row, "schema"), monitor_text(rows, row, "table") };
        str text = table_name_write(tables->self->arena, name);
        if (text.len == 0 || !str_to_int(monitor_text(rows, row, "relid"), 1, UINT32_MAX, &relid))
            continue;
        const struct counted *counted = find_counted(now, count, (uint32_t)relid), nothing = { (uint32_t)relid, 0, 0 };
        struct candidate one = compare_with_before(before, counted == NULL ? &nothing : counted, tables->time_ms);
        one.name = text;
        one.is_pinned = is_pinned(tables, name);
        tables->candidates[tables->candidate_count++] = one;
    }
}

/* ---- A look ---- */
static PGresult *
ask(struct monitor_tables *tables, struct monitor_session *session, enum member_sql sql, str parameter,
    int64_t deadline_ms)
{
    PGresult *rows = NULL;
    struct monitor_question question = { sql, parameter.data };
    if (monitor_session_ask(session, tables->self->arena, 1, &question, deadline_ms, &rows) != OK)
        return NULL;
    return rows;
}

static void
look(struct monitor_tables *tables, str database, struct monitor_session *session, int64_t deadline_ms)
{
    struct candidate busiest[MONITOR_MOST_TABLES];
    struct looked_at *before = find_database(tables, database);
    PGresult *rows =
        ask(tables, session, SQL_MONITOR_TABLES, str_from_int(tables->self->arena, MONITOR_MOST_COUNTED), deadline_ms);
    size_t count = 0;
    struct counted *now = rows == NULL ? NULL : read_counted(rows, &count);
    PQclear(rows);
    if (now == NULL)
        return;
    size_t found = find_busiest(before, now, count, tables->time_ms, busiest);
    str wanted = names_question(tables, database, busiest, found);
    rows = wanted.len == 0 ? NULL : ask(tables, session, SQL_MONITOR_TABLE_NAMES, wanted, deadline_ms);
    if (rows != NULL)
        add_candidates(tables, database, before, now, count, rows);
    PQclear(rows);
    free(before->tables);
    before->tables = now;
    before->count = count;
    before->is_cut = count == MONITOR_MOST_COUNTED;
    before->time_ms = tables->time_ms;
}

void
monitor_tables_look(struct monitor_tables *tables, str database, struct monitor_session *session, int64_t deadline_ms)
{
    int64_t began_ms = clock_steady_ms();
    look(tables, database, session, deadline_ms);
    tables->spent_ms += clock_steady_ms() - began_ms;
}

/* ---- Names ---- */
static struct place *
find_place(struct monitor_tables *tables, str name)
{
    for (size_t i = 0; i < MONITOR_MOST_NAMES; i++) {
        if (tables->places[i].name[0] != '\0' && str_is(name, tables->places[i].name))
            return &tables->places[i];
    }
    return NULL;
}

static bool
is_free(const struct place *place, int64_t now_ms)
{
    bool is_over = now_ms - place->since_ms >= MONITOR_NAME_MS || now_ms < place->since_ms;
    return place->name[0] == '\0' || (is_over && !place->is_wanted);
}

/* NULL when there were enough new names for now. Some places are only for what is pinned: no load keeps a tenant from choosing. */
static struct place *
take_place(struct monitor_tables *tables, const struct candidate *one)
{
    size_t taken = 0, most = one->is_pinned ? MONITOR_MOST_NAMES : MONITOR_MOST_BUSY_NAMES;
    struct place *found = NULL;
    for (size_t i = 0; i < MONITOR_MOST_NAMES; i++) {
        if (is_free(&tables->places[i], tables->time_ms))
            found = &tables->places[i];
        else
            taken++;
    }
    if (found == NULL || taken >= most)
        return NULL;
    *found = (struct place){ .relid = one->now.relid, .since_ms = tables->time_ms, .is_wanted = true };
    memcpy(found->name, one->name.data, one->name.len);
    return found;
}

/* ---- Points ---- */
static void
add_point(struct monitor_tables *tables, struct buf *out, str name, int64_t time_ms, const struct counted *counted)
{
    struct points_writer writer = points_begin(out, tables->self->member->id, time_ms, METRIC_TABLE, name);
    points_add(&writer, M_READS_OPS, counted->reads);
    points_add(&writer, M_WRITES_OPS, counted->writes);
    points_add(&writer, M_TOTAL_OPS, total(counted));
    points_end(&writer);
}

/*
 * A counter needs the point before: it is told now when it was not told then. Another table of the same name counts from 0, which is said for the
 * moment after: otherwise one that has already done more than the one before would seem to have gone on from there.
 */
static void
tell(struct monitor_tables *tables, struct buf *out, const struct candidate *one, struct place *place)
{
    static const struct counted nothing;
    bool is_another = place->relid != one->now.relid;
    if (one->has_before && place->told_ms < one->before_ms)
        add_point(tables, out, one->name, one->before_ms, &one->before);
    else if (is_another)
        add_point(tables, out, one->name, place->told_ms + 1, &nothing);
    add_point(tables, out, one->name, tables->time_ms, &one->now);
    place->told_ms = tables->time_ms;
    place->relid = one->now.relid;
}

static int
compare_candidates(const void *first, const void *second)
{
    const struct candidate *a = first, *b = second;
    if (a->is_pinned != b->is_pinned)
        return a->is_pinned ? -1 : 1;
    return a->rise > b->rise ? -1 : a->rise < b->rise ? 1 : str_compare(a->name, b->name);
}

/* Most rounds take so little that a minute is rest enough. */
static void
rest(struct monitor_tables *tables)
{
    int64_t rest_ms = tables->spent_ms * REST_TIMES;
    if (rest_ms > EVERY_MS)
        tables->rests_until_ms = clock_steady_ms() + (rest_ms < MOST_REST_MS ? rest_ms : MOST_REST_MS);
}

void
monitor_tables_tell(struct monitor_tables *tables, struct buf *out)
{
    struct candidate *all = tables->candidates;
    size_t count = 0, pinned = 0;
    rest(tables);
    if (tables->candidate_count == 0)
        return;
    qsort(all, tables->candidate_count, sizeof(*all), compare_candidates);
    while (pinned < tables->candidate_count && all[pinned].is_pinned)
        pinned++;
    count = pinned + MONITOR_MOST_TABLES;
    if (count > tables->candidate_count)
        count = tables->candidate_count;
    for (size_t i = 0; i < MONITOR_MOST_NAMES; i++)
        tables->places[i].is_wanted = false;
    for (size_t i = 0; i < count; i++) {
        struct place *place = find_place(tables, all[i].name);
        if (place != NULL)
            place->is_wanted = true;
    }
    for (size_t i = 0; i < count; i++) {
        struct place *place = find_place(tables, all[i].name);
        if (place == NULL)
            place = take_place(tables, &all[i]);
        if (place != NULL)
            tell(tables, out, &all[i], place);
    }
}
