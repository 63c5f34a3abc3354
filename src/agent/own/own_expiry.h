/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody names backups of the control plane's own database that are to go: they go when their time is over. */
#ifndef AGENT_OWN_OWN_EXPIRY_H
#define AGENT_OWN_OWN_EXPIRY_H

#include "agent/seat/seat_view.h"

/* A full backup that nothing can take the place of stays, however old it is; and none goes while a clock is wrong. */
bool own_backup_is_over(const struct seat_view *view, const json_t *backup, int64_t now_ms);

#endif
