/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an alert configuration is stored: its document as the API shows it, with masks instead of secrets, and one hidden
 * field with the sealed secrets and the place after which events count.
 */
#ifndef JOB_ALERT_ALERT_CONFIG_H
#define JOB_ALERT_ALERT_CONFIG_H

#include <jansson.h>

#include "base/crypto/crypto.h"
#include "base/id.h"

#define ALERT_KEY_PURPOSE  "alert notification v1"
#define ALERT_HIDDEN_FIELD "internal"

/* Fields of notifications that are secrets; NULL at the end. */
extern const char *const alert_secret_fields[];

/* An object with an object for each notifier's id: its secrets by field. NULL without memory, or when it is not to be opened. */
json_t *alert_secrets_open(struct arena *arena, const struct key *key, id config, const json_t *document);
/* What the hidden field holds; NULL without memory. */
json_t *alert_hidden_new(struct arena *arena, const struct key *key, id config, const json_t *secrets,
                         int64_t after_seq);
/* Events of the project after this place count. */
int64_t alert_config_after_seq(const json_t *document);

/* Whether people are told by mail. */
bool alert_is_mail(str type_name);

/* The notification of that id; NULL: it has none. */
const json_t *alert_config_notifier(struct arena *arena, const json_t *document, id notifier);

#endif
