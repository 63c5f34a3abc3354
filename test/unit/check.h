/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with what it needs, beside our own fail(): include this instead of cmocka.h. */
#ifndef TEST_UNIT_CHECK_H
#define TEST_UNIT_CHECK_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#pragma push_macro("fail")
#undef fail
#include <cmocka.h>
#pragma pop_macro("fail")
// clang-format on

#undef fail_msg
#define fail_msg(...) (print_error("ERROR: " __VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#endif
