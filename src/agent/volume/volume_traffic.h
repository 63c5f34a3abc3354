/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what a member writes may wait in the host's memory. Whoever fills a disk would otherwise have seconds of work lie before everybody else's next
 * commit.
 */
#ifndef AGENT_VOLUME_VOLUME_TRAFFIC_H
#define AGENT_VOLUME_VOLUME_TRAFFIC_H

#include "base/str.h"

/*
 * Of the volume that is mounted there: its image is written past the host's cache, so that nothing waits twice; and of its own cache little is unwritten at a time.
 * A kernel that has no such bounds keeps those it has.
 */
void volume_traffic_keep(struct arena *arena, str place);

#endif
