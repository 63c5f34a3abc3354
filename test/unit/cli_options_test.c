/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the command line, for every flag of every command: nothing is taken for what it is not. */
#include "arena_fixture.h"
#include "cli/builtins.h"
#include "cli/options.h"

enum { MAX_WORDS = 16 };

/* The command's words with `more` behind them; *ret_why is why not, when it is refused. */
static bool
reads(const char *words, const char *const *more, size_t count, struct call *ret_call, str *ret_why)
{
    const char *argv[MAX_WORDS] = { "reeve" };
    int argc = 1;
    str rest = str_from(words);
    while (rest.len > 0)
        argv[argc++] = str_dup(arena, str_cut(&rest, ' ')).data;
    for (size_t i = 0; i < count; i++)
        argv[argc++] = more[i];
    *ret_call = (struct call){ 0 };
    *ret_why = STR_EMPTY;
    return options_read(arena, builtins, builtin_count, argc, argv, ret_call, ret_why);
}

static void
assert_refuses_flag_as_value(const char *words, const char *flag)
{
    static const char *const flags[] = { "--dry-run", "--help", "-v", "--", "--nobody" };
    struct call call;
    str why;
    for (size_t i = 0; i < LENGTH(flags); i++) {
        const char *more[] = { flag, flags[i] };
        assert_false(reads(words, more, LENGTH(more), &call, &why));
        /* It says how such a value is written. */
        assert_non_null(strstr(why.data, "needs a value"));
        assert_true(str_ends_with(why, str_format(arena, "=%s", flags[i])));
    }
}

static void
assert_takes_written_out(const char *words, const char *flag)
{
    static const char *const values[] = { "--dry-run", "-", "-5", "" };
    struct call call;
    str why;
    for (size_t i = 0; i < LENGTH(values); i++) {
        const char *more[] = { str_format(arena, "%s=%s", flag, values[i]).data };
        assert_true(reads(words, more, 1, &call, &why));
        assert_null(call.values[OPTION_DRY_RUN]);
        if (i == 1 || i == 2) {
            const char *apart[] = { flag, values[i] };
            assert_true(reads(words, apart, 2, &call, &why));
        }
    }
}

/* C1: `projects create --name --dry-run` made a project of that name; the dry run had become a write. */
static void
no_flag_of_a_command_swallows_a_flag(void **state)
{
    (void)state;
    size_t tried = 0;
    for (size_t c = 0; c < command_count; c++) {
        const struct command *command = &commands[c];
        const struct command_list *lists[] = { &command->parameters, &command->query, &command->body };
        const char *words = command_name(arena, command).data;
        for (size_t l = 0; l < LENGTH(lists); l++) {
            for (uint32_t i = 0; i < lists[l]->count; i++) {
                const struct command_field *field = &command_fields[lists[l]->at + i];
                if (field->type == FLAG_BOOLEAN)
                    continue;
                const char *flag = str_format(arena, "--%s", TEXT_AT(field->flag)).data;
                assert_refuses_flag_as_value(words, flag);
                assert_takes_written_out(words, flag);
                tried++;
            }
        }
    }
    assert_true(tried > 1000);
}

/* `logs` shows what a cluster's servers wrote, and took `logs download` for a cluster of that name. */
static void
a_command_is_not_taken_for_an_argument(void **state)
{
    (void)state;
    struct call call;
    str why;
    for (size_t c = 0; c < command_count; c++) {
        assert_true(reads(command_name(arena, &commands[c]).data, NULL, 0, &call, &why));
        assert_ptr_equal(call.command, &commands[c]);
    }
    assert_true(reads("logs orders", NULL, 0, &call, &why));
    assert_null(call.command);
    assert_string_equal(call.builtin->words, "logs");
    assert_string_equal(call.arguments[0], "orders");
    assert_true(reads("logs -- download", NULL, 0, &call, &why));
    assert_null(call.command);
    assert_string_equal(call.arguments[0], "download");
}

