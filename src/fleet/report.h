/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what agents send: a report that passes has the fields that the database reads, with their types and bounds. */
#ifndef FLEET_REPORT_H
#define FLEET_REPORT_H

#include "base/json.h"
#include "wire/report_seats.h"
#include "wire/report_words.h"

struct report {
    int64_t epoch;
    str json; /* for host_report() */
};
/* Unknown fields are left out, long sentences cut. INVALID_JSON, MISSING_ATTRIBUTE or INVALID_ATTRIBUTE_VALUE. */
MUST_USE error report_read(struct arena *arena, str body, struct report *ret_report);

/* The facts of a machine as an object with known fields only; `path` is where they stand. */
MUST_USE error report_read_facts(struct arena *arena, const char *path, const json_t *facts, json_t **ret_facts);
/* A whole document; json_parse() with the bound of reports, and an object. */
MUST_USE error report_parse(struct arena *arena, str body, json_t **ret_object);

#endif
