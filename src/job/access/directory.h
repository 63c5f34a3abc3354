/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a directory over LDAP. Only workers do; the API knows no LDAP library. */
#ifndef JOB_ACCESS_DIRECTORY_H
#define JOB_ACCESS_DIRECTORY_H

#include "job/access/ldap_verify.h"

/*
 * Looks the server up, connects with TLS, binds and searches, each within seconds. The tenant chose the address, so the
 * rules of base/net/egress.h are checked twice: for all addresses of the name, and again for the connected address
 * before a byte is sent. Referrals are not followed.
 */
directory_asker directory_ask;

#endif
