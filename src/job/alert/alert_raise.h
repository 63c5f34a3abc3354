/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From events to alerts. The events of a project are looked at in their order, each once: what they raise and close, who is to be
 * told, and the place that was reached commit together.
 */
#ifndef JOB_ALERT_ALERT_RAISE_H
#define JOB_ALERT_ALERT_RAISE_H

#include "store/alert/alert.h"

/* Looks at the next events of a project. `ret_did` is false when somebody else is at it, or when there are none. */
MUST_USE error alert_raise(struct store *store, struct arena *arena, struct alert_place place, bool *ret_did);

#endif
