/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a goal that says where logs of members are sent (docs/internals/integrations.md). */
#ifndef WIRE_GOAL_LOGS_H
#define WIRE_GOAL_LOGS_H

#include "base/id.h"
#include "wire/shape.h"

enum { GOAL_MAX_LOG_TARGETS = 4096 };

enum goal_log_form {
    LOG_FORM_OTLP,    /* one document of the OpenTelemetry protocol */
    LOG_FORM_EVENTS,  /* documents one after the other, each with an `event` */
    LOG_FORM_ITEMS,   /* a list of documents, each with a `message` */
    LOG_FORM_OBJECTS, /* files in a bucket */
    LOG_FORM_UNKNOWN  /* of a newer control plane */
};

struct goal_log_target {
    id id, project;
    str form_text;
    enum goal_log_form form;
    str url;
    struct wire_pairs headers; /* values are secrets */
    struct wire_texts logs;    /* POSTGRES, POSTGRES_AUDIT, PATRONI */
    /* Of LOG_FORM_OBJECTS, in a store of the operator's at `url`; that is empty when the role was taken away. */
    str bucket, region, prefix; /* the prefix is empty, or ends with a slash */
    str key, secret_key;        /* never logged */
    str authority;              /* PEM of who signs for the store; empty: the system's */
};
struct goal_log_targets {
    size_t count;
    struct goal_log_target *items;
};

struct goal_logs {
    str authority;              /* PEM that receivers are checked against; empty: the system's */
    struct wire_texts networks; /* that the operator allows beside public addresses */
    struct goal_log_targets targets;
};
extern const struct wire_shape goal_logs_shape;

/* What types and bounds do not say. */
MUST_USE error goal_logs_check(struct arena *arena, struct goal_logs *logs);

#endif
