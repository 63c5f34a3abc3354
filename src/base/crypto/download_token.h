/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes the address of a download impossible to guess. It follows from the download's id and a key of the service, so it is kept nowhere, and a
 * wrong one is known as such without asking anybody.
 */
#ifndef BASE_CRYPTO_DOWNLOAD_TOKEN_H
#define BASE_CRYPTO_DOWNLOAD_TOKEN_H

#include "base/crypto/crypto.h"
#include "base/id.h"

#define DOWNLOAD_KEY_PURPOSE "download token v1" /* of crypto_derive() */

/* 256 bits, with the prefix by which a log hides it. */
str download_token(struct arena *arena, const struct key *key, id download);
bool download_token_is(struct arena *arena, const struct key *key, id download, str token);

#endif
