/* SPDX-License-Identifier: Apache-2.0 */
/* How many seats of a host do something at the same time. */
#include "check.h"

#include "agent/seat/turns.h"

static id
seat(unsigned char number)
{
    return (id){ .bytes = { number }, .is_there = true };
}

static void
test_others_wait(void **state)
{
    (void)state;
    struct turns turns = TURNS_NONE;
    assert_true(turn_take(&turns, 2, seat(1)));
    assert_true(turn_take(&turns, 2, seat(2)));
    assert_false(turn_take(&turns, 2, seat(3)));
    turn_give_back(&turns, seat(1));
    assert_true(turn_take(&turns, 2, seat(3)));
    assert_false(turn_take(&turns, 2, seat(1)));
}

static void
test_a_turn_is_taken_once(void **state)
{
    (void)state;
    struct turns turns = TURNS_NONE;
    for (int i = 0; i < 3; i++)
        assert_true(turn_take(&turns, 2, seat(1)));
    assert_true(turn_take(&turns, 2, seat(2)));
    turn_give_back(&turns, seat(1));
    turn_give_back(&turns, seat(1)); /* who has none gives nobody else's back */
    assert_true(turn_take(&turns, 2, seat(3)));
    assert_false(turn_take(&turns, 2, seat(1)));
}

static void
test_never_more_than_there_is_room_for(void **state)
{
    (void)state;
    struct turns turns = TURNS_NONE;
    for (int i = 0; i < TURNS_MOST; i++)
        assert_true(turn_take(&turns, 1000, seat((unsigned char)(i + 1))));
    assert_false(turn_take(&turns, 1000, seat(TURNS_MOST + 1)));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_wait),
        cmocka_unit_test(test_a_turn_is_taken_once),
        cmocka_unit_test(test_never_more_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
