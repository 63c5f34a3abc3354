/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/query.h"

static error
do_nothing(struct request *req)
{
    (void)req;
    return OK;
}

// clang-format off
static const struct field own_fields[] = {
    TEXT("status",  "State.",    0, .max = 8),
    LIST("types",   "Types.",    0),
    DATE("minDate", "From when.", 0),
    END_OF_FIELDS,
};
static const struct field few_fields[] = { LIST("m", "Metrics.", 0, .min = 1, .max = 2), END_OF_FIELDS };
static const struct field needed_fields[] = { TEXT("period", "Period.", REQUIRED), END_OF_FIELDS };

static const struct endpoint list = { .method = GET, .path = "/things", .shape = SHAPE_LIST, .run = do_nothing, .query = own_fields };
static const struct endpoint entity = { .method = GET, .path = "/things/{id}", .run = do_nothing };
static const struct endpoint needing = { .method = GET, .path = "/costs", .run = do_nothing, .query = needed_fields };
static const struct endpoint change = { .method = PATCH, .path = "/things/{id}", .run = do_nothing };
static const struct endpoint taking_few = { .method = GET, .path = "/things", .run = do_nothing, .query = few_fields };
static const struct endpoint waiting = { .method = GET, .path = "/later" };
static const struct endpoint described = { .method = GET, .path = "/later", .query = needed_fields };
static const struct endpoint taking_nothing = { .method = POST, .path = "/later", .query = no_parameters };
// clang-format on

static struct request *
request_for(const struct endpoint *endpoint)
{
    struct request *req = calloc(1, sizeof(*req));
    assert_non_null(req);
    req->arena = arena_new(1 << 20);
    req->endpoint = endpoint;
    req->path = STR("/api/svc/v2/things");
    return req;
}

static void
request_end(struct request *req)
{
    arena_free(req->arena);
    free(req);
}

static void
expect_error(const struct endpoint *endpoint, const char *query, enum error_code code, const char *detail)
{
    struct request *req = request_for(endpoint);
    error e = query_parse(req, str_from(query));
    if (e == OK)
        fail_msg("accepted: %s", query);
    assert_string_equal(error_rows[e->code].name, error_rows[code].name);
    assert_string_equal(e->detail.data, detail);
    request_end(req);
}

static void
expect_fine(const struct endpoint *endpoint, const char *query)
{
    struct request *req = request_for(endpoint);
    error e = query_parse(req, str_from(query));
    if (e != OK)
        fail_msg("%s: %s", query, e->detail.data);
    request_end(req);
}

static void
empty_query_gives_the_defaults(void **state)
{
    (void)state;
    struct request *req = request_for(&list);
    assert_ptr_equal(query_parse(req, STR_EMPTY), OK);
    assert_int_equal(req->page.number, 1);
    assert_int_equal(req->page.size, 100);
    assert_true(req->page.include_count);
    assert_false(req->pretty || req->envelope || req->dry_run);
    assert_int_equal(req->query_count, 0);
    request_end(req);
}

static void
names_and_values_are_decoded(void **state)
{
    (void)state;
    struct request *req = request_for(&list);
    assert_ptr_equal(query_parse(req, STR("sta%74us=a+b%2Bc&&minDate=2025-03-12T00%3A00%3A00Z&page%4eum=3")), OK);
    assert_int_equal(req->query_count, 3);
    assert_string_equal(req->query[0].name.data, "status");
    assert_string_equal(req->query[0].value.data, "a b+c");
    assert_string_equal(req->query[1].value.data, "2025-03-12T00:00:00Z");
    assert_int_equal(req->page.number, 3);
    request_end(req);
}

static void
paging_is_read_within_its_bounds(void **state)
{
    (void)state;
    struct request *req = request_for(&list);
    assert_ptr_equal(query_parse(req, STR("pageNum=7&itemsPerPage=500&includeCount=false")), OK);
    assert_int_equal(req->page.number, 7);
    assert_int_equal(req->page.size, 500);
    assert_false(req->page.include_count);
    request_end(req);
    expect_error(&list, "pageNum=0", INVALID_QUERY_PARAMETER,
                 "Query parameter pageNum is not valid: must be at least 1.");
    expect_error(&list, "itemsPerPage=0", INVALID_QUERY_PARAMETER,
                 "Query parameter itemsPerPage is not valid: must be at least 1.");
    expect_error(&list, "itemsPerPage=501", INVALID_QUERY_PARAMETER,
                 "Query parameter itemsPerPage is not valid: must be at most 500.");
    expect_error(&list, "pageNum=-1", INVALID_QUERY_PARAMETER,
                 "Query parameter pageNum is not valid: must be at least 1.");
    expect_error(&list, "pageNum=x", INVALID_QUERY_PARAMETER,
                 "Query parameter pageNum is not valid: must be an integer.");
    expect_error(&list, "pageNum=", INVALID_QUERY_PARAMETER,
                 "Query parameter pageNum is not valid: must be an integer.");
    expect_error(&list, "pageNum=9223372036854775807", INVALID_QUERY_PARAMETER,
                 "Query parameter pageNum is not valid: must be at most 1000000000000.");
}

