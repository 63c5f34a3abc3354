/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/goal_logs.h"

#include <stddef.h>

#include "base/net/net.h"

enum { PEM_BYTES = 1024 * 1024, URL_BYTES = 4096 };

// clang-format off
#define AT(type, member) offsetof(struct type, member)
#define R WIRE_REQUIRED

static const struct wire_field target_fields[] = {
    { "id",        WIRE_ID,    R, AT(goal_log_target, id) },
    { "projectId", WIRE_ID,    R, AT(goal_log_target, project) },
    { "form",      WIRE_TEXT,  R, AT(goal_log_target, form_text), .max = 32 },
    { "url",       WIRE_TEXT,  R, AT(goal_log_target, url),       .max = URL_BYTES },
    { "headers",   WIRE_PAIRS, 0, AT(goal_log_target, headers),   .max = 16 },
    { "logs",      WIRE_TEXTS, R, AT(goal_log_target, logs),      .max = 16 },
    { "bucket",    WIRE_TEXT,  0, AT(goal_log_target, bucket),     .max = 128 },
    { "region",    WIRE_TEXT,  0, AT(goal_log_target, region),     .max = 128 },
    { "prefix",    WIRE_TEXT,  0, AT(goal_log_target, prefix),     .max = 1024 },
    { "key",       WIRE_TEXT,  0, AT(goal_log_target, key),        .max = 1024 },
    { "secretKey", WIRE_TEXT,  0, AT(goal_log_target, secret_key), .max = 1024 },
    { "authority", WIRE_TEXT,  0, AT(goal_log_target, authority),  .max = PEM_BYTES },
};
static const struct wire_shape target_shape = WIRE_SHAPE(struct goal_log_target, target_fields);

static const struct wire_field logs_fields[] = {
    { "authority", WIRE_TEXT,  0, AT(goal_logs, authority), .max = PEM_BYTES },
    { "networks",  WIRE_TEXTS, 0, AT(goal_logs, networks),  .max = 1000 },
    { "targets",   WIRE_LIST,  0, AT(goal_logs, targets),   .max = GOAL_MAX_LOG_TARGETS, .of = &target_shape },
};
const struct wire_shape goal_logs_shape = WIRE_SHAPE(struct goal_logs, logs_fields);
// clang-format on

error
goal_logs_check(struct arena *arena, struct goal_logs *logs)
{
    static const char *const forms[] = { "OTLP", "EVENTS", "ITEMS", "OBJECTS" };
    struct net_block ignored;
    for (size_t i = 0; i < logs->networks.count; i++) {
        if (!net_parse_block(logs->networks.items[i], &ignored))
            return fail(arena, INVALID_ATTRIBUTE_VALUE, V("logs.networks"), V("one of them is no network"));
    }
    for (size_t i = 0; i < logs->targets.count; i++) {
        struct goal_log_target *target = &logs->targets.items[i];
        target->form = LOG_FORM_UNKNOWN;
        for (size_t k = 0; k < LENGTH(forms); k++) {
            if (str_is(target->form_text, forms[k]))
                target->form = (enum goal_log_form)k;
        }
    }
    return OK;
}
