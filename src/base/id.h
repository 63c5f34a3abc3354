/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifiers: 12 bytes, written as 24 hexadecimal digits. Four bytes of seconds make them sortable by age, two
 * name the cell that owns them, six are random so that nobody can guess a neighbour.
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { ID_BYTES = 12, ID_DIGITS = 24 };

typedef struct id {
    uint8_t bytes[ID_BYTES];
} id;

id id_new(uint16_t cell);
/* 24 lower-case hexadecimal digits, nothing else. */
MUST_USE bool id_parse(str text, id *ret_id);
str id_text(struct arena *arena, id value);
/* Into a buffer of the caller's, with a NUL. */
void id_write(id value, char ret_text[ID_DIGITS + 1]);
bool id_eq(id a, id b);
bool id_is_zero(id value);
uint64_t id_hash(id value);
uint16_t id_cell(id value);

#endif
