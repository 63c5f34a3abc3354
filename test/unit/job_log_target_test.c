/* SPDX-License-Identifier: Apache-2.0 */
/* Where logs are sent to: an address that names nothing but a host gets the path that its kind of receiver has. */
#include "arena_fixture.h"

#include "base/json.h"
#include "job/log/log_target.h"

static void
bare_addresses_get_a_path_and_others_stay(void **state)
{
    (void)state;
    static const struct {
        const char *endpoint, *url;
    } rows[] = {
        { "https://collector.example.org", "https://collector.example.org/v1/logs" },
        { "https://collector.example.org/", "https://collector.example.org/v1/logs" },
        { "https://collector.example.org:4318/", "https://collector.example.org:4318/v1/logs" },
        { "https://collector.example.org/own", "https://collector.example.org/own" },
        { "https://collector.example.org/own/", "https://collector.example.org/own/" },
        { "https://collector.example.org?tenant=1", "https://collector.example.org?tenant=1" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        json_t *integration =
            json_in(arena, json_pack("{s:s, s:s}", "type", "OTEL_LOG_EXPORT", "otelEndpoint", rows[i].endpoint));
        json_t *secrets = json_in(arena, json_object());
        json_t *target = log_target_make(arena, integration, secrets);
        assert_non_null(target);
        assert_string_equal(json_string_value(json_object_get(target, "url")), rows[i].url);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bare_addresses_get_a_path_and_others_stay, open_arena, close_arena),
    };
    json_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
