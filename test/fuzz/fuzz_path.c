/* SPDX-License-Identifier: Apache-2.0 */
/* The router against a plain search through all templates: both must find the same operation, or none. */
#include "fuzz.h"

#include "api/router.h"

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "" },
    { GET, "/groups" },
    { POST, "/groups" },
    { GET, "/groups/byName/{groupName}" },
    { GET, "/groups/{groupId}" },
    { DELETE, "/groups/{groupId}" },
    { POST, "/groups/{groupId}:migrate" },
    { GET, "/groups/{groupId}/clusters" },
    { POST, "/groups/{groupId}/clusters" },
    { GET, "/groups/{groupId}/clusters/{clusterName}" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}" },
    { GET, "/groups/{groupId}/clusters/provider/regions" },
    { POST, "/groups/{groupId}/clusters/tenantUpgrade" },
    { POST, "/groups/{groupId}/clusters/{clusterName}:pin" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/index/{indexName}" },
    { GET, "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz" },
    { GET, "/groups/{groupId}/clusters/{hostName}/logs/{logName}" },
    { GET, "/users/byName/{userName}" },
    { GET, "/users/{userId}" },
};
// clang-format on

enum { MAX_SEGMENTS = 24 };

/* How well one segment of a template fits: 0 not at all, then longer suffixes, then a literal. */
static size_t
fit(str pattern, str segment)
{
    if (pattern.data[0] != '{')
        return str_eq(pattern, segment) ? 1000 : 0;
    str suffix = pattern;
    str_cut(&suffix, '}');
    return segment.len > suffix.len && str_ends_with(segment, suffix) ? 1 + suffix.len : 0;
}

/* Fits of all segments in order, or false. */
static bool
matches(const char *path, const str *segments, size_t count, size_t *ret_fits)
{
    str rest = str_from(path);
    if (rest.len == 0)
        return count == 0;
    str_cut(&rest, '/');
    for (size_t i = 0; i < count; i++) {
        if (rest.len == 0)
            return false;
        ret_fits[i] = fit(str_cut(&rest, '/'), segments[i]);
        if (ret_fits[i] == 0)
            return false;
    }
    return rest.len == 0;
}

static const struct endpoint *
search_plainly(enum method method, const str *segments, size_t count, unsigned *ret_allowed)
{
    const struct endpoint *best = NULL;
    size_t best_fits[MAX_SEGMENTS] = { 0 };
    for (size_t e = 0; e < LENGTH(endpoints); e++) {
        size_t fits[MAX_SEGMENTS] = { 0 }, i = 0;
        if (!matches(endpoints[e].path, segments, count, fits))
            continue;
        *ret_allowed |= 1u << endpoints[e].method;
        if (endpoints[e].method != method)
            continue;
        while (i < count && fits[i] == best_fits[i])
            i++;
        if (best == NULL || (i < count && fits[i] > best_fits[i])) {
            best = &endpoints[e];
            memcpy(best_fits, fits, sizeof(fits));
        }
    }
    return best;
}

static struct router *
router(void)
{
    static struct router *made;
    if (made == NULL) {
        static struct arena *arena; /* for the life of the process */
        arena = arena_new(1 << 20);
        made = router_new(arena);
        for (size_t i = 0; i < LENGTH(endpoints); i++)
            MUST(router_add(made, &endpoints[i]));
    }
    return made;
}

/* The values put back into the template give the segments again. */
static void
must_fill(const struct route *route, const str *segments, size_t count)
{
    str rest = str_from(route->endpoint->path);
    size_t value = 0;
    str_cut(&rest, '/');
    for (size_t i = 0; i < count; i++) {
        str pattern = str_cut(&rest, '/'), suffix = pattern;
        if (pattern.data[0] != '{')
            continue;
        str_cut(&suffix, '}');
        MUST(value < route->count && route->values[value].len > 0);
        MUST(str_starts_with(segments[i], route->values[value]) && str_ends_with(segments[i], suffix));
        MUST(route->values[value].len + suffix.len == segments[i].len);
        value++;
    }
    MUST(value == route->count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct arena *arena = arena_new(1 << 20);
    enum method method = (enum method)(data[0] % (METHOD_COUNT + 1));
    str rest = input(data + 1, size - 1), segments[MAX_SEGMENTS];
    size_t count = 0;
    bool good = true;
    if (rest.len > 0 && rest.data[0] == '/')
        rest = str_slice(rest, 1, rest.len);
    for (bool more = rest.len > 0; more && good; count++) {
        more = str_find(rest, '/') >= 0;
        good = count < MAX_SEGMENTS && str_percent_decode(arena, str_cut(&rest, '/'), false, &segments[count]);
    }
    if (good) {
        struct route route;
        unsigned allowed = 0;
        router_find(router(), method, segments, count, &route);
        MUST(route.endpoint == search_plainly(method, segments, count, &allowed));
        if (route.endpoint != NULL)
            must_fill(&route, segments, count);
        else
            MUST(route.allowed == allowed);
    }
    arena_free(arena);
    return 0;
}
