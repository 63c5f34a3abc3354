/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with what it needs, beside our own fail(): include this instead of cmocka.h. */
#ifndef TEST_UNIT_CHECK_H
#define TEST_UNIT_CHECK_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#pragma push_macro("fail")
#undef fail
#include <cmocka.h>
#pragma pop_macro("fail")
// clang-format on

/* How long something takes says nothing then. gcc and clang say it in different ways. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER
#endif

/* A limit for something that takes as long as the machine lets it: so many times as long on one that others use, too (REEVE_PATIENCE). */
static inline int64_t
patient(int64_t limit)
{
    const char *times = getenv("REEVE_PATIENCE");
    double factor = times == NULL ? 1 : strtod(times, NULL);
    return factor > 1 ? (int64_t)((double)limit * factor) : limit;
}

#undef fail_msg
#define fail_msg(...) (print_error("ERROR: " __VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#endif
