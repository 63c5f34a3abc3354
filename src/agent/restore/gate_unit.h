/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a gate's unit. */
#ifndef AGENT_RESTORE_GATE_UNIT_H
#define AGENT_RESTORE_GATE_UNIT_H

#include "base/str.h"

/* What its process sees, below a root of its own. */
#define GATE_INSIDE      "/gate" /* configuration and certificates */
#define GATE_REPOSITORY  "/repo"
#define GATE_LAST        "/last" /* WAL that is not in the repository yet */
#define GATE_CONFIG_NAME "pgbackrest.conf"
#define GATE_ENVIRONMENT "key/gate.env" /* below its folder, outside of that root: the passphrase */

struct gate_unit_wish {
    str stanza, user;
    str folder; /* of the gate */
    str repository;
};
str gate_unit_text(struct arena *arena, const struct gate_unit_wish *wish);

#endif
