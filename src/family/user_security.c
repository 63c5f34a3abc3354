/* SPDX-License-Identifier: Apache-2.0 */
/* How database users prove who they are when it is not by a password that Reeve keeps. */
#include "api/contract.h"

// clang-format off
static const struct endpoint user_security_endpoints[] = {
    { GET, "/groups/{groupId}/userSecurity", S36, ANY_OF(PROJECT_OWNER), "getGroupUserSecurity",
      "Return the LDAP and X.509 settings of one project",
      "Returns the directory that the project's clusters ask and the certificate authority that they trust. The "
      "bind password is not returned.",
      .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/userSecurity", S36, ANY_OF(PROJECT_OWNER), "updateGroupUserSecurity",
      "Update the LDAP or X.509 settings of one project",
      "Accepts new settings and brings them to every cluster of the project. Asynchronous; check the directory "
      "with a verification first.",
      .success = 202, .waits_for = "clusters" },
    { DELETE, "/groups/{groupId}/userSecurity/ldap/userToDNMapping", S36, ANY_OF(PROJECT_OWNER),
      "deleteGroupUserSecurityLdapUserToDnMapping",
      "Remove the LDAP name mapping of one project",
      "Removes the rules that turn a user's name into a name of the directory. Users then log in with their "
      "distinguished name.",
      .success = 202, .waits_for = "clusters" },
    { POST, "/groups/{groupId}/userSecurity/ldap/verify", S36, ANY_OF(PROJECT_OWNER), "verifyGroupUserSecurityLdap",
      "Request a check of an LDAP configuration",
      "Starts a check from the project's hosts: reach the server, bind, and look up. Asynchronous; read the "
      "result by the id in the answer.",
      .success = 200, .item = "/groups/{groupId}/userSecurity/ldap/verify/{requestId}", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/userSecurity/ldap/verify/{requestId}", S36, ANY_OF(PROJECT_OWNER),
      "getGroupUserSecurityLdapVerify",
      "Return the result of one LDAP check",
      "Returns how far the check is and which of its steps passed or failed.",
      .waits_for = "clusters" },

    { DELETE, "/groups/{groupId}/userSecurity/customerX509", S67, ANY_OF(PROJECT_OWNER),
      "disableGroupUserSecurityCustomerX509",
      "Remove the certificate authority of one project",
      "Accepts that clusters no longer trust the certificate authority that was set. Database users with "
      "certificates of it can no longer log in.",
      .success = 202, .waits_for = "clusters" },
    { GET, "/groups/{groupId}/databaseUsers/{username}/certs", S67, ANY_OF(PROJECT_READ_ONLY),
      "listGroupDatabaseUserCerts",
      "Return all certificates of one database user",
      "Lists the certificates that were issued to the user and have not ended. Private keys are not kept and "
      "cannot be returned.",
      .shape = SHAPE_LIST, .waits_for = "clusters" },
    { POST, "/groups/{groupId}/databaseUsers/{username}/certs", S67, ANY_OF(PROJECT_OWNER),
      "createGroupDatabaseUserCert",
      "Create one certificate for one database user",
      "Issues a client certificate with its private key, as PEM. Both are in this answer and nowhere else.",
      .waits_for = "clusters" },
};
// clang-format on

FAMILY(user_security_family, "user-security", "Database user security",
       "How database users prove who they are: a directory over LDAP, or X.509 certificates.", user_security_endpoints);
