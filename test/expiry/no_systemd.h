/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that use the agent's code about a seat where there is no systemd. */
#ifndef TEST_NO_SYSTEMD_H
#define TEST_NO_SYSTEMD_H

#include "base/error.h"

/* Given by whoever uses it: what happens in place of starting a unit. No unit is ever seen running. */
error no_systemd_start(void);

#endif
