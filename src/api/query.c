/* SPDX-License-Identifier: Apache-2.0 */
#include "api/query.h"

#include <inttypes.h>

#include "api/endpoint.h"
#include "api/validate.h"

/* Far beyond any list, and (pageNum - 1) * itemsPerPage stays within 64 bits. */
#define LAST_PAGE 1000000000000

static const char *const link_choices[] = { "main", "all", NULL };

// clang-format off
const struct common_parameter common_parameters[COMMON_PARAMETERS] = {
    { FOR_LISTS, INTEGER("pageNum", "Number of the page to return, counted from 1.", 0, .min = 1, .max = LAST_PAGE, .fallback = "1") },
    { FOR_LISTS, INTEGER("itemsPerPage", "Number of items on a page.", 0, .min = 1, .max = PAGE_MAX_ITEMS, .fallback = "100") },
    { FOR_LISTS, BOOL("includeCount", "Whether the answer contains totalCount, the number of items on all pages.", 0, .fallback = "true") },
    { FOR_ENTITIES, TEXT("links", "Which links the answer has. An entity with many collections links to the main ones, and to itself with `links=all`, which has them all.", 0, .one_of = link_choices, .fallback = "\"main\"") },
    { FOR_CHANGES, BOOL("dryRun", "Whether to check everything and answer with what would be the result, but change nothing.", 0, .fallback = "false") },
    { FOR_ANY_REQUEST, BOOL("envelope", "Whether the status is repeated in the body: an entity moves into `content` beside `status`, a list gets a field `status`.", 0, .fallback = "false") },
    { FOR_ANY_REQUEST, BOOL("pretty", "Whether the JSON is written with line breaks and indentation.", 0, .fallback = "false") },
};
// clang-format on

bool
common_applies(const struct common_parameter *common, const struct endpoint *endpoint)
{
    switch (common->scope) {
    case FOR_ANY_REQUEST: return true;
    case FOR_LISTS: return endpoint->shape == SHAPE_LIST;
    case FOR_ENTITIES: return endpoint->shape == SHAPE_ENTITY && endpoint->method == GET;
    case FOR_CHANGES: return endpoint->method != GET;
    }
    return false;
}

static const struct common_parameter *
find_common(str name)
{
    for (size_t i = 0; i < LENGTH(common_parameters); i++) {
        if (str_is(name, common_parameters[i].field.name))
            return &common_parameters[i];
    }
    return NULL;
}

static error
invalid(struct request *req, str name, const char *why)
{
    /* What could not even be decoded is named as it came; failure_new() makes text of it. */
    str shown = name.len > 200 ? str_slice(name, 0, 200) : name;
    return fail(req->arena, INVALID_QUERY_PARAMETER, V(shown), V(why));
}

static error
decode(struct request *req, str raw, str named, str *ret_text)
{
    if (!str_percent_decode(req->arena, raw, true, ret_text))
        return invalid(req, named, "a % in it must be followed by two hexadecimal digits other than 00");
    if (!str_is_text(*ret_text))
        return invalid(req, named, "it must be UTF-8 text");
    return OK;
}

/* The form of the answer, before anything is judged. Nothing is wrong here: that is found out later. */
static void
look_for_form(struct request *req, str raw_query)
{
    while (raw_query.len > 0) {
        str value = str_cut(&raw_query, '&'), decoded;
        str name = str_cut(&value, '=');
        /* Escaped spellings of the names are legal and need not be early. */
        bool *flag = str_is(name, "pretty") ? &req->pretty : str_is(name, "envelope") ? &req->envelope : NULL;
        if (flag != NULL && str_percent_decode(req->arena, value, true, &decoded) && str_is(decoded, "true"))
            *flag = true;
    }
}

static void
apply_common(struct request *req, str name, str value)
{
    bool yes = str_is(value, "true");
    int64_t number = 0;
    if (str_is(name, "pretty"))
        req->pretty = yes;
    else if (str_is(name, "envelope"))
        req->envelope = yes;
    else if (str_is(name, "dryRun"))
        req->dry_run = yes;
    else if (str_is(name, "links"))
        req->all_links = str_is(value, "all");
    else if (str_is(name, "includeCount"))
        req->page.include_count = yes;
    else if (str_is(name, "pageNum") && str_to_int(value, 1, LAST_PAGE, &number))
        req->page.number = number;
    else if (str_is(name, "itemsPerPage") && str_to_int(value, 1, PAGE_MAX_ITEMS, &number))
        req->page.size = number;
}

static int64_t
times_sent(const struct request *req, str name)
{
    int64_t count = 0;
    for (size_t i = 0; i < req->query_count; i++)
        count += str_eq(req->query[i].name, name);
    return count;
}

/* A LIST is sent as one parameter for each of its items. */
static error
check_times(struct request *req, const struct field *own, str name)
{
    int64_t before = times_sent(req, name);
    if (before > 0 && (own == NULL || own->type != TYPE_LIST))
        return invalid(req, name, "it is given more than once");
    if (own != NULL && own->type == TYPE_LIST && field_has_max(own) && before >= own->max)
        return invalid(req, name, str_format(req->arena, "it is given more than %" PRId64 " times", own->max).data);
    return OK;
}

static error
judge(struct request *req, str name, str value)
{
    const struct endpoint *endpoint = req->endpoint;
    const struct common_parameter *common = find_common(name);
    const struct field *own = field_find(endpoint->query, name);
    if (common != NULL && common->scope == FOR_CHANGES && !common_applies(common, endpoint)) {
        str what =
            str_format(req->arena, "%s %.*s", req->head ? "HEAD" : method_names[endpoint->method], STR_ARG(req->path));
        return fail(req->arena, DRY_RUN_NOT_AVAILABLE, V(what));
    }
    if (common != NULL && !common_applies(common, endpoint))
        common = NULL;
    if (common == NULL && own == NULL)
        return endpoint_is_described(endpoint) ? invalid(req, name, "it is not known here") : OK;
    TRY(check_times(req, own, name));
    if (own != NULL)
        return validate_query(req->arena, endpoint->query, name, value);
    const struct field alone[] = { common->field, END_OF_FIELDS };
    TRY(validate_query(req->arena, alone, name, value));
    apply_common(req, name, value);
    return OK;
}

error
query_parse(struct request *req, str raw_query)
{
    req->page = (struct page){ .number = 1, .size = PAGE_DEFAULT_ITEMS, .include_count = true };
    look_for_form(req, raw_query);
    if (req->endpoint == NULL)
        return OK;
    while (raw_query.len > 0) {
        str raw_value = str_cut(&raw_query, '&'), name, value;
        if (raw_value.len == 0)
            continue;
        str raw_name = str_cut(&raw_value, '=');
        TRY(decode(req, raw_name, raw_name, &name));
        TRY(decode(req, raw_value, name, &value));
        if (req->query_count == QUERY_MAX_PARAMETERS)
            return invalid(req, name, "it is one too many: a request has at most 32 parameters");
        TRY(judge(req, name, value));
        req->query[req->query_count].name = name;
        req->query[req->query_count].value = value;
        req->query_count++;
    }
    for (const struct field *f = req->endpoint->query; f != NULL && f->name != NULL; f++) {
        if ((f->flags & REQUIRED) != 0 && times_sent(req, str_from(f->name)) == 0)
            return invalid(req, str_from(f->name), "it is missing");
    }
    return OK;
}
