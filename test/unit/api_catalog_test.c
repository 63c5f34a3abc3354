/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "api/catalog.h"
#include "family/families.h"

static char problems_text[4096];

/* A catalog of one family; what it complained about is in problems_text. */
static const struct catalog *
catalog_of(const struct endpoint *endpoints, size_t count)
{
    static struct family family;
    static const struct family *families[2];
    family = (struct family){ "test", "Test", "A family for this test.", endpoints, count };
    families[0] = &family;
    FILE *problems = fmemopen(problems_text, sizeof(problems_text), "w");
    const struct catalog *catalog = catalog_new(families, problems);
    fclose(problems);
    return catalog;
}

static void
expect_mistake(struct endpoint endpoint, const char *sentence)
{
    problems_text[0] = '\0';
    assert_null(catalog_of(&endpoint, 1));
    if (strstr(problems_text, sentence) == NULL)
        fail_msg("expected '%s', got '%s'", sentence, problems_text);
}

static const struct endpoint good = {
    GET,
    "/groups/{groupId}/things",
    S17,
    ANY_OF(PROJECT_READ_ONLY),
    "listThings",
    "Return things",
    "Returns things.",
    .waits_for = "nothing",
};

static void
row_without_access_does_not_start(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.access = (struct access){ 0 };
    expect_mistake(e, "declares no access");
}

static void
row_that_asks_for_no_role_does_not_start(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.access.roles = 0;
    expect_mistake(e, "names none");
}

static void
role_in_a_context_needs_a_context_in_the_path(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.path = "/things";
    e.set = S18;
    expect_mistake(e, "its path names none");
}

static void
row_without_description_does_not_start(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.description = "";
    expect_mistake(e, "no summary or no description");
}

static void
bucket_of_a_project_needs_a_project_in_the_path(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.path = "/orgs/{orgId}/things";
    expect_mistake(e, "shares a bucket of a project");
}

static void
versions_must_be_ascending_dates(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.since = "2024-01-01 2023-01-01";
    expect_mistake(e, "versions");
}

static void
form_of_a_parameter_that_the_path_has_not_does_not_start(void **state)
{
    (void)state;
    static const struct field forms[] = { ID("group", "Not the whole name.", 0), END_OF_FIELDS };
    struct endpoint e = good;
    e.path_fields = forms;
    expect_mistake(e, "gives a form to a parameter");
}

static void
refusal_with_something_to_fill_in_does_not_start(void **state)
{
    (void)state;
    struct endpoint e = good;
    e.waits_for = NULL;
    e.refuses = NOT_OFFERED;
    expect_mistake(e, "something to fill in");
}

static void
status_has_the_sentence_that_callers_are_answered_with(void **state)
{
    (void)state;
    struct endpoint both[2] = { good, good };
    both[1].path = "/groups/{groupId}/things/{thingId}";
    both[1].operation = "getThing";
    both[1].waits_for = NULL;
    both[1].refuses = SESSION_ENDED;
    const struct catalog *catalog = catalog_of(both, 2);
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    catalog_print_status(catalog, out);
    fclose(out);
    catalog_free(catalog);
    assert_non_null(strstr(text, "waiting for nothing\n"));
    assert_non_null(strstr(text, " refused: The session has ended.\n"));
    assert_non_null(strstr(text, "2 operations: 0 complete, 1 refused, 1 waiting; 0 extensions\n"));
}

static void
same_path_twice_does_not_start(void **state)
{
    (void)state;
    struct endpoint twice[2] = { good, good };
    twice[1].operation = "listThingsAgain";
    problems_text[0] = '\0';
    assert_null(catalog_of(twice, 2));
    assert_non_null(strstr(problems_text, "cannot be routed"));
}

static void
all_families_start(void **state)
{
    (void)state;
    const struct catalog *catalog = catalog_new(all_families, stderr);
    assert_non_null(catalog);
    size_t specified = 0;
    for (size_t i = 0; i < catalog_count(catalog); i++)
        specified += (catalog_at(catalog, i)->flags & EXTENSION) == 0;
    assert_int_equal(specified, 447);
    catalog_free(catalog);
}

/* ---- router ---- */

static const struct catalog *everything;

