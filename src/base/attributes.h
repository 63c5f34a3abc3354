/* SPDX-License-Identifier: Apache-2.0 */
/* The few compiler attributes that the code is written with. */
#ifndef BASE_ATTRIBUTES_H
#define BASE_ATTRIBUTES_H

#define MUST_USE                 __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
/* The compiler then knows that what TRY() runs past has set its outputs; a newer one warns where an older did not. */
#define NEVER_NULL        __attribute__((returns_nonnull))
#define CLEANUP(function) __attribute__((cleanup(function)))

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
