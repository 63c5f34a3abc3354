/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of this host. */
#ifndef AGENT_FACTS_H
#define AGENT_FACTS_H

#include "engine/engine.h"

/* An error when the host lacks what members need. */
MUST_USE error facts_read(struct arena *arena, const struct engine *engine, struct report_facts *ret_facts);
/* What of the facts changes while the agent runs: the operator's package manager replaces servers' programs. */
enum { FACTS_MOST_VERSIONS = 16, FACTS_VERSION_BYTES = 32 };
struct facts_watch {
    bool has_looked;
    uint64_t mark;
    size_t count;
    char versions[FACTS_MOST_VERSIONS][FACTS_VERSION_BYTES];
};
/* The versions as they are now. Programs are asked only when one was replaced. */
struct wire_texts facts_versions(struct facts_watch *watch, struct arena *arena, const struct engine *engine);
/* As the join request has them. */
str facts_text(struct arena *arena, const struct report_facts *facts);
str facts_boot_id(struct arena *arena);
/* Units of members on this host that are not in the goal. */
struct wire_texts facts_strays(struct arena *arena, const struct goal *goal);

#endif
