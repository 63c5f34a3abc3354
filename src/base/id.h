/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifiers: 12 bytes, written as 24 hexadecimal digits. Four bytes of seconds make them sortable by age, two name
 * the cell that owns them, six are random so that nobody can guess a neighbour.
 *
 * An identifier can be missing. Its bytes do not show that: clients send any 24 digits, zeros too. An identifier that
 * was never set is missing.
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { ID_BYTES = 12, ID_DIGITS = 24, ID_REST_BYTES = 6 };

typedef struct id {
    uint8_t bytes[ID_BYTES];
    bool is_there;
} id;

#define ID_NONE ((id){ .is_there = false })

id id_new(uint16_t cell);
/* One whose last six bytes are the caller's: for what several must name alike without asking each other. */
id id_from(uint16_t cell, int64_t at_ms, const uint8_t rest[ID_REST_BYTES]);
/* From 12 bytes that were kept somewhere. */
id id_of_bytes(const void *bytes);
/* 24 lower-case hexadecimal digits, nothing else; none when it is something else. */
MUST_USE bool id_parse(str text, id *ret_id);
/* Empty when there is none. */
str id_text(struct arena *arena, id value);
/* The same into a buffer of the caller's, with a NUL. */
void id_write(id value, char ret_text[ID_DIGITS + 1]);
/* A missing identifier equals nothing, not even another missing one. */
bool id_eq(id a, id b);
/* Whether two documents say the same: two that are missing do. Never for who may do what. */
bool id_same(id a, id b);
bool id_is_there(id value);
/* The first when it is there, else the second. */
id id_or(id first, id second);
uint64_t id_hash(id value);
uint16_t id_cell(id value);

#endif
