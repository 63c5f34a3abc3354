/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured now, in the text format that Prometheus scrapes. */
#ifndef MONITOR_EXPOSITION_H
#define MONITOR_EXPOSITION_H

#include "base/str.h"

/* `answer` is what a store says to a question about one moment. False when it is something else, or the text has more than `most_bytes`. */
MUST_USE bool exposition_make(struct arena *arena, str answer, size_t most_bytes, str *ret_text);

#endif
