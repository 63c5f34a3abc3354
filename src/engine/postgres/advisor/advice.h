/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about the databases of a member: indexes that would help, proven by the planner; indexes that could go; tables to change. */
#ifndef ENGINE_POSTGRES_ADVISOR_ADVICE_H
#define ENGINE_POSTGRES_ADVISOR_ADVICE_H

#include "base/json.h"
#include "engine/engine.h"

/* Puts "advice" into a document of load_look(), and the shapes that it speaks of. */
error advice_add(struct engine_member *self, json_t *document);

#endif
