/* SPDX-License-Identifier: Apache-2.0 */
/* The names of commands: every operation has one, no two are equal, and none begins another. */
#include "arena_fixture.h"
#include "cli/command.h"
#include "cli/options.h"

static void
every_name_is_unique(void **state)
{
    (void)state;
    assert_true(command_count >= 447);
    for (size_t i = 0; i < command_count; i++) {
        for (size_t j = i + 1; j < command_count && commands[j].family == commands[i].family; j++)
            assert_string_not_equal(TEXT_AT(commands[i].words), TEXT_AT(commands[j].words));
        for (size_t j = i + 1; j < command_count; j++)
            assert_string_not_equal(TEXT_AT(commands[i].operation), TEXT_AT(commands[j].operation));
    }
}

/* `clusters` could not be both a command and the beginning of `clusters list`. */
static void
no_name_begins_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < command_count; i++) {
        str one = str_format(arena, "%s ", TEXT_AT(commands[i].words));
        for (size_t j = 0; j < command_count; j++) {
            if (commands[j].family == commands[i].family)
                assert_false(str_starts_with(str_from(TEXT_AT(commands[j].words)), one));
        }
    }
}

static void
names_are_small_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < command_count; i++) {
        str rest = command_name(arena, &commands[i]);
        size_t words = 0;
        for (; rest.len > 0; words++) {
            str word = str_cut(&rest, ' ');
            assert_true(word.len > 0 && word.data[0] >= 'a' && word.data[0] <= 'z');
            for (size_t c = 0; c < word.len; c++)
                assert_non_null(strchr("abcdefghijklmnopqrstuvwxyz0123456789-", word.data[c]));
        }
        assert_in_range(words, 2, 5);
    }
}

static void
names_are_what_people_say(void **state)
{
    (void)state;
    static const char *const expected[][2] = {
        { "createGroupCluster", "clusters create" },
        { "listGroupClusters", "clusters list" },
        { "listClusterDetails", "clusters list-all" },
        { "listProjects", "projects list" },
        { "createOrganization", "organizations create" },
        { "listOrgApiKeys", "api-keys org list" },
        { "listGroupApiKeys", "api-keys project list" },
        { "createOrgApiKeyAccessListEntry", "api-keys org access-list create" },
        { "addOrgTeamUser", "teams org add-user" },
        { "getProjectByName", "projects get-by-name" },
        { "restartGroupClusterPrimaries", "clusters restart-primaries" },
        { "createGroupDatabaseUser", "database-users create" },
        { "listGroupClusterBackupSnapshots", "backups snapshots list" },
        { "updateGroupClusterProcessArgs", "clusters process-args update" },
    };
    for (size_t i = 0; i < LENGTH(expected); i++) {
        const struct command *command = command_of_operation(expected[i][0]);
        assert_non_null(command);
        assert_string_equal(command_name(arena, command).data, expected[i][1]);
    }
}

static void
words_find_their_command(void **state)
{
    (void)state;
    const char *words[] = { "clusters", "process-args", "update", "orders" };
    struct command_match match = command_match(words, 4);
    assert_non_null(match.command);
    assert_string_equal(TEXT_AT(match.command->operation), "updateGroupClusterProcessArgs");
    assert_int_equal(match.used, 3);
    match = command_match(words, 2);
    assert_null(match.command);
    assert_non_null(match.family);
    assert_int_equal(match.used, 2);
    const char *unknown[] = { "nothing", "list" };
    assert_null(command_match(unknown, 2).family);
    /* All of them are found by their own words. */
    for (size_t i = 0; i < command_count; i++) {
        const char *own[8];
        size_t count = 0;
        str rest = command_name(arena, &commands[i]);
        while (rest.len > 0)
            own[count++] = str_dup(arena, str_cut(&rest, ' ')).data;
        assert_ptr_equal(command_match(own, count).command, &commands[i]);
    }
}

static void
misspelt_words_are_understood(void **state)
{
    (void)state;
    str names[3];
    const char *family[] = { "clusters" };
    assert_int_equal(command_distance("clusters", "clusters"), 0);
    assert_int_equal(command_distance("clustres", "clusters"), 2);
    assert_true(command_suggest(arena, NULL, 0, "clsters", names, 3) > 0);
    assert_string_equal(names[0].data, "clusters");
    assert_true(command_suggest(arena, family, 1, "lst", names, 3) > 0);
    assert_string_equal(names[0].data, "list");
    assert_int_equal(command_suggest(arena, NULL, 0, "xyzzyxyzzy", names, 3), 0);
}

static void
no_two_flags_of_a_command_are_equal(void **state)
{
    (void)state;
    for (size_t c = 0; c < command_count; c++) {
        const struct command_list *lists[] = { &commands[c].parameters, &commands[c].query, &commands[c].body };
        str flags[512];
        size_t count = 0;
        for (size_t l = 0; l < LENGTH(lists); l++) {
            for (uint32_t i = 0; i < lists[l]->count; i++) {
                const struct command_field *field = &command_fields[lists[l]->at + i];
                str flag = str_from(TEXT_AT(field->flag));
                for (size_t n = 0; n < count; n++)
                    assert_false(str_eq(flags[n], flag));
                for (int o = 0; o < OPTION_COUNT;
                     o++) /* but for the project and the organization, which are the same thing */
                    assert_true(!str_is(flag, common_options[o].name) || o == OPTION_PROJECT || o == OPTION_ORG);
                flags[count++] = flag;
                assert_true(strlen(TEXT_AT(field->doc)) > 0);
            }
        }
    }
}

static void
a_change_knows_what_reads_it(void **state)
{
    (void)state;
    const struct command *reading = command_reading(command_of_operation("updateGroupCluster"));
    assert_non_null(reading);
    assert_string_equal(TEXT_AT(reading->operation), "getGroupCluster");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_unique),
        cmocka_unit_test(no_name_begins_another),
        cmocka_unit_test(names_are_small_words),
        cmocka_unit_test(names_are_what_people_say),
        cmocka_unit_test(words_find_their_command),
        cmocka_unit_test(misspelt_words_are_understood),
        cmocka_unit_test(no_two_flags_of_a_command_are_equal),
        cmocka_unit_test(a_change_knows_what_reads_it),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
