/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

static int64_t
read_us(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
clock_now_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

int64_t
clock_steady_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / 1000;
}

int64_t
clock_steady_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

void
clock_sleep_ms(int64_t ms)
{
    struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    while (nanosleep(&left, &left) != 0) {
        /* interrupted: sleep what is left */
    }
}
