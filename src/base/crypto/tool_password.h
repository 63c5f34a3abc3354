/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name and password with which a project's own tools read its measurements. What is kept of them is one keyed hash over both and the
 * project: whoever reads the database can neither use it nor try passwords against it, and comparing it takes the same time whatever is wrong.
 */
#ifndef BASE_CRYPTO_TOOL_PASSWORD_H
#define BASE_CRYPTO_TOOL_PASSWORD_H

#include "base/crypto/crypto.h"
#include "base/id.h"

#define TOOL_KEY_PURPOSE "tool password v1" /* of crypto_derive() */

/* 64 hexadecimal digits. */
str tool_password_hash(struct arena *arena, const struct key *key, id project, str username, str password);
/* `hash` may be empty, or anything: then nothing is right. */
bool tool_password_is(struct arena *arena, const struct key *key, id project, str username, str password, str hash);

#endif
