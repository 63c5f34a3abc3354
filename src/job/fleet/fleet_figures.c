/* SPDX-License-Identifier: Apache-2.0 */
#include "job/fleet/fleet_figures.h"

#include "base/metric.h"
#include "job/kinds.h"
#include "store/fleet/figures.h"

enum { TEXT_MAX_BYTES = 2 * 1024 * 1024 };

/* ---- Taking them ---- */

static error
take(struct sweep_context *context)
{
    return store_fleet_figures_take(context->store, context->arena);
}

const struct sweep fleet_figures_sweep = {
    .name = "fleet-figures",
    .doc = "Takes the figures about the fleet that /metrics of every node shows.",
    .every_s = FLEET_FIGURES_EVERY_S,
    .run = take,
};

/* ---- Showing them ---- */

/* All values of a metric stand together, in whatever order they were found. */
static void
add_metric(struct buf *out, const struct rows *rows, enum metric metric)
{
    metric_begin(out, metric);
    for (int row = 0; row < rows->count; row++) {
        const str labels[METRIC_LABELS_MAX] = { rows_text(rows, row, C_LABEL_1), rows_text(rows, row, C_LABEL_2),
                                                rows_text(rows, row, C_LABEL_3) };
        if (str_is(rows_text(rows, row, C_METRIC), metric_rows[metric].name))
            metric_add(out, metric, labels, rows_text(rows, row, C_VALUE));
    }
}

static void
add_how_taken(struct buf *out, const struct rows *rows)
{
    metric_begin(out, METRIC_FLEET_AGE);
    if (rows->count > 0)
        buf_format(out, "%s %lld\n", metric_rows[METRIC_FLEET_AGE].name, (long long)rows_int(rows, 0, C_AGE_S));
    metric_begin(out, METRIC_FLEET_TOOK);
    if (rows->count > 0) {
        long long took_ms = rows_int(rows, 0, C_TOOK_MS);
        buf_format(out, "%s %lld.%03lld\n", metric_rows[METRIC_FLEET_TOOK].name, took_ms / 1000, took_ms % 1000);
    }
}

str
fleet_figures_text(struct store *store, struct arena *arena)
{
    struct buf out = buf_in(arena, TEXT_MAX_BYTES);
    struct rows rows;
    if (store_fleet_figures(store, arena, FLEET_FIGURES_OLD_S, &rows) != OK)
        return STR_EMPTY;
    add_how_taken(&out, &rows);
    for (enum metric metric = METRIC_FLEET_TOOK + 1; metric < METRIC_COUNT; metric++)
        add_metric(&out, &rows, metric);
    return buf_str(&out);
}
