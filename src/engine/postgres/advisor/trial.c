/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/advisor/trial.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "engine/postgres/advisor/plan_tree.h"

enum { MOST_COLUMNS = 32, MOST_CANDIDATES = 96, DDL_BYTES = 1024, WORDS_BYTES = 16 * 1024 };
#define LEAST_COST    100.0 /* what is cheaper is not worth an index */
#define LEAST_GAIN    2.0   /* times cheaper */
#define SECOND_COLUMN 3.5 /* times cheaper it must make it: what an open range is taken for (a third) proves nothing */

struct column {
    str schema, table, name, existing;
    int64_t row_bytes;
};

struct candidates {
    struct trial_index *items[MOST_CANDIDATES + TRIAL_MOST_CHOSEN];
    size_t count;
};

/* ---- What is tried ---- */
static str
ddl_of(struct trial *trial, const struct trial_index *index)
{
    struct buf out = buf_in(trial->arena, DDL_BYTES);
    buf_format(&out, "CREATE INDEX ON %s.%s (", session_name(trial->catalog, index->schema).data,
               session_name(trial->catalog, index->table).data);
    for (size_t i = 0; i < index->column_count; i++)
        buf_format(&out, "%s%s", i > 0 ? ", " : "", session_name(trial->catalog, index->columns[i]).data);
    buf_add_char(&out, ')');
    return buf_str(&out);
}

/* A type that has no order has no such index: then it is not tried. */
static void
make_index(struct trial *trial, struct trial_index *index)
{
    struct session_rows rows;
    str ddl = ddl_of(trial, index);
    index->number = 0;
    index->is_used = false;
    if (ddl.len == 0 || session_query(trial->planner, SQL_ADVISOR_INDEX_TRY, 1, &ddl, &rows) != OK || rows.count == 0)
        return;
    index->number = strtoll(session_value(&rows, 0, 0).data, NULL, 10);
    index->bytes = strtoll(session_value(&rows, 0, 1).data, NULL, 10);
}

/* What a statement costs when these indexes exist and no others beside the real ones; negative: it cannot be planned. */
static double
cost_with(struct trial *trial, struct trial_statement *statement, const struct candidates *candidates)
{
    struct session_rows rows;
    str tree;
    double cost;
    if (statement->is_stuck || session_query(trial->planner, SQL_ADVISOR_INDEX_FORGET, 0, NULL, &rows) != OK)
        return -1;
    for (size_t i = 0; i < candidates->count; i++)
        make_index(trial, candidates->items[i]);
    bool is_planned = session_plan(trial->planner, trial->catalog, statement->query, &tree);
    statement->is_stuck = session_is_stuck(trial->planner);
    if (!is_planned || !plan_tree_cost(tree, &cost))
        return -1;
    for (size_t i = 0; i < candidates->count; i++) {
        struct trial_index *one = candidates->items[i];
        one->is_used = one->number != 0 && plan_tree_uses(tree, one->number);
    }
    return cost;
}

static struct candidates
chosen_ones(const struct trial *trial)
{
    struct candidates all = { .count = trial->chosen_count };
    memcpy(all.items, trial->chosen, sizeof(trial->chosen));
    return all;
}

/* ---- What could be tried ---- */
static str
word_list(struct arena *arena, const str *words, size_t count)
{
    struct buf out = buf_in(arena, WORDS_BYTES);
    buf_add_char(&out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add_text(&out, i > 0 ? "," : "");
        buf_add_json(&out, words[i]);
    }
    buf_add_char(&out, ']');
    return buf_str(&out);
}

