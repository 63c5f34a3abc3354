/* SPDX-License-Identifier: Apache-2.0 */
/* Alerts of a project that are opened and closed in one transaction, with everything that follows from it: who is told, and the events about it. */
#ifndef JOB_ALERT_ALERT_CHANGE_H
#define JOB_ALERT_ALERT_CHANGE_H

#include <jansson.h>

#include "store/alert/alert.h"

struct alert_news;

struct alert_change {
    struct tx *tx;
    struct arena *arena;
    struct alert_place place;
    struct alert_news *first, **last;
};

/* It refers to itself: not to be copied. */
void alert_change_begin(struct alert_change *change, struct tx *tx, struct arena *arena, struct alert_place place);
/* `document` is that of the new alert; `config` that of what raised it. */
MUST_USE error alert_change_opened(struct alert_change *change, const json_t *config, id alert, str document,
                                   str cluster);
/* Nothing when it was closed before. Whoever was told of its opening is told of its end. */
MUST_USE error alert_change_close(struct alert_change *change, const json_t *config, id alert);
/* Writes the events. At the end: the first takes the organization's chain, and others wait for it. */
MUST_USE error alert_change_end(struct alert_change *change);

/* Whether nobody is told of it at once. */
bool alert_config_waits(const json_t *config);

#endif
