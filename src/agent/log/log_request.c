/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_request.h"

#include "base/net/log_door.h"

static bool
skip(str *rest, str text)
{
    if (!str_starts_with(*rest, text))
        return false;
    *rest = str_slice(*rest, text.len, rest->len);
    return true;
}

/* ---- The query ---- */
static bool
take_value(struct log_request *request, str name, str value)
{
    struct log_range *range = &request->range;
    if (str_is(name, "from"))
        return str_to_int(value, 1, INT64_MAX / 2, &range->from_us);
    if (str_is(name, "to"))
        return str_to_int(value, 1, INT64_MAX / 2, &range->to_us);
    if (str_is(name, "after"))
        return log_position_read(value, &range->after);
    if (str_is(name, "most"))
        return str_to_int(value, 0, LOGINS_MOST, &request->most);
    if (str_is(name, "bytes"))
        return str_to_int(value, 0, LOGINS_BYTES, &request->bytes);
    if (str_is(name, "address")) {
        request->address = value;
        return value.len < 64;
    }
    if (str_is(name, "in")) {
        request->authenticated = str_is(value, "true");
        return request->authenticated || str_is(value, "false");
    }
    return false;
}

static bool
read_query(struct log_request *request, str query)
{
    while (query.len > 0) {
        str value = str_cut(&query, '&'), name = str_cut(&value, '=');
        if (!take_value(request, name, value))
            return false;
    }
    return request->range.from_us > 0 && request->range.to_us > 0;
}

static bool
read_target(struct log_request *request, str target)
{
    str path = str_cut(&target, '?');
    request->is_logins = skip(&path, STR(LOG_DOOR_LOGINS));
    if (!request->is_logins && !skip(&path, STR(LOG_DOOR_LOGS)))
        return false;
    str member = str_cut(&path, '/');
    request->range.kind = log_kind_find(request->is_logins ? STR("postgres") : path);
    return id_parse(member, &request->range.member) && request->range.kind != NULL &&
           (!request->is_logins || path.len == 0) && read_query(request, target);
}

/* ---- The headers ---- */
/* "bytes=N-" is what whoever was cut off asks for; anything else is answered with all of it, as the standard allows. */
static void
take_header(struct log_request *request, str name, str value)
{
    if (str_eq_nocase(name, STR("If-Range")))
        request->if_range = value;
    if (!str_eq_nocase(name, STR("Range")) || !skip(&value, STR("bytes=")) || !str_ends_with(value, STR("-")) ||
        !str_to_int(str_slice(value, 0, value.len - 1), 0, INT64_MAX / 2, &request->skip_bytes))
        return;
}

bool
log_request_read(str head, struct log_request *ret_request)
{
    str line = str_cut(&head, '\n');
    *ret_request = (struct log_request){
        .most = LOGINS_MOST, .bytes = LOGINS_BYTES, .authenticated = -1, .address = STR_EMPTY, .if_range = STR_EMPTY
    };
    ret_request->is_head = skip(&line, STR("HEAD "));
    if (!ret_request->is_head && !skip(&line, STR("GET ")))
        return false;
    str target = str_cut(&line, ' ');
    if (!str_starts_with(line, STR("HTTP/1.")) || !read_target(ret_request, target))
        return false;
    while (head.len > 0) {
        str value = str_cut(&head, '\n'), name = str_cut(&value, ':');
        if (str_ends_with(value, STR("\r")))
            value = str_slice(value, 0, value.len - 1);
        take_header(ret_request, name, str_trim(value));
    }
    return true;
}