static error
read_columns(struct trial *trial, const struct shape *shape, struct column *columns, size_t *ret_count)
{
    struct session_rows rows;
    const str parameters[] = { word_list(trial->arena, shape->words, shape->word_count),
                               word_list(trial->arena, shape->searched, shape->searched_count) };
    TRY(session_query(trial->catalog, SQL_ADVISOR_COLUMNS, LENGTH(parameters), parameters, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && *ret_count < MOST_COLUMNS; i++)
        columns[(*ret_count)++] = (struct column){
            .schema = str_dup(trial->arena, session_value(&rows, i, 0)),
            .table = str_dup(trial->arena, session_value(&rows, i, 1)),
            .name = str_dup(trial->arena, session_value(&rows, i, 2)),
            .existing = str_dup(trial->arena, session_value(&rows, i, 3)),
            .row_bytes = strtoll(session_value(&rows, i, 5).data, NULL, 10),
        };
    return OK;
}

/* An index that is there begins with these columns: "id,;customer,status,". */
static bool
is_covered(struct arena *arena, const struct column *first, const struct column *second)
{
    str wanted = second == NULL ? str_format(arena, "%s,", first->name.data)
                                : str_format(arena, "%s,%s,", first->name.data, second->name.data);
    str rest = first->existing;
    while (rest.len > 0) {
        if (str_starts_with(str_cut(&rest, ';'), wanted))
            return true;
    }
    return false;
}

static bool
is_same(const struct trial_index *a, const struct trial_index *b)
{
    bool same = a->column_count == b->column_count && str_eq(a->schema, b->schema) && str_eq(a->table, b->table);
    for (size_t i = 0; same && i < a->column_count; i++)
        same = str_eq(a->columns[i], b->columns[i]);
    return same;
}

static void
add_candidate(struct trial *trial, const struct column *first, const struct column *second,
              struct candidates *candidates)
{
    if (candidates->count >= MOST_CANDIDATES || is_covered(trial->arena, first, second))
        return;
    struct trial_index *index = ARENA_NEW(trial->arena, struct trial_index);
    if (index == NULL)
        return;
    *index = (struct trial_index){ .schema = first->schema,
                                   .table = first->table,
                                   .columns = { first->name, second == NULL ? STR_EMPTY : second->name },
                                   .column_count = second == NULL ? 1 : 2,
                                   .row_bytes = first->row_bytes };
    for (size_t i = 0; i < candidates->count; i++) {
        if (is_same(candidates->items[i], index))
            return;
    }
    candidates->items[candidates->count++] = index;
}

static void
add_candidates(struct trial *trial, const struct column *columns, size_t count, struct candidates *candidates)
{
    for (size_t i = 0; i < count; i++)
        add_candidate(trial, &columns[i], NULL, candidates);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (i != k && str_eq(columns[i].schema, columns[k].schema) && str_eq(columns[i].table, columns[k].table))
                add_candidate(trial, &columns[i], &columns[k], candidates);
        }
    }
}

/* ---- Choosing ---- */
static void
keep_used(struct trial *trial, const struct candidates *tried, struct candidates *taken)
{
    *taken = chosen_ones(trial);
    for (size_t i = trial->chosen_count; i < tried->count && taken->count < TRIAL_MOST_CHOSEN; i++) {
        if (tried->items[i]->is_used)
            taken->items[taken->count++] = tried->items[i];
    }
}

/* A second column that does not pay for itself goes. */
static double
shorten(struct trial *trial, struct trial_statement *statement, struct candidates *taken, double cost)
{
    for (size_t i = trial->chosen_count; i < taken->count; i++) {
        struct trial_index *whole = taken->items[i], *shorter = ARENA_NEW(trial->arena, struct trial_index);
        if (shorter == NULL || whole->column_count < 2)
            continue;
        *shorter = *whole;
        shorter->column_count = 1;
        taken->items[i] = shorter;
        double with_shorter = cost_with(trial, statement, taken);
        if (with_shorter >= 0 && with_shorter <= cost * SECOND_COLUMN && shorter->is_used)
            cost = with_shorter;
        else
            taken->items[i] = whole;
    }
    return cost_with(trial, statement, taken);
}

static error
judge(struct trial *trial, struct trial_statement *statement)
{
    struct column columns[MOST_COLUMNS];
    size_t count;
    struct candidates all = chosen_ones(trial), taken;
    double before = cost_with(trial, statement, &all);
    if (before < LEAST_COST)
        return OK;
    TRY(read_columns(trial, &statement->shape, columns, &count));
    add_candidates(trial, columns, count, &all);
    if (all.count == trial->chosen_count)
        return OK;
    double after = cost_with(trial, statement, &all);
    if (after < 0 || after * LEAST_GAIN > before)
        return OK;
    keep_used(trial, &all, &taken);
    if (taken.count == trial->chosen_count)
        return OK;
    after = shorten(trial, statement, &taken, after);
    if (after < 0 || after * LEAST_GAIN > before)
        return OK;
    for (size_t i = trial->chosen_count; i < taken.count; i++) {
        if (taken.items[i]->is_used)
            trial->chosen[trial->chosen_count++] = taken.items[i];
    }
    return OK;
}

/* With all that were chosen, against none: whom each helps. */
static void
prove(struct trial *trial, size_t place)
{
    struct trial_statement *statement = &trial->statements[place];
    struct candidates none = { .count = 0 }, all = chosen_ones(trial);
    double before = cost_with(trial, statement, &none), after = before < 0 ? -1 : cost_with(trial, statement, &all);
    if (before < LEAST_COST || after < 0 || after * LEAST_GAIN > before)
        return;
    statement->before = before;
    statement->after = after;
    for (size_t i = 0; i < trial->chosen_count; i++)
        trial->uses[place][i] = trial->chosen[i]->is_used;
}

static bool
may_go_on(const struct trial *trial)
{
    return clock_steady_ms() < trial->end_ms && !session_is_stuck(trial->planner);
}

error
trial_run(struct trial *trial)
{
    trial->chosen_count = 0;
    memset(trial->uses, 0, sizeof(trial->uses));
    for (size_t i = 0; i < trial->statement_count && may_go_on(trial); i++)
        TRY(judge(trial, &trial->statements[i]));
    for (size_t i = 0; trial->chosen_count > 0 && i < trial->statement_count && may_go_on(trial); i++)
        prove(trial, i);
    if (session_is_stuck(trial->planner))
        trial->chosen_count = 0;
    return OK;
}
