/* SPDX-License-Identifier: Apache-2.0 */
#include "api/catalog.h"
#include "api/media.h"
#include "api/query.h"
#include "api/render.h"
#include "api/stage/stages.h"

static enum method
method_from(str name, bool *ret_head)
{
    *ret_head = str_is(name, "HEAD");
    if (*ret_head)
        return GET;
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (str_is(name, method_names[m]))
            return (enum method)m;
    }
    return METHOD_COUNT;
}

/* "GET, HEAD, POST" */
static str
allow_header(struct arena *arena, unsigned allowed)
{
    struct buf out = buf_in(arena, 256);
    for (int m = 0; m < METHOD_COUNT; m++) {
        if ((allowed >> m & 1) == 0)
            continue;
        if (out.len > 0)
            buf_add_text(&out, ", ");
        buf_add_text(&out, m == GET ? "GET, HEAD" : method_names[m]);
    }
    return buf_str(&out);
}

/* What stands between the slashes, decoded. Decoding comes after splitting, so that an encoded slash belongs to a value. */
static error
split_path(struct request *req, str path, str *segments, size_t *ret_count)
{
    size_t count = 0;
    if (path.len > 0) {
        if (path.data[0] != '/')
            return request_not_found(req);
        str rest = str_slice(path, 1, path.len);
        for (bool more = true; more; count++) {
            if (count == MAX_PATH_SEGMENTS)
                return request_not_found(req);
            more = str_find(rest, '/') >= 0;
            if (!str_percent_decode(req->arena, str_cut(&rest, '/'), false, &segments[count]) ||
                !str_is_text(segments[count]))
                return fail(req->arena, INVALID_PATH_PARAMETER, V("path"), V("it must be percent-encoded UTF-8 text"));
        }
    }
    *ret_count = count;
    return OK;
}

/* The part behind the prefix of a version, or false when it is none of ours. */
static bool
strip_prefix(struct request *req, str *ret_path)
{
    static const str prefixes[] = { { API_PREFIX, sizeof(API_PREFIX) - 1 },
                                    { API_PREFIX_V1, sizeof(API_PREFIX_V1) - 1 } };
    for (size_t i = 0; i < LENGTH(prefixes); i++) {
        if (!str_starts_with(req->path, prefixes[i]))
            continue;
        str rest = str_slice(req->path, prefixes[i].len, req->path.len);
        if (rest.len > 0 && rest.data[0] != '/')
            continue;
        req->is_v1 = i == 1;
        *ret_path = rest;
        return true;
    }
    return false;
}

/* How the answer is to look is honoured even when nothing else about the request is right. */
static void
read_format(struct request *req, str raw_query)
{
    while (raw_query.len > 0) {
        str parameter = str_cut(&raw_query, '&');
        if (str_is(parameter, "envelope=true"))
            req->envelope = true;
        else if (str_is(parameter, "pretty=true"))
            req->pretty = true;
    }
}

error
route_path(struct request *req, str path, str raw_query)
{
    str segments[MAX_PATH_SEGMENTS];
    size_t count = 0;
    struct route route;
    TRY(split_path(req, path, segments, &count));
    enum method method = method_from(req->in.method, &req->head);
    catalog_route(req->api->catalog, method, segments, count, &route);
    if (req->is_v1 && (route.endpoint == NULL || (route.endpoint->flags & ALSO_V1) == 0))
        return request_not_found(req);
    if (route.endpoint == NULL) {
        if (route.allowed == 0)
            return request_not_found(req);
        response_header(&req->out, STR("Allow"), allow_header(req->arena, route.allowed));
        return fail(req->arena, METHOD_NOT_ALLOWED, V(req->in.method), V(req->path));
    }
    req->endpoint = route.endpoint;
    req->name = route.endpoint->operation;
    req->counter = req->api->first_counter + catalog_index(req->api->catalog, route.endpoint);
    req->path_count = route.count;
    /* Copied, because a value in front of a suffix is a slice, and statements need a NUL behind it. */
    for (size_t i = 0; i < route.count; i++)
        req->path_values[i] = str_dup(req->arena, route.values[i]);

    /* Judged only after it is known who asks: a stranger learns nothing from them. */
    req->input_problem = query_parse(req, raw_query);
    error accept_problem = media_choose(req->arena, req->endpoint, req->in.accept, &req->version);
    req->wants_stream = media_wants_stream(req->endpoint, req->in.accept);
    if (req->input_problem == OK)
        req->input_problem = accept_problem;
    return OK;
}

error
stage_target(struct request *req)
{
    str raw_query = req->in.target;
    req->path = str_cut(&raw_query, '?');
    /* OpenAPI knows no empty path: a client that was made from the document asks for the root with a slash. */
    if (str_is(req->path, API_PREFIX "/"))
        req->path = str_slice(req->path, 0, req->path.len - 1);
    read_format(req, raw_query);
    return OK;
}

error
stage_route(struct request *req)
{
    str path, raw_query = req->in.target;
    (void)str_cut(&raw_query, '?');
    if (!strip_prefix(req, &path))
        return request_not_found(req);
    return route_path(req, path, raw_query);
}
