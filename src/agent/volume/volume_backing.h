/* SPDX-License-Identifier: Apache-2.0 */
/* What an image takes of the host's disk before anything is written to it, so that what was promised is there. */
#ifndef AGENT_VOLUME_VOLUME_BACKING_H
#define AGENT_VOLUME_VOLUME_BACKING_H

#include "engine/problem.h"

/*
 * All of the image but for what the first `later_bytes` of a file in it take. What it has already stays as it is. Both are open: the image to be written to,
 * and the file where it is mounted.
 */
MUST_USE error volume_backing_take(struct arena *arena, int image, int later, int64_t later_bytes);

#endif