static void
paging_is_known_only_by_lists(void **state)
{
    (void)state;
    expect_error(&entity, "pageNum=1", INVALID_QUERY_PARAMETER,
                 "Query parameter pageNum is not valid: it is not known here.");
    expect_error(&change, "includeCount=true", INVALID_QUERY_PARAMETER,
                 "Query parameter includeCount is not valid: it is not known here.");
}

static void
booleans_are_true_or_false_and_nothing_else(void **state)
{
    (void)state;
    static const char *const values[] = { "1", "TRUE", "yes", "", "true%20" };
    for (size_t i = 0; i < LENGTH(values); i++) {
        char query[32];
        snprintf(query, sizeof(query), "envelope=%s", values[i]);
        expect_error(&entity, query, INVALID_QUERY_PARAMETER,
                     "Query parameter envelope is not valid: must be true or false.");
    }
    expect_error(&entity, "pretty", INVALID_QUERY_PARAMETER,
                 "Query parameter pretty is not valid: must be true or false.");
    expect_fine(&entity, "pretty=false&envelope=true");
}

static void
all_links_are_a_choice_of_reads_of_one_entity(void **state)
{
    (void)state;
    struct request *req = request_for(&entity);
    assert_ptr_equal(query_parse(req, STR("links=all")), OK);
    assert_true(req->all_links);
    request_end(req);
    req = request_for(&entity);
    assert_ptr_equal(query_parse(req, STR("links=main")), OK);
    assert_false(req->all_links);
    request_end(req);
    expect_error(&entity, "links=ALL", INVALID_QUERY_PARAMETER,
                 "Query parameter links is not valid: must be one of main, all.");
    expect_error(&change, "links=all", INVALID_QUERY_PARAMETER,
                 "Query parameter links is not valid: it is not known here.");
}

static void
form_of_the_answer_is_known_even_when_the_query_is_wrong(void **state)
{
    (void)state;
    struct request *req = request_for(&entity);
    assert_non_null(query_parse(req, STR("nonsense=1&%zz&envelope=true&pretty=true")));
    assert_true(req->envelope);
    assert_true(req->pretty);
    request_end(req);
    req = request_for(NULL);
    assert_ptr_equal(query_parse(req, STR("nonsense=1&%zz&envelope=true&pretty=true")), OK);
    assert_true(req->envelope);
    assert_true(req->pretty);
    request_end(req);
}

static void
dry_run_is_only_for_changes(void **state)
{
    (void)state;
    struct request *req = request_for(&change);
    assert_ptr_equal(query_parse(req, STR("dryRun=true")), OK);
    assert_true(req->dry_run);
    request_end(req);
    expect_error(&entity, "dryRun=true", DRY_RUN_NOT_AVAILABLE,
                 "GET /api/svc/v2/things changes nothing, so dryRun does not apply to it.");
    expect_error(&waiting, "dryRun=true", DRY_RUN_NOT_AVAILABLE,
                 "GET /api/svc/v2/things changes nothing, so dryRun does not apply to it.");
}

static void
unknown_parameter_is_named(void **state)
{
    (void)state;
    expect_error(&list, "staus=x", INVALID_QUERY_PARAMETER,
                 "Query parameter staus is not valid: it is not known here.");
    expect_error(&list, "=x", INVALID_QUERY_PARAMETER, "Query parameter  is not valid: it is not known here.");
}

static void
own_parameters_are_checked_by_their_fields(void **state)
{
    (void)state;
    expect_fine(&list, "status=12345678");
    expect_error(&list, "status=123456789", INVALID_QUERY_PARAMETER,
                 "Query parameter status is not valid: must be at most 8 characters long.");
    expect_error(&list, "minDate=yesterday", INVALID_QUERY_PARAMETER,
                 "Query parameter minDate is not valid: must be a date as in RFC 3339, such as 2025-03-12T10:15:30Z.");
    expect_error(&needing, "", INVALID_QUERY_PARAMETER, "Query parameter period is not valid: it is missing.");
    expect_fine(&needing, "period=x");
}

