/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>

#include "store/params.h"

static int
next(struct params *params)
{
    /* Written by the statement's caller, not by a client: too many is a bug that every run shows. */
    assert(params->count < PARAMS_MAX);
    return params->count++;
}

static void
add(struct params *params, enum param name, const char *value, size_t length, int format)
{
    int at = next(params);
    params->names[at] = (uint16_t)name;
    params->values[at] = value;
    params->lengths[at] = (int)length;
    params->formats[at] = format;
}

void
params_id(struct params *params, enum param name, id value)
{
    if (!id_is_there(value) && params->missing == PARAM_NONE)
        params->missing = name;
    char *scratch = params->scratch[params->count];
    memcpy(scratch, value.bytes, ID_BYTES);
    add(params, name, scratch, ID_BYTES, 1);
}

void
params_id_or_null(struct params *params, enum param name, id value)
{
    if (id_is_there(value))
        params_id(params, name, value);
    else
        params_null(params, name);
}

void
params_id_after(struct params *params, enum param name, id value)
{
    /* No bytes at all sort before every identifier. */
    if (id_is_there(value))
        params_id(params, name, value);
    else
        params_bytes(params, name, STR_EMPTY);
}

void
params_text(struct params *params, enum param name, str value)
{
    add(params, name, value.data == NULL ? "" : value.data, value.len, 0);
}

void
params_text_or_null(struct params *params, enum param name, str value)
{
    if (value.len == 0)
        params_null(params, name);
    else
        params_text(params, name, value);
}

void
params_int(struct params *params, enum param name, int64_t value)
{
    char *scratch = params->scratch[params->count];
    int length = snprintf(scratch, sizeof(params->scratch[0]), "%lld", (long long)value);
    add(params, name, scratch, (size_t)length, 0);
}

void
params_bool(struct params *params, enum param name, bool value)
{
    add(params, name, value ? "t" : "f", 1, 0);
}

void
params_bytes(struct params *params, enum param name, str value)
{
    add(params, name, value.data == NULL ? "" : value.data, value.len, 1);
}

void
params_null(struct params *params, enum param name)
{
    add(params, name, NULL, 0, 0);
}

/* The place of a name, or -1. Most are bound in the order in which the statement names them: it is looked for at `first` first. */
static int
find(const uint16_t *names, int count, uint16_t name, int first)
{
    if (first < count && names[first] == name)
        return first;
    for (int i = 0; i < count; i++) {
        if (names[i] == name)
            return i;
    }
    return -1;
}

bool
params_order(const struct params *params, enum sql statement, struct params_in_order *ret_ordered)
{
    const struct sql_row *row = &sql_rows[statement];
    int bound = params == NULL ? 0 : params->count;
    if (bound != row->param_count)
        return false;
    ret_ordered->count = bound;
    for (int i = 0; i < bound; i++) {
        int at = find(params->names, bound, row->params[i], i);
        if (at < 0)
            return false;
        ret_ordered->values[i] = params->values[at];
        ret_ordered->lengths[i] = params->lengths[at];
        ret_ordered->formats[i] = params->formats[at];
    }
    return true;
}

enum param
params_not_bound(const struct params *params, enum sql statement)
{
    const struct sql_row *row = &sql_rows[statement];
    for (int i = 0; i < row->param_count; i++) {
        if (params == NULL || find(params->names, params->count, row->params[i], i) < 0)
            return row->params[i];
    }
    return PARAM_NONE;
}
