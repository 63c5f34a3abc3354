/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture.h, and on its database a store that is open from the first test of the program to the last. */
#ifndef TEST_UNIT_OPEN_STORE_FIXTURE_H
#define TEST_UNIT_OPEN_STORE_FIXTURE_H

#include "store_fixture.h"

static struct store *store;

/* For cmocka_run_group_tests(). */
static int
open_store(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    struct store_config config = fixture_config();
    store = fixture_store(&config);
    return 0;
}

static int
close_store(void **state)
{
    store_free(store);
    return fixture_tear_down(state);
}

#endif
