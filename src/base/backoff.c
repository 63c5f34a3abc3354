/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"

#include "base/crypto/crypto.h"

int64_t
backoff_ms(struct backoff pace, int64_t failures)
{
    int64_t whole = pace.first_ms;
    for (int64_t i = 0; i < failures && whole < pace.most_ms; i++)
        whole *= 2;
    if (whole > pace.most_ms)
        whole = pace.most_ms;
    uint32_t random;
    crypto_random(&random, sizeof(random));
    return whole / 2 + (int64_t)(random % (uint64_t)(whole / 2 + 1));
}
