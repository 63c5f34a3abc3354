/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates that this service issues to database users. Each project has an authority of its own, made when it is first
 * needed; members trust it for users of this project and for nothing else. Private keys are in one answer and nowhere else.
 */
#ifndef FAMILY_ACCESS_USER_CERTIFICATES_H
#define FAMILY_ACCESS_USER_CERTIFICATES_H

#include "api/request.h"

extern const struct schema user_certificate_schema;
extern const struct read user_certificate_list;
handler user_certificate_create;

/* A certificate lets in whoever has the name that it says: while one of an earlier user of this name could still be used, there
 * is no new user of that name. */
MUST_USE error user_certificates_check_new(struct request *req, str user);

#endif
