/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"

#include <sys/random.h>

/* No secret, so it may be 0 where there is no randomness; and nothing of OpenSSL, which the command line is not linked with. */
static uint32_t
any_number(void)
{
    uint32_t number = 0;
    return getrandom(&number, sizeof(number), 0) == (ssize_t)sizeof(number) ? number : 0;
}

int64_t
backoff_ms(struct backoff pace, int64_t failures)
{
    int64_t whole = pace.first_ms;
    for (int64_t i = 0; i < failures && whole < pace.most_ms; i++)
        whole *= 2;
    if (whole > pace.most_ms)
        whole = pace.most_ms;
    return whole / 2 + (int64_t)(any_number() % (uint64_t)(whole / 2 + 1));
}
