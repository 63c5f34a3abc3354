/* SPDX-License-Identifier: Apache-2.0 */
/* People's passwords: which are taken, what is kept of one, and how many are computed at a time. */
#include "arena_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "auth/person/password.h"

static const struct key pepper = { { 1, 2, 3 } }, other_pepper = { { 9 } };

static void
only_common_ones_and_the_own_address_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *password;
        bool is_taken;
    } rows[] = {
        { "a long enough secret", true }, { "aaaa bbbb cccc", true }, /* nothing is demanded of its letters */
        { "password1234", false },        { "PassWord1234", false },   { "password1234 and more", true },
        { "jo@example.org", false },      { "JO@EXAMPLE.ORG", false }, { "I am jo@example.org", false },
        { "jo@example.or", true },
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(password_problem(str_from(rows[i].password), STR("jo@example.org")) == NULL, rows[i].is_taken);
    assert_non_null(password_problem(STR("somebody.with.a.name"), STR("somebody.with.a.name@example.org")));
    assert_null(password_problem(STR("somebody.with.a.name"), STR("somebody@example.org")));
}

static void
password_is_right_under_its_own_key_only(void **state)
{
    (void)state;
    str hash, again;
    bool right = false;
    assert_null(password_make(arena, &pepper, STR("a long enough secret"), &hash));
    assert_null(password_make(arena, &pepper, STR("a long enough secret"), &again));
    assert_true(str_starts_with(hash, STR("$argon2id$v=19$m=19456,t=2,p=1$")));
    assert_false(str_eq(hash, again)); /* each has a salt of its own */
    assert_null(password_check(arena, &pepper, STR("a long enough secret"), hash, &right));
    assert_true(right);
    assert_null(password_check(arena, &pepper, STR("a long enough secreT"), hash, &right));
    assert_false(right);
    assert_null(password_check(arena, &other_pepper, STR("a long enough secret"), hash, &right));
    assert_false(right);
    right = true;
    assert_null(password_check(arena, &pepper, STR("a long enough secret"), STR_EMPTY, &right)); /* nobody's */
    assert_false(right);
    assert_non_null(password_check(arena, &pepper, STR("a long enough secret"), STR("$argon2id$"), &right));
}

enum { MANY = 16 };
static atomic_int done, refused, others;

static void *
try_one(void *unused)
{
    (void)unused;
    struct arena *own = arena_new(64 * 1024);
    bool right;
    error problem = password_check(own, &pepper, STR("wrong"), STR_EMPTY, &right);
    if (problem == OK)
        atomic_fetch_add(&done, 1);
    else if (problem->code == OVERLOADED && problem->retry_after_s == 1)
        atomic_fetch_add(&refused, 1);
    else
        atomic_fetch_add(&others, 1);
    arena_free(own);
    return NULL;
}

static void
more_than_a_few_at_once_are_told_to_come_again(void **state)
{
    (void)state;
    pthread_t threads[MANY];
    bool right;
    for (int i = 0; i < MANY; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, try_one, NULL), 0);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(done + refused, MANY);
    assert_int_equal(others, 0);
    assert_true(done >= PASSWORDS_AT_ONCE);
    assert_true(refused > 0);
    /* Each gave its turn back. */
    for (int i = 0; i < 2 * PASSWORDS_AT_ONCE; i++)
        assert_null(password_check(arena, &pepper, STR("wrong"), STR_EMPTY, &right));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_common_ones_and_the_own_address_are_refused),
        cmocka_unit_test(password_is_right_under_its_own_key_only),
        cmocka_unit_test(more_than_a_few_at_once_are_told_to_come_again),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
