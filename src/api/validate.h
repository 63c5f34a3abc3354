/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what a client sent against the field tables. The first mistake is the error; it names the others too, with their paths. */
#ifndef API_VALIDATE_H
#define API_VALIDATE_H

#include <jansson.h>

#include "api/contract.h"

enum validate_mode {
    VALIDATE_CREATE,  /* POST: required fields must be there */
    VALIDATE_REPLACE, /* PUT: as create, but what is fixed at creation must not be sent */
    VALIDATE_UPDATE,  /* PATCH: every field may be left out */
};

/*
 * Checks the body and, on create and replace, adds the fallbacks of fields that were not sent. A nested object is
 * checked in the mode of the whole; the items of a list always as created, because a list is replaced as a whole.
 * Without a schema any object is valid. `body` NULL is an error as well.
 *
 * The path of a field is written as tags[3].key; no message repeats a value that was sent.
 */
MUST_USE error validate_body(struct arena *arena, const struct schema *schema, enum validate_mode mode, json_t *body);

/*
 * The same for a change of an existing entity, shown by `before`. It matters for objects of several kinds: when the
 * deciding field is not sent, the stored kind applies. If that is unknown too (`before` NULL, as in validate_body), the
 * body must be valid for one of the kinds.
 */
MUST_USE error validate_change(struct arena *arena, const struct schema *schema, enum validate_mode mode,
                               const json_t *before, json_t *body);

/* The same for an endpoint whose body is a list (BODY_IS_LIST): each item is checked as created. */
enum { BODY_LIST_MAX = 200 };
MUST_USE error validate_list_body(struct arena *arena, const struct schema *schema, json_t *body);

/* One query parameter by its field; for a LIST one of its items. INVALID_QUERY_PARAMETER when no field has the name. */
MUST_USE error validate_query(struct arena *arena, const struct field *fields, str name, str value);

/* NULL when there is none of that name. `fields` may be NULL. */
const struct field *field_find(const struct field *fields, str name);
/* The one with variants; NULL when there is none. `fields` may be NULL. */
const struct field *field_that_decides(const struct field *fields);
/* The further fields that its value brings; NULL when it has no such value. */
const struct field *field_variant(const struct field *decides, str value);

/* The bounds of a field; 0 and 0 in the table mean no bounds. */
bool field_has_min(const struct field *field);
bool field_has_max(const struct field *field);

/* Number of Unicode characters in well-formed UTF-8. */
int64_t text_length(str text);

#endif