static void
no_option_swallows_a_flag(void **state)
{
    (void)state;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &common_options[i];
        const struct command *command = command_of_operation(i == OPTION_ORG           ? "createProject"
                                                             : row->scope == FOR_LISTS ? "listGroupClusters"
                                                                                       : "createGroupCluster");
        const char *words = command_name(arena, command).data;
        if (row->value == NULL)
            continue;
        assert_refuses_flag_as_value(words, str_format(arena, "--%s", row->name).data);
        assert_takes_written_out(words, str_format(arena, "--%s", row->name).data);
        if (row->letter != 0)
            assert_refuses_flag_as_value(words, str_format(arena, "-%c", row->letter).data);
    }
    for (size_t b = 0; b < builtin_count; b++) {
        for (const struct option_row *row = builtins[b].options; row != NULL && row->name != NULL; row++) {
            if (row->value == NULL)
                continue;
            assert_refuses_flag_as_value(builtins[b].words, str_format(arena, "--%s", row->name).data);
            assert_takes_written_out(builtins[b].words, str_format(arena, "--%s", row->name).data);
        }
    }
}

static void
an_option_in_front_of_the_words_swallows_none(void **state)
{
    (void)state;
    const char *argv[] = { "reeve", "--profile", "--dry-run", "projects", "create", "--name", "x" };
    struct call call = { 0 };
    str why;
    assert_false(options_read(arena, builtins, builtin_count, LENGTH(argv), argv, &call, &why));
    assert_non_null(strstr(why.data, "--profile=--dry-run"));
}

/* C11: `-qname` was no option. */
static void
a_letter_takes_the_rest_of_its_word(void **state)
{
    (void)state;
    static const char *const forms[] = { "-qname", "-q=name", "--query=name" };
    const char *apart[] = { "-q", "name" };
    struct call call;
    str why;
    for (size_t i = 0; i < LENGTH(forms); i++) {
        assert_true(reads("clusters list", &forms[i], 1, &call, &why));
        assert_string_equal(call.values[OPTION_QUERY], "name");
    }
    assert_true(reads("clusters list", apart, 2, &call, &why));
    assert_string_equal(call.values[OPTION_QUERY], "name");
    const char *none[] = { "-vx" };
    assert_false(reads("clusters list", none, 1, &call, &why));
    const char *unknown[] = { "-x" };
    assert_false(reads("clusters list", unknown, 1, &call, &why));
    assert_string_equal(why.data, "there is no option -x here");
}

/* C10: `projects list -p web` was taken, and listed every project. */
static void
an_option_that_means_nothing_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        { "projects list", "-p", "web" },           { "projects list", "--org", "acme" },
        { "clusters list", "--org", "acme" },       { "clusters get", "--page-num", "2" },
        { "clusters list", "--file", "-" },         { "clusters get", "--idempotency-key", "k" },
        { "organizations list", "--project", "p" }, { "fleet hosts drain", "--if-match", "\"1\"" },
    };
    static const char *const right[][3] = {
        { "clusters list", "-p", "web" },
        { "clusters list", "--group", "web" },
        { "projects create", "--org", "acme" },
        { "projects get", "--project", "web" },
    };
    struct call call;
    str why;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        assert_false(reads(wrong[i][0], &wrong[i][1], 2, &call, &why));
        assert_non_null(strstr(why.data, str_format(arena, "`%s` takes no --", wrong[i][0]).data));
    }
    for (size_t i = 0; i < LENGTH(right); i++)
        assert_true(reads(right[i][0], &right[i][1], 2, &call, &why));
    const char *tried[] = { "--dry-run" };
    assert_false(reads("clusters list", tried, 1, &call, &why));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_flag_of_a_command_swallows_a_flag),
        cmocka_unit_test(a_command_is_not_taken_for_an_argument),
        cmocka_unit_test(no_option_swallows_a_flag),
        cmocka_unit_test(an_option_in_front_of_the_words_swallows_none),
        cmocka_unit_test(a_letter_takes_the_rest_of_its_word),
        cmocka_unit_test(an_option_that_means_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
