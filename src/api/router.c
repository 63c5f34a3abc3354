/* SPDX-License-Identifier: Apache-2.0 */
#include "api/router.h"

struct node {
    struct edge *edges;
    const struct endpoint *endpoints[METHOD_COUNT];
};

/* The way to a deeper node: a literal segment, or a parameter with the text that must stand behind it. */
struct edge {
    struct edge *next;
    bool is_parameter;
    str text; /* the literal, or the suffix (":migrate", ".gz", mostly empty) */
    struct node node;
};

struct router {
    struct arena *arena;
    struct node root;
};

struct router *
router_new(struct arena *arena)
{
    struct router *router = ARENA_NEW(arena, struct router);
    if (router != NULL)
        router->arena = arena;
    return router;
}

/* What is tried first: literals, then parameters with the longest suffix. */
static bool
goes_before(const struct edge *a, const struct edge *b)
{
    if (a->is_parameter != b->is_parameter)
        return !a->is_parameter;
    return a->is_parameter && a->text.len > b->text.len;
}

static struct edge *
find_or_add_edge(struct router *router, struct node *node, bool is_parameter, str text)
{
    for (struct edge *edge = node->edges; edge != NULL; edge = edge->next) {
        if (edge->is_parameter == is_parameter && str_eq(edge->text, text))
            return edge;
    }
    struct edge *added = ARENA_NEW(router->arena, struct edge);
    if (added == NULL)
        return NULL;
    added->is_parameter = is_parameter;
    added->text = text;
    struct edge **at = &node->edges;
    while (*at != NULL && !goes_before(added, *at))
        at = &(*at)->next;
    added->next = *at;
    *at = added;
    return added;
}

bool
router_add(struct router *router, const struct endpoint *endpoint)
{
    struct node *node = &router->root;
    str rest = str_from(endpoint->path);
    if (rest.len > 0 && str_cut(&rest, '/').len != 0)
        return false; /* must begin with a slash */
    while (rest.len > 0) {
        str segment = str_cut(&rest, '/');
        bool is_parameter = segment.len > 0 && segment.data[0] == '{';
        if (is_parameter) {
            ptrdiff_t end = str_find(segment, '}');
            if (end < 2)
                return false;
            segment = str_slice(segment, (size_t)end + 1, segment.len);
        } else if (segment.len == 0) {
            return false;
        }
        struct edge *edge = find_or_add_edge(router, node, is_parameter, segment);
        if (edge == NULL)
            return false;
        node = &edge->node;
    }
    if (node->endpoints[endpoint->method] != NULL)
        return false;
    node->endpoints[endpoint->method] = endpoint;
    return true;
}

/* Depth first in the order of preference. A path that lacks the method does not end the search: a cluster may be named
 * like a literal ("tenantUpgrade") that only has a POST. */
static bool
search(const struct node *node, enum method method, const str *segments, size_t count, struct route *ret)
{
    if (count == 0) {
        for (int m = 0; m < METHOD_COUNT; m++) {
            if (node->endpoints[m] != NULL)
                ret->allowed |= 1u << m;
        }
        if (method == METHOD_COUNT || node->endpoints[method] == NULL)
            return false;
        ret->endpoint = node->endpoints[method];
        return true;
    }
    str segment = segments[0];
    for (const struct edge *edge = node->edges; edge != NULL; edge = edge->next) {
        if (!edge->is_parameter) {
            if (str_eq(segment, edge->text) && search(&edge->node, method, segments + 1, count - 1, ret))
                return true;
            continue;
        }
        if (segment.len <= edge->text.len || !str_ends_with(segment, edge->text) || ret->count == LENGTH(ret->values))
            continue;
        ret->values[ret->count++] = str_slice(segment, 0, segment.len - edge->text.len);
        if (search(&edge->node, method, segments + 1, count - 1, ret))
            return true;
        ret->count--;
    }
    return false;
}

void
router_find(const struct router *router, enum method method, const str *segments, size_t count, struct route *ret)
{
    *ret = (struct route){ 0 };
    search(&router->root, method, segments, count, ret);
}
