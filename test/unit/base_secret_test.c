/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/secret.h"

#include <string.h>

#include "check.h"

static void
expect(const char *text, const char *wanted)
{
    char copy[512];
    size_t len = strlen(text);
    memcpy(copy, text, len);
    assert_int_equal(secret_is_in(copy, len), strcmp(text, wanted) != 0);
    size_t kept = secret_hide(copy, len);
    assert_int_equal(kept, strlen(wanted));
    assert_memory_equal(copy, wanted, kept);
}

static void
test_hides(void **state)
{
    (void)state;
    expect("reeve_sk_0123456789abcdefABCDEF-_", "reeve_sk_***");
    expect("/groups/reeve_at_0123456789abcdefX/x", "/groups/reeve_at_***/x");
    expect("a reeve_pk_0123456789abcdef, b reeve_sk_0123456789abcdef.", "a reeve_pk_***, b reeve_sk_***.");
    expect("%72eeve%5Fsk_0123456789abcde%66", "%72eeve%5Fsk_***");
    expect("reeve_reeve_sk_0123456789abcdef", "reeve_reeve_sk_***");
    expect("--token reeve_join_0123456789abcdefX:00ff", "--token reeve_join_***:00ff");
}

static void
test_leaves(void **state)
{
    (void)state;
    expect("", "");
    expect("%", "%");
    expect("%7", "%7");
    expect("reeve_", "reeve_");
    expect("reeve_sk", "reeve_sk");
    expect("reeve_sk_", "reeve_sk_");
    expect("reeve_joining_0123456789abcdef", "reeve_joining_0123456789abcdef");
    expect("reeve_rate_limit_denied_total", "reeve_rate_limit_denied_total");
    expect("reeve_sk_0123456789abcde", "reeve_sk_0123456789abcde");
    expect("reeve_sk_\u2026KWA3", "reeve_sk_\u2026KWA3");
    expect("reeve_sa_650000000000000000000001", "reeve_sa_650000000000000000000001");
    expect("/api/svc/v2/groups/650000000000000000000001", "/api/svc/v2/groups/650000000000000000000001");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hides),
        cmocka_unit_test(test_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
