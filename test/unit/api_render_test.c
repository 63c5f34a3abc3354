/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer says about the work that goes on after it. */
#include "check.h"

#include "api/catalog.h"
#include "api/render.h"
#include "base/json.h"
#include "family/families.h"

static const id project = { { 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, true },
                job = { { 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 }, true };

#define ADDRESS "https://reeve.test/api/svc/v2/groups/650000000000000000000001/operations/650000000000000000000002"

static struct api api;

/* A request that was answered with an entity that links to children, to be rendered. */
static struct request *
answered(void)
{
    struct request *req = request_new(&api);
    assert_non_null(req);
    for (size_t i = 0; i < catalog_count(api.catalog); i++) {
        const struct endpoint *e = catalog_at(api.catalog, i);
        if (e->method == GET && strcmp(e->path, "/groups/{groupId}") == 0)
            req->endpoint = e;
    }
    assert_non_null(req->endpoint);
    req->path = STR("/api/svc/v2/groups/650000000000000000000001");
    req->path_values[0] = STR("650000000000000000000001");
    req->path_count = 1;
    req->project = project;
    req->version = "2023-01-01";
    answer_entity(req, STR("{\"name\": \"p\"}"), 0);
    return req;
}

static const char *
header(const struct request *req, const char *name)
{
    for (size_t i = 0; i < req->out.header_count; i++) {
        if (str_is(req->out.headers[i].name, name))
            return req->out.headers[i].value.data;
    }
    return NULL;
}

/* The address behind the link with the relation `operation`; NULL when there is none. */
static const char *
operation_link(struct request *req)
{
    json_t *body = json_parse_own(req->arena, req->out.body), *link;
    size_t i;
    assert_non_null(body);
    assert_true(json_array_size(json_object_get(body, "links")) > 1);
    json_array_foreach(json_object_get(body, "links"), i, link)
    {
        if (strcmp(json_string_value(json_object_get(link, "rel")), "operation") == 0)
            return json_string_value(json_object_get(link, "href"));
    }
    return NULL;
}

static void
answer_that_begins_an_operation_says_where_it_is(void **state)
{
    (void)state;
    struct request *req = answered();
    answer_operation(req, job);
    assert_null(render_answer(req));
    assert_string_equal(header(req, "Operation-Location"), ADDRESS);
    assert_string_equal(operation_link(req), ADDRESS);
    request_free(req);
}

static void
answer_without_a_body_says_it_in_the_header(void **state)
{
    (void)state;
    struct request *req = answered();
    answer_nothing(req);
    answer_operation(req, job);
    assert_null(render_answer(req));
    assert_int_equal(req->out.body.len, 0);
    assert_string_equal(header(req, "Operation-Location"), ADDRESS);
    request_free(req);
}

static void
what_was_only_tried_has_no_operation(void **state)
{
    (void)state;
    struct request *req = answered();
    answer_operation(req, job);
    req->dry_run = true;
    assert_null(render_answer(req));
    assert_null(header(req, "Operation-Location"));
    assert_null(operation_link(req));
    request_free(req);
}

static void
other_answers_have_no_operation(void **state)
{
    (void)state;
    struct request *req = answered();
    assert_null(render_answer(req));
    assert_null(header(req, "Operation-Location"));
    assert_null(operation_link(req));
    request_free(req);
}

int
main(void)
{
    json_init();
    api = (struct api){ .catalog = catalog_new(all_families, stderr), .base_url = STR("https://reeve.test") };
    if (api.catalog == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_that_begins_an_operation_says_where_it_is),
        cmocka_unit_test(answer_without_a_body_says_it_in_the_header),
        cmocka_unit_test(what_was_only_tried_has_no_operation),
        cmocka_unit_test(other_answers_have_no_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
