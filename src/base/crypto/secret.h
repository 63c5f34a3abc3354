/* SPDX-License-Identifier: Apache-2.0 */
/* Reeve's own credentials begin with a known prefix. This finds them where a client put one by mistake. */
#ifndef BASE_CRYPTO_SECRET_H
#define BASE_CRYPTO_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* Overwrites what follows the prefix of a credential with three stars, in a text that will be logged or quoted; also when
 * it is percent-encoded. Returns the new length, which is never larger. Client ids are no secrets and stay. */
size_t secret_hide(char *text, size_t len);
bool secret_is_in(const char *text, size_t len);

#endif
