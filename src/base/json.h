/* SPDX-License-Identifier: Apache-2.0 */
/* What clients send is parsed strictly: no duplicate keys, UTF-8 only, no NUL, bounded size, depth and number of values. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/error.h"

/*
 * Each value costs a hundred bytes and almost a microsecond, however short its text is. The largest bodies that the
 * field tables allow have a few thousand.
 */
enum { JSON_MAX_BYTES = 1024 * 1024, JSON_MAX_DEPTH = 32, JSON_MAX_VALUES = 20000 };

/* Any JSON value; freed with the arena. INVALID_JSON says where it went wrong. */
MUST_USE error json_parse(struct arena *arena, str text, json_t **ret_json);
/*
 * The same with another bound on its size and none on the number of values, for senders that are not clients of the
 * API.
 */
MUST_USE error json_parse_within(struct arena *arena, str text, size_t max_bytes, json_t **ret_json);
/* Text that Reeve itself or PostgreSQL wrote; NULL when it is not JSON. Freed with the arena. */
json_t *json_parse_own(struct arena *arena, str text);
str json_text(struct arena *arena, const json_t *json);
str json_pretty(struct arena *arena, str text);
/* Ties a value to the arena and returns it; NULL stays NULL. */
json_t *json_in(struct arena *arena, json_t *json);
str json_str(const json_t *string);
/* Of an object: empty, and 0, when it has none of that name. */
str json_text_at(const json_t *object, const char *name);
int64_t json_int_at(const json_t *object, const char *name);

/* Once, before threads start: jansson's hash seed, and object keys kept in the order of insertion. */
void json_init(void);

#endif
