/* SPDX-License-Identifier: Apache-2.0 */
/* Accept and Content-Type: what is served is a version that exists, and never one after the date that was asked for. */
#include "fuzz.h"

#include "api/media.h"
#include "base/date.h"

static const struct endpoint endpoints[] = {
    { .path = "/a" },
    { .path = "/b", .since = "2023-02-01 2024-08-05 2025-03-12" },
    { .path = "/c.gz", .shape = SHAPE_FILE, .since = "2024-01-01" },
};

static void
must_exist(const struct endpoint *endpoint, const char *version)
{
    str rest = str_from(endpoint->since == NULL ? FIRST_VERSION : endpoint->since);
    while (rest.len > 0) {
        if (str_is(str_cut(&rest, ' '), version))
            return;
    }
    MUST(!"the version exists");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(1 << 20);
    str text = input(data, size);
    error e, refused = OK;
    const struct endpoint *endpoint = &endpoints[way_of(data, size, LENGTH(endpoints))];
    const char *version = NULL;
    e = media_choose(arena, endpoint, text, &version);
    if (e == OK)
        must_exist(endpoint, version);
    else
        refused = e;

    /* The input as a date alone. */
    str accept = str_format(arena, "application/vnd.svc.%.*s+json", STR_ARG(text));
    int asked, served;
    version = NULL;
    e = media_choose(arena, endpoint, accept, &version);
    if (e == OK && date_parse_day(text, &asked)) {
        MUST(date_parse_day(str_from(version), &served) && served <= asked);
    } else if (e != OK) {
        MUST(version == NULL);
        refused = e;
    }
    e = media_check_body(arena, text);
    if (e != OK)
        refused = e;
    /* One of them stands for all: making documents is not what is tried here. */
    if (refused != OK)
        must_be_presentable(arena, refused);
    MUST(!arena_is_exhausted(arena));
    arena_free(arena);
    return 0;
}