static void
only_a_list_may_be_given_twice(void **state)
{
    (void)state;
    struct request *req = request_for(&list);
    assert_ptr_equal(query_parse(req, STR("types=a&types=b")), OK);
    assert_int_equal(req->query_count, 2);
    request_end(req);
    expect_error(&list, "status=a&status=a", INVALID_QUERY_PARAMETER,
                 "Query parameter status is not valid: it is given more than once.");
    expect_error(&list, "pretty=true&pre%74ty=false", INVALID_QUERY_PARAMETER,
                 "Query parameter pretty is not valid: it is given more than once.");
}

static void
broken_escapes_nul_and_bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    static const char *const broken[] = { "status=%", "status=%4", "status=%zz", "status=a%00b" };
    for (size_t i = 0; i < LENGTH(broken); i++)
        expect_error(
            &list, broken[i], INVALID_QUERY_PARAMETER,
            "Query parameter status is not valid: a % in it must be followed by two hexadecimal digits other than 00.");
    expect_error(&list, "status=%FF", INVALID_QUERY_PARAMETER,
                 "Query parameter status is not valid: it must be UTF-8 text.");
    expect_error(&list, "status=%ED%A0%80", INVALID_QUERY_PARAMETER,
                 "Query parameter status is not valid: it must be UTF-8 text.");
    expect_error(&list, "\xff=1", INVALID_QUERY_PARAMETER, "Query parameter ? is not valid: it must be UTF-8 text.");
    expect_error(&waiting, "x=%00", INVALID_QUERY_PARAMETER,
                 "Query parameter x is not valid: a % in it must be followed by two hexadecimal digits other than 00.");
}

static void
thirty_third_parameter_is_one_too_many(void **state)
{
    (void)state;
    char query[1024] = "";
    for (int i = 0; i < 32; i++)
        strcat(query, "types=x&");
    expect_fine(&list, query);
    strcat(query, "types=x");
    expect_error(&list, query, INVALID_QUERY_PARAMETER,
                 "Query parameter types is not valid: it is one too many: a request has at most 32 parameters.");
}

static void
list_has_at_most_as_many_items_as_its_field_says(void **state)
{
    (void)state;
    expect_fine(&taking_few, "m=a&m=b");
    expect_error(&taking_few, "m=a&m=b&m=c", INVALID_QUERY_PARAMETER,
                 "Query parameter m is not valid: it is given more than 2 times.");
}

static void
operation_without_behaviour_tolerates_what_it_does_not_know_yet(void **state)
{
    (void)state;
    expect_fine(&waiting, "whatever=1&whatever=2&pageNum=x");
    expect_error(&waiting, "pretty=x", INVALID_QUERY_PARAMETER,
                 "Query parameter pretty is not valid: must be true or false.");
}

static void
operation_without_behaviour_is_judged_by_the_tables_that_it_has(void **state)
{
    (void)state;
    expect_fine(&described, "period=x");
    expect_error(&described, "", INVALID_QUERY_PARAMETER, "Query parameter period is not valid: it is missing.");
    expect_error(&described, "period=x&other=1", INVALID_QUERY_PARAMETER,
                 "Query parameter other is not valid: it is not known here.");
    expect_fine(&taking_nothing, "dryRun=true");
    expect_error(&taking_nothing, "other=1", INVALID_QUERY_PARAMETER,
                 "Query parameter other is not valid: it is not known here.");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_query_gives_the_defaults),
        cmocka_unit_test(names_and_values_are_decoded),
        cmocka_unit_test(paging_is_read_within_its_bounds),
        cmocka_unit_test(paging_is_known_only_by_lists),
        cmocka_unit_test(booleans_are_true_or_false_and_nothing_else),
        cmocka_unit_test(all_links_are_a_choice_of_reads_of_one_entity),
        cmocka_unit_test(form_of_the_answer_is_known_even_when_the_query_is_wrong),
        cmocka_unit_test(dry_run_is_only_for_changes),
        cmocka_unit_test(unknown_parameter_is_named),
        cmocka_unit_test(own_parameters_are_checked_by_their_fields),
        cmocka_unit_test(only_a_list_may_be_given_twice),
        cmocka_unit_test(broken_escapes_nul_and_bytes_that_are_no_text_are_refused),
        cmocka_unit_test(thirty_third_parameter_is_one_too_many),
        cmocka_unit_test(list_has_at_most_as_many_items_as_its_field_says),
        cmocka_unit_test(operation_without_behaviour_tolerates_what_it_does_not_know_yet),
        cmocka_unit_test(operation_without_behaviour_is_judged_by_the_tables_that_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
