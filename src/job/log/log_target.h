/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts are told about a target of logs: its form, its address and its headers. */
#ifndef JOB_LOG_LOG_TARGET_H
#define JOB_LOG_LOG_TARGET_H

#include <jansson.h>

#include "base/id.h"

extern const char *const log_target_regions[]; /* of the service that has some; NULL at the end */

bool log_target_is_offered(str type);
/* {"form", "url", "headers", "relayed"} of an integration; `secrets` are its own, by field. NULL without memory. */
json_t *log_target_make(struct arena *arena, const json_t *integration, const json_t *secrets);

#endif
