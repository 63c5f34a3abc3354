/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that members and seats need: sealed in the database, opened only in the document that the host is sent. */
#ifndef FLEET_GOAL_SECRET_H
#define FLEET_GOAL_SECRET_H

#include "fleet/fleet.h"

/* The goal with secrets instead of "sealed:<whose>:<bytes>". One that cannot be opened becomes empty. */
MUST_USE error goal_open_secrets(struct fleet *fleet, struct arena *arena, str goal, str *ret_goal);

#endif
