/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of database users, and the authority of a project that signs them. */
#ifndef STORE_ACCESS_USER_CERTIFICATE_H
#define STORE_ACCESS_USER_CERTIFICATE_H

#include "store/fleet/fleet.h"

/* The certificate is empty when the project has no authority yet. */
MUST_USE error store_project_authority(struct tx *tx, id project, struct authority_row *ret_row);
MUST_USE error store_project_authority_add(struct tx *tx, id organization, id project, const struct authority_row *row,
                                           int64_t not_after_ms);

/* What a certificate's row has as its owner. */
str user_certificate_owner(struct arena *arena, id project, str user);
MUST_USE error store_user_certificates_revoke(struct tx *tx, id project, str user);
/* Until when a certificate of this user, a revoked one included, has not expired; empty when there is none. */
MUST_USE error store_user_certificates_until(struct tx *tx, id project, str user, str *ret_until);

/* ---- Certificates that end soon: each is told once ---- */
enum { CERTIFICATES_ENDING_MAX = 100 };
struct ending_certificate {
    str serial, document;
    id organization, project;
};
MUST_USE error store_user_certificates_ending(struct store *store, struct arena *arena,
                                              struct ending_certificate ret_ending[CERTIFICATES_ENDING_MAX],
                                              size_t *ret_count);
/* False when it was told before, or does not matter any more. */
MUST_USE error store_user_certificate_tell(struct tx *tx, const struct ending_certificate *ending, bool *ret_changed);

#endif
