/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier is the one that PostgreSQL itself would have made, and PostgreSQL lets in whoever knows the password. */
#include "store_fixture.h"

#include "base/crypto/scram.h"

static void
verifier_of_the_rfc_is_reproduced(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1024 * 1024);
    str salt;
    /* RFC 7677, section 3: user "user", password "pencil". The server's proof there is made with this server key. */
    assert_true(str_from_base64(arena, STR("W22ZaJ0SNY7soEsUEjb6gQ=="), &salt));
    str made = scram_verifier_with(arena, STR("pencil"), salt, 4096);
    assert_string_equal(made.data,
                        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                        "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
    arena_free(arena);
}

static void
every_password_has_a_salt_of_its_own(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1024 * 1024);
    assert_string_not_equal(scram_verifier(arena, STR("pencil")).data, scram_verifier(arena, STR("pencil")).data);
    arena_free(arena);
}

static void
only_what_all_clients_write_alike_is_taken(void **state)
{
    (void)state;
    assert_true(scram_takes(STR("correct horse <battery> ~!")));
    assert_false(scram_takes(STR("")));
    assert_false(scram_takes(STR("p\xc3\xa4ssword")));
    assert_false(scram_takes(STR("tab\there")));
    assert_false(scram_takes(STR("\x7f")));
}

static const char *const passwords[] = { "pencil", "correct horse battery", "a'b\"c\\d;--", "          ",
                                         "<tr0ub4dor & three>" };

/* PostgreSQL keeps a verifier as it is given, and makes one itself of a password: with its salt ours must be the same. */
static void
verifier_equals_that_of_postgres_for_the_same_salt(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1024 * 1024);
    PGconn *super = fixture_connect(fixture_super_dsn);
    fixture_ask_on(super, "SET password_encryption = 'scram-sha-256'");
    for (size_t i = 0; i < LENGTH(passwords); i++) {
        char *quoted = PQescapeLiteral(super, passwords[i], strlen(passwords[i]));
        str make = str_format(arena, "CREATE ROLE scram_%d_%zu LOGIN PASSWORD %s", (int)getpid(), i, quoted);
        str ask =
            str_format(arena, "SELECT rolpassword FROM pg_authid WHERE rolname = 'scram_%d_%zu'", (int)getpid(), i);
        fixture_ask_on(super, make.data);
        str theirs = str_dup(arena, str_from(fixture_ask_on(super, ask.data))), rest = theirs, salt;
        str_cut(&rest, ':');
        assert_true(str_from_base64(arena, str_dup(arena, str_cut(&rest, '$')), &salt));
        assert_string_equal(scram_verifier_with(arena, str_from(passwords[i]), salt, SCRAM_ITERATIONS).data,
                            theirs.data);
        fixture_ask_on(super, str_format(arena, "DROP ROLE scram_%d_%zu", (int)getpid(), i).data);
        PQfreemem(quoted);
    }
    PQfinish(super);
    arena_free(arena);
}

/* The servers of tests trust everybody; these users are asked for their passwords. */
static void
ask_testers_for_passwords(PGconn *super)
{
    fixture_ask_on(
        super,
        "DO $$ BEGIN CREATE ROLE scram_testers; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$");
    /* Read before COPY opens the file, which empties it. */
    fixture_ask_on(super,
                   "DO $$ DECLARE f text := current_setting('hba_file'); rules text := pg_read_file(f); BEGIN "
                   "IF rules NOT LIKE '%+scram_testers%' THEN "
                   "EXECUTE format('COPY (SELECT unnest(string_to_array(%L, chr(10)))) TO %L', "
                   "'host all +scram_testers 127.0.0.1/32 scram-sha-256' || chr(10) || rules, f); END IF; END $$");
    fixture_ask_on(super, "SELECT pg_reload_conf()");
    for (int i = 0; i < patient(500); i++) {
        if (strcmp(fixture_ask_on(super, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method = 'scram-sha-256'"),
                   "1") == 0)
            break;
        usleep(10000);
    }
    usleep(300000); /* what the file says is not yet what the postmaster read */
}

static void
postgres_lets_in_who_knows_the_password_and_nobody_else(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1024 * 1024);
    PGconn *super = fixture_connect(fixture_super_dsn);
    ask_testers_for_passwords(super);
    for (size_t i = 0; i < LENGTH(passwords); i++) {
        str name = str_format(arena, "scram_login_%d_%zu", (int)getpid(), i);
        str verifier = scram_verifier(arena, str_from(passwords[i]));
        fixture_ask_on(super, str_format(arena, "CREATE ROLE %s LOGIN PASSWORD '%s' IN ROLE scram_testers", name.data,
                                         verifier.data)
                                  .data);
        /* Over TCP, where they are asked. */
        for (int right = 0; right <= 1; right++) {
            const char *keys[] = { "dbname", "host", "hostaddr", "user", "password", NULL };
            const char *values[] = {
                fixture_super_dsn, "127.0.0.1", "127.0.0.1", name.data, right ? passwords[i] : "not the password", NULL
            };
            PGconn *pg = PQconnectdbParams(keys, values, 1);
            assert_int_equal(PQstatus(pg), right ? CONNECTION_OK : CONNECTION_BAD);
            if (right)
                assert_string_equal(fixture_ask_on(pg, "SELECT session_user"), name.data);
            PQfinish(pg);
        }
        fixture_ask_on(super, str_format(arena, "DROP ROLE %s", name.data).data);
    }
    PQfinish(super);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verifier_of_the_rfc_is_reproduced),
        cmocka_unit_test(every_password_has_a_salt_of_its_own),
        cmocka_unit_test(only_what_all_clients_write_alike_is_taken),
        cmocka_unit_test(verifier_equals_that_of_postgres_for_the_same_salt),
        cmocka_unit_test(postgres_lets_in_who_knows_the_password_and_nobody_else),
    };
    return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
