/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>

#include "store/store.h"

static int
next(struct params *params)
{
    /* Written by the statement's caller, not by a client: too many is a bug that every run shows. */
    assert(params->count < PARAMS_MAX);
    return params->count++;
}

static void
add(struct params *params, const char *value, size_t length, int format)
{
    int at = next(params);
    params->values[at] = value;
    params->lengths[at] = (int)length;
    params->formats[at] = format;
}

void
params_id(struct params *params, id value)
{
    if (!id_is_there(value) && params->missing == 0)
        params->missing = params->count + 1;
    char *scratch = params->scratch[params->count];
    memcpy(scratch, value.bytes, ID_BYTES);
    add(params, scratch, ID_BYTES, 1);
}

void
params_id_or_null(struct params *params, id value)
{
    if (id_is_there(value))
        params_id(params, value);
    else
        params_null(params);
}

void
params_id_after(struct params *params, id value)
{
    /* No bytes at all sort before every identifier. */
    if (id_is_there(value))
        params_id(params, value);
    else
        params_bytes(params, STR_EMPTY);
}

void
params_text(struct params *params, str value)
{
    add(params, value.data == NULL ? "" : value.data, value.len, 0);
}

void
params_text_or_null(struct params *params, str value)
{
    if (value.len == 0)
        params_null(params);
    else
        params_text(params, value);
}

void
params_int(struct params *params, int64_t value)
{
    char *scratch = params->scratch[params->count];
    int length = snprintf(scratch, sizeof(params->scratch[0]), "%lld", (long long)value);
    add(params, scratch, (size_t)length, 0);
}

void
params_bool(struct params *params, bool value)
{
    add(params, value ? "t" : "f", 1, 0);
}

void
params_bytes(struct params *params, str value)
{
    add(params, value.data == NULL ? "" : value.data, value.len, 1);
}

void
params_null(struct params *params)
{
    add(params, NULL, 0, 0);
}
