/* SPDX-License-Identifier: Apache-2.0 */
/* When the entries of an access list were last used is written down, coarsely, and beside the requests. */
#include "open_store_fixture.h"

#include "auth/usage.h"

enum { ORGANIZATION = 100, KEY };

static int
set_up(void **state)
{
    if (open_store(state) != 0)
        return -1;
    fixture_add_organization(fixture_id(ORGANIZATION));
    fixture_ask("INSERT INTO principal (id, kind, org_id) VALUES (%s, 'api_key', %s)", fixture_quote(fixture_id(KEY)),
                fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask("INSERT INTO access_list_entry (principal_id, org_id, block) SELECT %s, %s, b::cidr FROM "
                "unnest('{192.0.2.0/24,192.0.2.7/32,2001:db8::/32}'::text[]) b",
                fixture_quote(fixture_id(KEY)), fixture_quote(fixture_id(ORGANIZATION)));
    return 0;
}

static struct principal
caller(size_t block_count)
{
    return (struct principal){ .id = fixture_id(KEY),
                               .organization = fixture_id(ORGANIZATION),
                               .block_count = block_count };
}

static const char *
used_entries(void)
{
    return fixture_ask("SELECT string_agg(block::text, ' ' ORDER BY block) FROM access_list_entry "
                       "WHERE last_used_at > now() - interval '1 minute'");
}

static void
wait_for(const char *wanted)
{
    for (int i = 0; i < patient(500) && strcmp(used_entries(), wanted) != 0; i++)
        usleep(10000);
    assert_string_equal(used_entries(), wanted);
}

static struct net_address
address(const char *text)
{
    struct net_address parsed;
    assert_true(net_parse_address(str_from(text), &parsed));
    return parsed;
}

static void
entries_that_let_somebody_in_were_used(void **state)
{
    (void)state;
    struct usage *usage = usage_new(store);
    struct principal principal = caller(3);
    struct net_address four = address("192.0.2.7"), six = address("2001:db8::1");
    fixture_ask("UPDATE access_list_entry SET last_used_at = NULL");
    usage_note(usage, &principal, &four);
    wait_for("192.0.2.0/24 192.0.2.7/32");
    usage_note(usage, &principal, &six);
    wait_for("192.0.2.0/24 192.0.2.7/32 2001:db8::/32");
    usage_free(usage);
}

static const char *
counts(void)
{
    return fixture_ask(
        "SELECT string_agg(block::text || '=' || request_count || '@' || coalesce(host(last_used_address), ''), ' ' "
        "ORDER BY block) FROM access_list_entry");
}

/* D, fields that matter: every request counts, of all processes, and a busy caller costs few writes. */
static void
requests_are_counted_and_written_together(void **state)
{
    (void)state;
    struct usage *one = usage_new(store), *two = usage_new(store);
    struct principal principal = caller(3);
    struct net_address four = address("192.0.2.7");
    fixture_ask("UPDATE access_list_entry SET last_used_at = NULL, last_used_address = NULL, request_count = 0");
    usage_note(one, &principal, &four);
    wait_for("192.0.2.0/24 192.0.2.7/32");
    assert_string_equal(counts(), "192.0.2.0/24=1@192.0.2.7 192.0.2.7/32=1@192.0.2.7 2001:db8::/32=0@");
    for (int i = 0; i < 1000; i++)
        usage_note(one, &principal, &four);
    usleep(600000);
    assert_string_equal(counts(), "192.0.2.0/24=1@192.0.2.7 192.0.2.7/32=1@192.0.2.7 2001:db8::/32=0@");
    usage_note(two, &principal, &four);
    usage_free(two); /* what ends writes down what it has */
    assert_string_equal(counts(), "192.0.2.0/24=2@192.0.2.7 192.0.2.7/32=2@192.0.2.7 2001:db8::/32=0@");
    usage_free(one);
    assert_string_equal(counts(), "192.0.2.0/24=1002@192.0.2.7 192.0.2.7/32=1002@192.0.2.7 2001:db8::/32=0@");
}

/* More callers than are counted at the same time: none is lost. */
static void
callers_that_find_no_room_are_written_at_once(void **state)
{
    (void)state;
    enum { CALLERS = 300 };
    struct usage *usage = usage_new(store);
    struct principal principal = caller(3);
    fixture_ask("UPDATE access_list_entry SET last_used_at = NULL, last_used_address = NULL, request_count = 0");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CALLERS; i++) {
            struct net_address one = address("2001:db8::");
            one.bytes[14] = (uint8_t)(i >> 8);
            one.bytes[15] = (uint8_t)i;
            usage_note(usage, &principal, &one);
        }
    }
    usage_free(usage);
    assert_string_equal(fixture_ask("SELECT request_count FROM access_list_entry WHERE block = '2001:db8::/32'"),
                        "600");
}

static void
caller_without_a_list_uses_none(void **state)
{
    (void)state;
    struct usage *usage = usage_new(store);
    struct principal principal = caller(0);
    struct net_address four = address("192.0.2.7");
    fixture_ask("UPDATE access_list_entry SET last_used_at = NULL");
    usage_note(usage, &principal, &four);
    usleep(200000);
    assert_string_equal(used_entries(), "");
    usage_free(usage);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_that_let_somebody_in_were_used),
        cmocka_unit_test(requests_are_counted_and_written_together),
        cmocka_unit_test(callers_that_find_no_room_are_written_at_once),
        cmocka_unit_test(caller_without_a_list_uses_none),
    };
    return cmocka_run_group_tests(tests, set_up, close_store);
}
