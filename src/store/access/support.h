/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of the operator's staff on a cluster: a database user of one cluster, from one address, for some hours, while the consent of the
 * cluster's owner lasts. Resources of kind supportSession.
 */
#ifndef STORE_ACCESS_SUPPORT_H
#define STORE_ACCESS_SUPPORT_H

#include "store/event/event.h"
#include "store/store.h"

#define SUPPORT_USER_PREFIX "reeve-support-"

struct support_ended {
    id organization, project;
    id cluster, session; /* all of a cluster, or one; the other is zero */
};
/* Ends them, each with the event EMPLOYEE_ACCESS_CLOSED by `by` (the worker without one), and raises the project's number. Late in the transaction. */
MUST_USE error store_support_end(struct tx *tx, const struct support_ended *which, const struct event_draft *by,
                                 size_t *ret_count);

#endif
