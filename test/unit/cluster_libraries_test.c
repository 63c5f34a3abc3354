/* SPDX-License-Identifier: Apache-2.0 */
/* What servers load: those of every server, and those of extensions; and when a cluster restarts for a change of it. */
#include "arena_fixture.h"

#include "base/json.h"
#include "cluster/settings.h"

#define LIBRARIES "shared_preload_libraries"
#define CRON      "{\"pg_cron\": {\"cron.database_name\": \"shop\"}}"

static json_t *
object(const char *text)
{
    return json_in(arena, json_loads(text, 0, NULL));
}

/* What a cluster that loads `before` gets when its extensions need `libraries`, and whether it restarts. */
static void
assert_loads(const char *before_list, const char *libraries, const char *expected, bool restarts)
{
    json_t *before = json_in(arena, json_pack("{s:s}", LIBRARIES, before_list)),
           *after = json_in(arena, json_pack("{s:s}", LIBRARIES, SERVER_LIBRARIES)),
           *needs = libraries == NULL ? NULL : object(libraries);
    settings_add_libraries(arena, after, needs);
    settings_keep_libraries(before, after, needs);
    assert_string_equal(json_string_value(json_object_get(after, LIBRARIES)), expected);
    assert_true(settings_need_restart(before, after) == restarts);
}

static void
extensions_add_what_they_need_and_take_it_with_them(void **state)
{
    (void)state;
    assert_loads(SERVER_LIBRARIES, NULL, SERVER_LIBRARIES, false);
    assert_loads(SERVER_LIBRARIES, "{}", SERVER_LIBRARIES, false);
    assert_loads(SERVER_LIBRARIES, CRON, SERVER_LIBRARIES ",pg_cron", true);
    assert_loads(SERVER_LIBRARIES ",pg_cron", CRON, SERVER_LIBRARIES ",pg_cron", false);
    assert_loads(SERVER_LIBRARIES ",pg_cron", "{}", SERVER_LIBRARIES, true);
    assert_loads(SERVER_LIBRARIES, "{\"pgaudit\": {}}", SERVER_LIBRARIES, false);
}

static void
older_clusters_restart_only_for_what_they_need(void **state)
{
    (void)state;
    assert_loads("pgaudit", NULL, "pgaudit", false);
    assert_loads("pgaudit", "{\"pgaudit\": {}}", "pgaudit", false);
    assert_loads("pgaudit", "{\"pg_stat_statements\": {}}", SERVER_LIBRARIES, true);
    assert_loads("", NULL, SERVER_LIBRARIES, true);
}

static void
parameters_come_with_their_library(void **state)
{
    json_t *after = json_in(arena, json_pack("{s:s}", LIBRARIES, SERVER_LIBRARIES));
    (void)state;
    settings_add_libraries(arena, after, object(CRON));
    assert_string_equal(json_string_value(json_object_get(after, "cron.database_name")), "shop");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_add_what_they_need_and_take_it_with_them),
        cmocka_unit_test(older_clusters_restart_only_for_what_they_need),
        cmocka_unit_test(parameters_come_with_their_library),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
