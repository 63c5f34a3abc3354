/* SPDX-License-Identifier: Apache-2.0 */
/* How credentials are stored: secrets as MACs under the pepper, H(A1) sealed with the organization's data key. */
#ifndef AUTH_CREDENTIAL_H
#define AUTH_CREDENTIAL_H

#include "base/crypto/crypto.h"
#include "base/id.h"

enum { PEPPER_VERSION = 1, CLIENT_ID_LENGTH = 9 + ID_DIGITS };

/* "reeve_sa_<24 digits>" */
str credential_client_id(struct arena *arena, id account);
MUST_USE bool credential_parse_client_id(str text, id *ret_account);

void credential_secret_mac(const struct key *pepper, str secret, uint8_t ret_mac[SHA256_BYTES]);

/* False when it was sealed under another key or for another place. */
MUST_USE bool credential_open_data_key(struct arena *arena, const struct key *sealing, id organization, int64_t version,
                                       str sealed, struct key *ret_key);
/* A column of api_key. What is stored begins with the version of the data key, in one byte. */
MUST_USE bool credential_open(struct arena *arena, const struct key *data_key, id owner, const char *column, str stored,
                              str *ret_plain);

#endif
