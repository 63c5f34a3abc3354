/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integrations: a project's settings for an outside service, one for each type. A notification of an alert without its
 * own key (or address) uses the project's integration of its type.
 */
#ifndef JOB_ALERT_INTEGRATION_H
#define JOB_ALERT_INTEGRATION_H

#include <jansson.h>

#include "base/crypto/crypto.h"
#include "base/id.h"

#define INTEGRATION_KIND         "integration"
#define INTEGRATION_KEY_PURPOSE  "integration v1"
#define INTEGRATION_HIDDEN_FIELD "internal"
/* Its name and password are those of the project's own tools; what is kept of both is in the hidden field. */
#define INTEGRATION_FOR_TOOLS "PROMETHEUS"
#define INTEGRATION_TOOL_HASH "hash"
/* The service that measurements are sent to, when the first of these is on; with the second, tags of clusters go along. */
#define INTEGRATION_FOR_PUSH    "DATADOG"
#define INTEGRATION_PUSH_SWITCH "sendDatabaseMetrics"
#define INTEGRATION_TAG_SWITCH  "sendUserProvidedResourceTags"

enum integration_part {
    PART_KEY,      /* without it, a notification uses the integration */
    PART_WITH_KEY, /* belongs to the key, and comes from where the key comes from */
    PART_OPEN,     /* the integration's, unless the notification says it */
};
struct integration_field {
    const char *of_notification, *of_integration;
    enum integration_part part;
};
enum { INTEGRATION_FIELDS_MAX = 3 };
struct integration_type {
    const char *name; /* of the integration and of the notification; NULL at the end */
    struct integration_field fields[INTEGRATION_FIELDS_MAX]; /* the key first; without names at the end */
};
extern const struct integration_type integration_types[];
const struct integration_type *integration_type_find(str name); /* NULL: notifications of this type need none */

/* The host of Datadog's API in a region. */
const char *integration_datadog_host(str region);
/* Where a request to a service with a fixed address goes: through the relay, unless that is empty. */
str integration_relayed(struct arena *arena, str relay, str url);

/* Fields of integrations that are secrets; NULL at the end. */
extern const char *const integration_secret_fields[];

/* What the hidden field holds; NULL without memory. */
json_t *integration_hidden_new(struct arena *arena, const struct key *key, id integration, const json_t *secrets);
/* Secrets by field; NULL when they are not to be opened. */
json_t *integration_secrets_open(struct arena *arena, const struct key *key, id integration, const json_t *document);

/* Completes a notification without a key, and the object with its secrets, from the integration. */
void integration_lend(const struct integration_type *type, const json_t *integration, const json_t *its_secrets,
                      json_t *notifier, json_t *secrets);

#endif
