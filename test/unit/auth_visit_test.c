/* SPDX-License-Identifier: Apache-2.0 */
/* What a browser carries while its person is at their identity provider: what any node can read, nobody else can make, and is kept nowhere. */
#include <stdlib.h>

#include "arena_fixture.h"

#include "auth/jwt.h"
#include "auth/person/visit.h"

enum { NOW_S = 1700000000 };

static id
id_of(const char *digits)
{
    id made;
    assert_true(id_parse(str_from(digits), &made));
    return made;
}

static void
visit_says_where_it_goes_and_lasts_ten_minutes(void **state)
{
    (void)state;
    struct key key = { { 1 } }, other = { { 2 } };
    struct visit visit, again;
    id provider = id_of("0123456789abcdef01234567"), session = id_of("765432100123456789abcdef");
    str text = visit_new(arena, &key, NOW_S, provider, ID_NONE);
    assert_int_equal(text.len, VISIT_TEXT_LENGTH);
    assert_true(visit_read(arena, &key, NOW_S, text, &visit));
    assert_true(id_eq(visit.provider, provider));
    assert_false(id_is_there(visit.session));
    assert_int_equal(visit.began_at_s, NOW_S);
    assert_true(visit_read(arena, &key, NOW_S + VISIT_LIFETIME_S - 1, text, &again));
    assert_true(str_eq(visit.state, again.state) && str_eq(visit.verifier, again.verifier));
    assert_false(visit_read(arena, &key, NOW_S + VISIT_LIFETIME_S, text, &again));
    assert_true(
        visit_read(arena, &key, NOW_S - JWT_LEEWAY_S, text, &again)); /* another node made it, whose clock is ahead */
    assert_false(visit_read(arena, &key, NOW_S - JWT_LEEWAY_S - 1, text, &again)); /* nobody made it yet */
    assert_false(visit_read(arena, &other, NOW_S, text, &again));
    assert_true(visit_read(arena, &key, NOW_S, visit_new(arena, &key, NOW_S, provider, session), &again));
    assert_true(id_eq(again.session, session));
}

static void
words_differ_from_each_other_and_from_those_of_every_other_visit(void **state)
{
    (void)state;
    struct key key = { { 1 } };
    struct visit visits[2];
    str words[8];
    id provider = id_of("0123456789abcdef01234567");
    for (int i = 0; i < 2; i++) {
        assert_true(visit_read(arena, &key, NOW_S, visit_new(arena, &key, NOW_S, provider, ID_NONE), &visits[i]));
        words[4 * i] = visits[i].state;
        words[4 * i + 1] = visits[i].nonce;
        words[4 * i + 2] = visits[i].verifier;
        words[4 * i + 3] = visit_code_challenge(arena, &visits[i]);
    }
    for (size_t i = 0; i < LENGTH(words); i++) {
        assert_int_equal(words[i].len, VISIT_WORD_LENGTH);
        for (size_t k = 0; k < i; k++)
            assert_false(str_eq(words[i], words[k]));
    }
    assert_memory_not_equal(visits[0].hash, visits[1].hash, SHA256_BYTES);
}

/* RFC 7636, appendix B. */
static void
code_challenge_is_that_of_the_standard(void **state)
{
    (void)state;
    struct visit visit = { .verifier = STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") };
    assert_true(str_is(visit_code_challenge(arena, &visit), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
}

static void
every_changed_letter_is_noticed(void **state)
{
    (void)state;
    struct key key = { { 1 } };
    struct visit visit;
    str text = visit_new(arena, &key, NOW_S, id_of("0123456789abcdef01234567"), ID_NONE);
    char *copy = malloc(text.len);
    for (size_t i = 0; i < text.len; i++) {
        memcpy(copy, text.data, text.len);
        copy[i] = copy[i] == 'A' ? 'B' : 'A';
        assert_false(visit_read(arena, &key, NOW_S, (str){ copy, text.len }, &visit));
        assert_false(visit_read(arena, &key, NOW_S, str_slice(text, 0, i), &visit));
    }
    free(copy);
    assert_true(visit_read(arena, &key, NOW_S, text, &visit));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visit_says_where_it_goes_and_lasts_ten_minutes),
        cmocka_unit_test(words_differ_from_each_other_and_from_those_of_every_other_visit),
        cmocka_unit_test(code_challenge_is_that_of_the_standard),
        cmocka_unit_test(every_changed_letter_is_noticed),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
