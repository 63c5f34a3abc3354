/* SPDX-License-Identifier: Apache-2.0 */
/* The few compiler attributes that the code is written with. */
#ifndef BASE_ATTRIBUTES_H
#define BASE_ATTRIBUTES_H

#define MUST_USE                 __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
/* Tells the compiler that after TRY() the outputs are set; newer compilers warn otherwise. */
#define NEVER_NULL        __attribute__((returns_nonnull))
#define CLEANUP(function) __attribute__((cleanup(function)))

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
