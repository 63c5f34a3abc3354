/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: date_parse(date_text(x)) == x, both for what was read and for every moment of the calendar. */
#include "fuzz.h"

#include "base/date.h"

#define FIRST_MS (-62135596800000)
#define LAST_MS  253402300799999

static void
must_come_back(struct arena *arena, int64_t ms)
{
    int64_t back;
    str text = date_text(arena, ms);
    MUST(date_parse(text, &back));
    MUST(back == ms);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(1 << 16);
    int64_t ms;
    int day;
    if (date_parse(input(data, size), &ms)) {
        MUST(ms >= FIRST_MS && ms <= LAST_MS);
        must_come_back(arena, ms);
    }
    if (date_parse_day(input(data, size), &day)) {
        MUST(date_parse(input(data, size), &ms) && ms % 86400000 == 0);
        str text = date_text(arena, ms);
        MUST(str_starts_with(text, input(data, size)));
    }
    if (size >= sizeof(uint64_t)) {
        uint64_t any;
        memcpy(&any, data, sizeof(any));
        must_come_back(arena, FIRST_MS + (int64_t)(any % (uint64_t)(LAST_MS - FIRST_MS + 1)));
    }
    arena_free(arena);
    return 0;
}
