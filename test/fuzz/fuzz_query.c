/* SPDX-License-Identifier: Apache-2.0 */
/* Query strings: what is accepted can be written down and read again with the same result. */
#include "fuzz.h"

#include "api/query.h"

static error
do_nothing(struct request *req)
{
    (void)req;
    return OK;
}

static const char *const states[] = { "OPEN", "CLOSED", NULL };

// clang-format off
static const struct field own[] = {
    TEXT("status",   "State.",  0, .one_of = states),
    LIST("types",    "Types.",  0, .pattern = "[a-z]+"),
    LIST("m",        "Few.",    0, .max = 2),
    DATE("minDate",  "From.",   0),
    NUMBER("ratio",  "Ratio.",  0, .max = 5),
    CIDR("block",    "Block.",  0),
    ID("id",         "Id.",     0),
    TEXT("name",     "Name.",   0, .max = 8),
    END_OF_FIELDS,
};
static const struct endpoint endpoints[] = {
    { .method = GET, .path = "/a", .shape = SHAPE_LIST, .run = do_nothing, .query = own },
    { .method = PATCH, .path = "/b", .run = do_nothing },
    { .method = GET, .path = "/c" },
    { .method = POST, .path = "/d", .query = own },
};
// clang-format on

static struct request *
parse(struct arena *arena, const struct endpoint *endpoint, str raw, error *ret_error)
{
    struct request *req = ARENA_NEW(arena, struct request);
    MUST(req != NULL);
    req->arena = arena;
    req->endpoint = endpoint;
    req->path = STR("/api/svc/v2/a");
    *ret_error = query_parse(req, raw);
    return req;
}

static str
written(struct arena *arena, const struct request *req)
{
    struct buf out = buf_in(arena, 1 << 20);
    for (size_t i = 0; i < req->query_count; i++) {
        str name = str_percent_encode(arena, req->query[i].name),
            value = str_percent_encode(arena, req->query[i].value);
        buf_format(&out, "%s%.*s=%.*s", i == 0 ? "" : "&", STR_ARG(name), STR_ARG(value));
    }
    return buf_str(&out);
}

static void
must_read_what_it_wrote(struct arena *arena, const struct endpoint *endpoint, str raw)
{
    error e;
    const struct request *req = parse(arena, endpoint, raw, &e);
    MUST(req->page.number >= 1 && req->page.size >= 1 && req->page.size <= PAGE_MAX_ITEMS);
    MUST(req->query_count <= QUERY_MAX_PARAMETERS);
    if (e != OK) {
        must_be_presentable(arena, e);
        return;
    }
    MUST(!req->dry_run || endpoint->method != GET);
    const struct request *again = parse(arena, endpoint, written(arena, req), &e);
    MUST(e == OK && again->query_count == req->query_count);
    for (size_t q = 0; q < req->query_count; q++) {
        MUST(str_is_text(req->query[q].name) && str_is_text(req->query[q].value));
        MUST(str_eq(req->query[q].name, again->query[q].name) && str_eq(req->query[q].value, again->query[q].value));
    }
    MUST(again->pretty == req->pretty && again->envelope == req->envelope && again->dry_run == req->dry_run);
    MUST(again->page.number == req->page.number && again->page.size == req->page.size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(16 << 20);
    str raw = input(data, size), decoded;
    must_read_what_it_wrote(arena, &endpoints[way_of(data, size, LENGTH(endpoints))], raw);
    bool has_nul = memchr(data, 0, size) != NULL;
    MUST(str_percent_decode(arena, str_percent_encode(arena, raw), true, &decoded) == !has_nul);
    MUST(has_nul || str_eq(decoded, raw));
    MUST(!arena_is_exhausted(arena));
    arena_free(arena);
    return 0;
}