static struct route
route_to(enum method method, const char *path)
{
    struct route route;
    str segments[MAX_PATH_SEGMENTS], rest = str_from(path + (path[0] == '/'));
    size_t count = 0;
    while (rest.len > 0)
        segments[count++] = str_cut(&rest, '/');
    catalog_route(everything, method, segments, count, &route);
    return route;
}

static void
expect_route(enum method method, const char *path, const char *template, const char *last_value)
{
    struct route route = route_to(method, path);
    assert_non_null(route.endpoint);
    assert_string_equal(route.endpoint->path, template);
    if (last_value != NULL) {
        assert_true(route.count > 0);
        assert_true(str_is(route.values[route.count - 1], last_value));
    }
}

static void
literal_segment_wins_over_parameter(void **state)
{
    (void)state;
    expect_route(GET, "/groups/p1/clusters/provider/regions", "/groups/{groupId}/clusters/provider/regions", "p1");
    expect_route(GET, "/groups/p1/containers/all", "/groups/{groupId}/containers/all", "p1");
    expect_route(GET, "/groups/byName/x", "/groups/byName/{groupName}", "x");
    expect_route(GET, "/orgs/o/invoices/pending", "/orgs/{orgId}/invoices/pending", "o");
}

static void
verb_suffix_is_cut_off_the_parameter(void **state)
{
    (void)state;
    expect_route(POST, "/groups/p1:migrate", "/groups/{groupId}:migrate", "p1");
    expect_route(POST, "/groups/p1/streams:withSampleConnections", "/groups/{groupId}/streams:withSampleConnections",
                 "p1");
    expect_route(POST, "/orgs/o/users/u1:addRole", "/orgs/{orgId}/users/{userId}:addRole", "u1");
    expect_route(GET, "/groups/p1/streams/t1:downloadOperationalLogs",
                 "/groups/{groupId}/streams/{tenantName}:downloadOperationalLogs", "t1");
}

static void
file_suffix_is_cut_off_the_parameter(void **state)
{
    (void)state;
    expect_route(GET, "/groups/p1/clusters/h1/logs/postgres.gz",
                 "/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", "postgres");
    assert_null(route_to(GET, "/groups/p1/clusters/h1/logs/.gz").endpoint);
}

static void
address_with_colons_is_a_parameter(void **state)
{
    (void)state;
    expect_route(GET, "/groups/p1/accessList/2001:db8::1", "/groups/{groupId}/accessList/{entryValue}", "2001:db8::1");
}

static void
entity_named_like_a_literal_is_still_found(void **state)
{
    (void)state;
    expect_route(GET, "/groups/p1/clusters/tenantUpgrade", "/groups/{groupId}/clusters/{clusterName}", "tenantUpgrade");
    expect_route(POST, "/groups/p1/clusters/tenantUpgrade", "/groups/{groupId}/clusters/tenantUpgrade", "p1");
}

static void
wrong_method_tells_what_is_allowed(void **state)
{
    (void)state;
    struct route route = route_to(DELETE, "");
    assert_null(route.endpoint);
    assert_int_equal(route.allowed, 1u << GET);
    route = route_to(METHOD_COUNT, "/groups/p1");
    assert_int_equal(route.allowed, 1u << GET | 1u << PATCH | 1u << DELETE);
    route = route_to(GET, "/nothing/here");
    assert_int_equal(route.allowed, 0);
}

static void
empty_segment_matches_nothing(void **state)
{
    (void)state;
    struct route route;
    str segments[] = { STR("groups"), STR("") };
    catalog_route(everything, GET, segments, 2, &route);
    assert_null(route.endpoint);
    assert_int_equal(route.allowed, 0);
}

static void
every_template_routes_to_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < catalog_count(everything); i++) {
        const struct endpoint *e = catalog_at(everything, i);
        struct route route = route_to(e->method, e->path); /* "{x}" is a value like any other */
        assert_ptr_equal(route.endpoint, e);
    }
}

