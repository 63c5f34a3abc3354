/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. A property that does not hold ends the process, which libFuzzer reports like a crash. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                    \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

static inline str
input(const uint8_t *data, size_t size)
{
    return (str){ (const char *)data, size };
}

/* Which of `count` ways an input goes: decided by all of its bytes, so that one more byte may lead another way. One way an
 * execution, not all of them, so that a campaign tries more inputs in its time. */
static inline size_t
way_of(const uint8_t *data, size_t size, size_t count)
{
    uint32_t sum = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 16777619u;
    return (sum >> 8) % count;
}

/* Whatever was refused, the client gets a document with exactly five fields. One in eight is tried: making documents costs
 * more than most of what is fuzzed. */
static inline void
must_be_presentable(struct arena *arena, error e)
{
    if (way_of((const uint8_t *)e->detail.data, e->detail.len, 8) != 0)
        return;
    MUST(str_is_text(e->detail) && e->detail.len > 0);
    json_t *document = json_parse_own(arena, error_document(arena, e));
    MUST(document != NULL && json_object_size(document) == 5);
    /* Those of the code, and two for each further field that is wrong. */
    MUST(json_array_size(json_object_get(document, "parameters")) == e->parameter_count + 2 * e->other_count);
}

#endif
