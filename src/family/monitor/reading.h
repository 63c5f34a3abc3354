/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading series over time. Steps shorter than an hour are made from points, which the stores keep for eight days. Hours and days come from the
 * database as far as they are made, and the rest from points, hour by hour, so that both say the same.
 */
#ifndef FAMILY_MONITOR_READING_H
#define FAMILY_MONITOR_READING_H

#include "api/request.h"
#include "monitor/steps.h"

struct reading {
    struct request *req;
    id member;
    enum metric_scope scope;
    str name;     /* of the database, disk or table; empty: the server itself */
    size_t count; /* of metrics */
    const struct metric *metrics[METRIC_COUNT];
    struct steps steps;
    struct step *values; /* metric by metric */
    const str *dates;    /* of the steps, written once for all series */
};

/* One more metric to read, unless it was asked for already. */
void reading_add_metric(struct reading *reading, const struct metric *metric);
/* Room for the values, and the dates, when metrics and steps are known. */
MUST_USE error reading_begin(struct reading *reading);
/* Adds what was measured on the member to the values: what several members counted is added up. */
MUST_USE error reading_fill(const struct reading *reading);
bool reading_is_empty(const struct reading *reading);

/* ---- As the API shows it ---- */
size_t reading_bytes(const struct reading *reading); /* room that all series need */
/* With commas between them. `process` is said with each; empty: it is not. */
void reading_add_series(struct buf *out, const struct reading *reading, str process);

#endif
