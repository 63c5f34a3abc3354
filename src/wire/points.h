/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How measurements travel from agent to control plane: text, one record a line.
 *
 *     <member id> <time in ms> <scope letter> <name or -> METRIC=value,METRIC=value,…
 *
 * The name is that of a database, of a disk, or database.schema.table; percent-encoded, `-` for processes. Numbers are
 * decimal, without an exponent. Agents write, the control plane reads and believes nothing.
 */
#ifndef WIRE_POINTS_H
#define WIRE_POINTS_H

#include "base/id.h"
#include "wire/metric_table.h"

enum {
    POINTS_MOST_BYTES = 1024 * 1024, /* of a batch */
    POINTS_LINE_BYTES = 8 * 1024,    /* with its newline */
    POINTS_NAME_BYTES = 255,         /* decoded: three identifiers of 63 bytes and their dots fit */
    POINTS_NUMBER_BYTES = 24,
    POINTS_MOST_VALUES = METRIC_COUNT,
    POINTS_METRIC_BYTES = 64,
};

/* ---- Writing ---- */
struct points_writer {
    struct buf *out;
    size_t began_at, values;
    bool has_name; /* one that can be read again, or none is needed */
};

/* `name` is ignored for processes. */
struct points_writer points_begin(struct buf *out, id member, int64_t time_ms, enum metric_scope scope, str name);
/* A value that is no number, or too large for the wire, is left out. */
void points_add(struct points_writer *writer, enum metric_number metric, double value);
/* A line without values, or one that is too long, is taken back; so is one whose name is: a database may be called anything, also in no encoding. */
void points_end(struct points_writer *writer);

/* ---- Reading ---- */
struct point_value {
    const struct metric *metric;
    str number; /* a slice of the line: digits, perhaps with '-' and '.' */
};

struct points_line {
    id member;
    int64_t time_ms;
    enum metric_scope scope;
    str name; /* decoded, in name_bytes; empty for processes */
    size_t value_count;
    struct point_value values[POINTS_MOST_VALUES];
    char name_bytes[POINTS_NAME_BYTES + 1];
};

struct points_reader {
    str rest;
    size_t line_number;  /* of the line that was read last, from 1 on */
    size_t unknown;      /* values of metrics that this version does not know; they are passed over */
    const char *problem; /* of a bad line: a sentence */
};

enum points_found { POINTS_LINE, POINTS_END, POINTS_BAD };

struct points_reader points_read(str body);
/* Nothing is allocated: a line points into the body and itself, and is valid until the next is read into it. */
MUST_USE enum points_found points_next(struct points_reader *reader, struct points_line *ret_line);

#endif
