/* SPDX-License-Identifier: Apache-2.0 */
/* What the files behind agent.h share. */
#ifndef FLEET_AGENT_PARTS_H
#define FLEET_AGENT_PARTS_H

#include "fleet/agent.h"
#include "fleet/authority.h"

/* ---- join.c ---- */
MUST_USE error agent_join(struct fleet *fleet, struct arena *arena, const struct agent_request *request,
                          struct agent_answer *ret_answer);
/* {"certificate", "authority"} */
str agent_certificate_document(struct arena *arena, str certificate, const struct authority *authority);

#endif
