/* SPDX-License-Identifier: Apache-2.0 */
/* What pg_controldata says about the data of a server that does not run. */
#ifndef ENGINE_POSTGRES_BACKUP_CONTROL_DATA_H
#define ENGINE_POSTGRES_BACKUP_CONTROL_DATA_H

#include "engine/problem.h"

/* `program` is the pg_controldata of the server's version. */
MUST_USE error control_data_read(struct arena *arena, str program, str data, str *ret_said);
/* By the name that stands before the colon. */
str control_data_value(str said, const char *name, str otherwise);
MUST_USE error control_data_segment_bytes(struct arena *arena, str said, uint64_t *ret_bytes);

#endif
