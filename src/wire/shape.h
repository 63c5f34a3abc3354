/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a JSON document into structs, by tables: one row a field. There is no tree in between, so that a document of a
 * thousand members takes milliseconds. Strict about types, bounds and UTF-8; fields that no row names are skipped (their
 * values must still be JSON), because agents and control planes of neighbouring versions work together.
 */
#ifndef WIRE_SHAPE_H
#define WIRE_SHAPE_H

#include "base/error.h"

enum wire_kind {
    WIRE_TEXT,   /* str; `max` is its longest length in bytes */
    WIRE_ID,     /* struct id */
    WIRE_INT,    /* int64_t within [min, max] */
    WIRE_NUMBER, /* double within [min, max] */
    WIRE_BOOL,   /* bool */
    WIRE_TEXTS,  /* struct wire_texts; `max` is the most that there may be */
    WIRE_PAIRS,  /* struct wire_pairs: an object of texts, in its order */
    WIRE_OBJECT, /* the struct itself, of the shape `of` */
    WIRE_LIST,   /* struct wire_list: objects of the shape `of` */
    WIRE_RAW,    /* str: the value as JSON text */
};

enum {
    WIRE_REQUIRED = 1, /* the others stay as they are when they are absent or null: zero, unless the caller set them */
};

struct wire_texts {
    size_t count;
    str *items;
};
struct wire_pair {
    str name, value;
};
struct wire_pairs {
    size_t count;
    struct wire_pair *items;
};
struct wire_list {
    size_t count;
    void *items;
};

struct wire_field {
    const char *name;
    enum wire_kind kind;
    unsigned flags;
    size_t offset;
    int64_t min, max;
    const struct wire_shape *of;
};
struct wire_shape {
    const struct wire_field *fields;
    size_t count, size; /* of rows (at most 64); of the struct in bytes */
};

#define WIRE_SHAPE(type, rows)           \
    {                                    \
        rows, LENGTH(rows), sizeof(type) \
    }

/*
 * Everything is copied into the arena, every text followed by a NUL. INVALID_JSON when it is not JSON;
 * INVALID_ATTRIBUTE_VALUE and MISSING_ATTRIBUTE name the place ("members[3].port").
 */
MUST_USE error wire_read(struct arena *arena, str text, const struct wire_shape *shape, void *ret);

/* Whether two structs that were read by one shape say the same. */
bool wire_equal(const struct wire_shape *shape, const void *a, const void *b);

#endif
