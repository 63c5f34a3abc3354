/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits the lines of the request log that an address without valid credentials can cause. It gets a number of lines in
 * a minute, and then one line that says how many were left out. What a caller with valid credentials does is always
 * logged, except requests beyond their limits and reads that they cancelled: these count here as well.
 */
#ifndef HTTP_LOG_SHARE_H
#define HTTP_LOG_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"

void log_share_start(int64_t lines_per_minute);
/* Whether the line of this request is written; counts it. NULL: nothing is known of it. */
bool log_share_take(const struct request *req, unsigned status);
/* Each second: tells what was left out when the minute is over. */
void log_share_tick(void);

#endif
