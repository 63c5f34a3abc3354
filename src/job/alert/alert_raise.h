/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From events to alerts. The events of a project are processed in order, each once. The alerts that they raise or
 * close, the notifications, and the new place are committed together.
 */
#ifndef JOB_ALERT_ALERT_RAISE_H
#define JOB_ALERT_ALERT_RAISE_H

#include "store/alert/alert.h"

/* Processes the next events of a project. `ret_did` is false when another worker does it, or when there are none. */
MUST_USE error alert_raise(struct store *store, struct arena *arena, struct alert_place place, bool *ret_did);

#endif
