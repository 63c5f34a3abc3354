/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logging is for the edges: one line for a request (nginx writes it), one for a job step, and what an operator must
 * know about the process itself. A line is one JSON object on standard error. Secrets are types of their own
 * (base/crypto/crypto.h) that no function here takes.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/attributes.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR };

/* `event` is a short name to search for ("redis_lost"), the rest a sentence for a person. */
void log_line(enum log_level level, const char *event, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
