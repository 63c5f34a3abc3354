/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent upload`, the last stage of an export: writes what was dumped to the bucket, then what says that it is whole. It has the keys of the bucket and
 * none of the repository, and reaches nothing but the addresses of the store. Killed anywhere it goes on: what is there with the right checksum is not sent again.
 */
#ifndef ENGINE_POSTGRES_EXPORT_EXPORT_UPLOAD_H
#define ENGINE_POSTGRES_EXPORT_EXPORT_UPLOAD_H

#include "engine/problem.h"

/* An error: not even what went wrong could be written down. */
MUST_USE error export_upload_run(struct arena *arena, str folder);

/* Whether a file has the rows of a table: "3421.dat.zst" of pg_dump's folders, "orders.csv.gz". */
bool export_is_table(str file);

#endif
