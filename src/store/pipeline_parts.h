/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the store's own readers need of a pipeline beyond store/pipeline.h. They also pass no arena to pipeline_send():
 * then the receiver owns the result and clears it. Only for store/.
 */
#ifndef STORE_PIPELINE_PARTS_H
#define STORE_PIPELINE_PARTS_H

#include "store/pipeline.h"

/* Ready, or not known to be cut off: no attempt to connect has failed since it was ready, so waiting makes sense. */
bool pipeline_is_hopeful(const struct pipeline *pipeline);

#endif
