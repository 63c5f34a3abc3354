/* SPDX-License-Identifier: Apache-2.0 */
/* What is done about an object that somebody deleted or overwrote. */
#include "operator/store_recover.h"

#include <stdlib.h>

#include "check.h"

enum { SINCE = 100, MOST = 4 };

/* Newest first, as a list of moments: -7 is a marker of the moment 7. */
static struct store_remedy
remedy_of(const int *moments, struct bucket_version versions[MOST])
{
    size_t count = 0;
    for (; count < MOST && moments[count] != 0; count++)
        versions[count] = (struct bucket_version){ .at_ms = abs(moments[count]), .is_marker = moments[count] < 0 };
    return store_remedy_of(versions, count, SINCE);
}

static void
what_was_there_is_there_again_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        int moments[MOST];
        int then; /* 0: nothing is done */
        bool is_deleted, is_overwritten;
    } rows[] = {
        { { 50 }, 50, false, false },            /* nobody touched it */
        { { -150, 50 }, 50, true, false },       /* deleted */
        { { -160, -150, 50 }, 50, true, false }, /* twice */
        { { 150, 50 }, 50, false, true },        /* overwritten */
        { { -160, 150, 50 }, 50, true, true },   /* and deleted */
        { { 150 }, 0, false, false },            /* written since: it stays */
        { { -150, 140 }, 0, false, false },      /* written and deleted since */
        { { -60, 50 }, 0, false, false },        /* deleted before */
        { { 150, -60, 50 }, 0, false, false },   /* and written again since */
        { { -100, 99 }, 99, true, false },       /* the moment itself is not trusted */
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct bucket_version versions[MOST];
        struct store_remedy remedy = remedy_of(rows[i].moments, versions);
        assert_int_equal(remedy.then == NULL ? 0 : remedy.then->at_ms, rows[i].then);
        assert_int_equal(remedy.is_deleted, rows[i].is_deleted);
        assert_int_equal(remedy.is_overwritten, rows[i].is_overwritten);
    }
}

static void
what_is_back_is_not_brought_back_again(void **state)
{
    (void)state;
    struct bucket_version versions[] = { { .at_ms = 160, .etag = STR("a") },
                                         { .at_ms = 150, .etag = STR("b") },
                                         { .at_ms = 50, .etag = STR("a") } };
    struct store_remedy remedy = store_remedy_of(versions, LENGTH(versions), SINCE);
    assert_ptr_equal(remedy.then, &versions[2]);
    assert_false(remedy.is_overwritten);
    versions[0].etag = STR("c");
    assert_true(store_remedy_of(versions, LENGTH(versions), SINCE).is_overwritten);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_was_there_is_there_again_and_nothing_else),
                                        cmocka_unit_test(what_is_back_is_not_brought_back_again) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
