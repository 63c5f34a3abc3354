/* SPDX-License-Identifier: Apache-2.0 */
/* What the files behind agent.h share. */
#ifndef FLEET_AGENT_PARTS_H
#define FLEET_AGENT_PARTS_H

#include "fleet/agent.h"
#include "fleet/authority.h"

/* ---- agent.c ---- */
struct fleet *agents_fleet(const struct request *req);
void agent_answer(struct request *req, unsigned status, str body);

/* A whole number of the query, from 0 on. Unknown parameters are ignored, as unknown fields are. */
MUST_USE error agent_read_number(struct request *req, const char *name, int64_t *ret_value);

/* ---- points.c ---- */
MUST_USE error agent_read_points(struct request *req);
MUST_USE error agent_points(struct request *req);

/* ---- join.c ---- */
MUST_USE error agent_join(struct request *req);
/* {"certificate", "authority"} */
str agent_certificate_document(struct arena *arena, str certificate, const struct authority *authority);

#endif
