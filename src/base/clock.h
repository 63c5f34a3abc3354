/* SPDX-License-Identifier: Apache-2.0 */
/* Time. Wall time for what people and certificates see, steady time for everything that is measured or waited for. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_now_ms(void);    /* since 1970, UTC */
int64_t clock_steady_ms(void); /* since some moment; never goes back */
int64_t clock_steady_us(void);
void clock_sleep_ms(int64_t ms);

#endif
