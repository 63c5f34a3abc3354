/* SPDX-License-Identifier: Apache-2.0 */
/* Logs what a host did that it must not do, but not again with every poll of the same host. */
#ifndef FLEET_REFUSAL_H
#define FLEET_REFUSAL_H

#include "base/error.h"
#include "base/id.h"

/* `reason` is a short name to search for, the same text each time. A host that is not known has a zero id. */
void refusal_note(id host, const char *reason, str sentence);

#endif
