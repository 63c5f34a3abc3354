/* SPDX-License-Identifier: Apache-2.0 */
/* What lines look like to those who receive them. */
#ifndef AGENT_LOG_LOG_MESSAGE_H
#define AGENT_LOG_LOG_MESSAGE_H

#include "agent/log/log_line.h"

enum { LOG_MESSAGE_MAX_BYTES = 16 * 1024 * 1024 };

/* The body of one POST, JSON. Empty when the arena is full, or the form is not known. */
str log_message(struct arena *arena, enum goal_log_form form, const struct log_line *lines, size_t count);

#endif
