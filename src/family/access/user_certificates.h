/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates that this service issues to database users. Each project has its own authority, made when it is first
 * needed; members trust it only for users of this project. A private key is only in the answer that creates it.
 */
#ifndef FAMILY_ACCESS_USER_CERTIFICATES_H
#define FAMILY_ACCESS_USER_CERTIFICATES_H

#include "api/request.h"

extern const struct schema user_certificate_schema;
extern const struct read user_certificate_list;
handler user_certificate_create;

/*
 * A certificate works for any user with its name. So a name cannot be used for a new user while a certificate of an
 * earlier user with that name is valid.
 */
MUST_USE error user_certificates_check_new(struct request *req, str user);

#endif