static void
entity_links_to_what_needs_no_further_parameter(void **state)
{
    (void)state;
    struct links links = catalog_links(everything, "/groups/{groupId}", LINKS_ALL);
    bool clusters = false;
    for (size_t i = 0; i < links.count; i++) {
        clusters |= strcmp(links.suffixes[i], "/clusters") == 0;
        assert_null(strchr(links.suffixes[i], '{'));
        /* D5: what needs a query, and what waits, answers nothing to those who follow a link. */
        assert_string_not_equal(links.suffixes[i], "/streams/accountDetails");
        assert_string_not_equal(links.suffixes[i], "/streams");
    }
    assert_true(clusters);
    assert_int_equal(
        catalog_links(everything, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", LINKS_ALL).count, 0);
    assert_true(catalog_links(everything, "", LINKS_MAIN).count >= 5);
    assert_int_equal(catalog_links(everything, "/groups/{groupId}/privateIpMode", LINKS_ALL).count, 0);
}

static bool
has_link(struct links links, const char *suffix)
{
    for (size_t i = 0; i < links.count; i++) {
        if (strcmp(links.suffixes[i], suffix) == 0)
            return true;
    }
    return false;
}

static void
entity_with_many_collections_links_to_the_main_ones_and_to_all(void **state)
{
    (void)state;
    static const struct {
        const char *template, *main[4];
    } cases[] = {
        { "/orgs/{orgId}", { "/groups", "/users" } },
        { "/groups/{groupId}", { "/clusters", "/databaseUsers", "/accessList" } },
        { "/groups/{groupId}/clusters/{clusterName}", { "/backup/snapshots", "/processArgs" } },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct links some = catalog_links(everything, cases[i].template, LINKS_MAIN);
        struct links all = catalog_links(everything, cases[i].template, LINKS_ALL);
        size_t count = 0;
        for (; cases[i].main[count] != NULL; count++) {
            assert_true(has_link(some, cases[i].main[count]));
            assert_true(has_link(all, cases[i].main[count]));
        }
        assert_int_equal(some.count, count + 1);
        assert_true(has_link(some, ALL_LINKS_SUFFIX));
        assert_true(all.count > FEW_LINKS);
        assert_false(has_link(all, ALL_LINKS_SUFFIX));
        assert_true(some.bytes < all.bytes);
    }
}

/* Whoever goes from one answer to the next would otherwise have to ask twice everywhere. */
static void
entity_with_few_collections_links_to_all_of_them(void **state)
{
    (void)state;
    struct links some = catalog_links(everything, "", LINKS_MAIN), all = catalog_links(everything, "", LINKS_ALL);
    assert_true(all.count > 0 && all.count <= FEW_LINKS);
    assert_ptr_equal(some.pieces, all.pieces);
    assert_false(has_link(some, ALL_LINKS_SUFFIX));
}

int
main(void)
{
    everything = catalog_new(all_families, stderr);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_without_access_does_not_start),
        cmocka_unit_test(row_that_asks_for_no_role_does_not_start),
        cmocka_unit_test(role_in_a_context_needs_a_context_in_the_path),
        cmocka_unit_test(row_without_description_does_not_start),
        cmocka_unit_test(bucket_of_a_project_needs_a_project_in_the_path),
        cmocka_unit_test(versions_must_be_ascending_dates),
        cmocka_unit_test(form_of_a_parameter_that_the_path_has_not_does_not_start),
        cmocka_unit_test(refusal_with_something_to_fill_in_does_not_start),
        cmocka_unit_test(status_has_the_sentence_that_callers_are_answered_with),
        cmocka_unit_test(same_path_twice_does_not_start),
        cmocka_unit_test(all_families_start),
        cmocka_unit_test(literal_segment_wins_over_parameter),
        cmocka_unit_test(verb_suffix_is_cut_off_the_parameter),
        cmocka_unit_test(file_suffix_is_cut_off_the_parameter),
        cmocka_unit_test(address_with_colons_is_a_parameter),
        cmocka_unit_test(entity_named_like_a_literal_is_still_found),
        cmocka_unit_test(wrong_method_tells_what_is_allowed),
        cmocka_unit_test(empty_segment_matches_nothing),
        cmocka_unit_test(every_template_routes_to_itself),
        cmocka_unit_test(entity_links_to_what_needs_no_further_parameter),
        cmocka_unit_test(entity_with_many_collections_links_to_the_main_ones_and_to_all),
        cmocka_unit_test(entity_with_few_collections_links_to_all_of_them),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    catalog_free(everything);
    return failed;
}
