/* SPDX-License-Identifier: Apache-2.0 */
/* How database users log in without a password of this service: through a directory, or with certificates. */
#include "api/api.h"
#include "api/crud.h"
#include "base/crypto/certificate.h"
#include "base/crypto/directory_password.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "cluster/directory.h"
#include "cluster/directory_groups.h"
#include "family/access/user_certificates.h"
#include "family/families.h"
#include "job/kinds.h"
#include "store/resource.h"
#include "store/tenant/project.h"

/* An address, or a name as they are in DNS. */
#define HOST_NAME      "^[A-Za-z0-9:]([A-Za-z0-9.:-]*[A-Za-z0-9:])?$"
#define DIRECTORY_TEXT "^[\\p{L}\\p{N} _.,=@+:#$/?*&|!~(){;'}-]+$"
#define WITH_A_USER    "\"{USER}?memberOf?base\""

static const struct field mapping_fields[] = {
    TEXT("match", "Regular expression that a user's name must match.", REQUIRED, .min = 1, .max = 500,
         .example = "\"(.+)\""),
    TEXT("substitution", "Name in the directory, with {0} for the first group of the match.", 0, .max = 500,
         .example = "\"uid={0},ou=people,dc=example,dc=org\""),
    TEXT("ldapQuery",
         "Query that finds the name in the directory, base??sub?(filter), with {0} for the first group of the match.",
         0, .max = 500),
    END_OF_FIELDS,
};
static const struct schema mapping_schema = { "DirectoryNameMapping",
                                              "How a user's name is turned into a name in the directory.",
                                              mapping_fields };

#define CONNECTION_FIELDS(flag)                                                                                        \
    TEXT("hostname", "Name or address of the directory.", (flag), .min = 1, .max = 253, .pattern = HOST_NAME,          \
         .example = "\"ldap.example.org\""),                                                                           \
        INTEGER("port",                                                                                                \
                "Port of the directory. TLS is always used: with StartTLS on 389, from the start on other ports.", 0,  \
                .min = 1, .max = 65535, .fallback = "636", .example = "636"),                                          \
        TEXT("bindUsername", "Name with which the service searches the directory.", (flag), .min = 4, .max = 500,      \
             .pattern = DIRECTORY_TEXT, .example = "\"cn=reeve,dc=example,dc=org\""),                                  \
        TEXT("bindPassword", "Password of that name.", (flag) | WRITE_ONLY, .min = 1, .max = 500,                      \
             .example = "\"correct horse battery\""),                                                                  \
        TEXT("caCertificate",                                                                                          \
             "Authority of the directory's certificate, in PEM; by default those that the system knows.", 0,           \
             .max = CERTIFICATE_MAX_BYTES),                                                                            \
        TEXT("authzQueryTemplate", "Query that finds the groups of a user: base?attribute?scope?filter, with {USER}.", \
             0, .min = 1, .max = 500, .pattern = DIRECTORY_TEXT, .fallback = WITH_A_USER)

static const struct field ldap_fields[] = {
    BOOL("authenticationEnabled", "Whether database users with ldapAuthType USER log in through the directory.", 0),
    BOOL(
        "authorizationEnabled",
        "Whether people of the directory's groups are users, too: those of each database user with ldapAuthType GROUP, "
        "with its roles. It has an effect while authenticationEnabled is true. Reeve looks every half a minute who is in a group.",
        0),
    CONNECTION_FIELDS(0),
    LIST("userToDNMapping",
         "How names of users become names in the directory. While the directory is switched on there can be only "
         "one, for the whole name: (.+). Without a mapping, users log in with their distinguished name.",
         0, .of = &mapping_schema, .max = 20),
    END_OF_FIELDS,
};
static const struct schema ldap_schema = { "DirectorySettings", "The directory of a project.", ldap_fields };

static const struct field x509_fields[] = {
    TEXT("cas", "Certificates of the authorities that sign certificates of users, in PEM.", 0,
         .max = CERTIFICATE_MAX_BYTES),
    END_OF_FIELDS,
};
static const struct schema x509_schema = { "CustomerAuthority", "The project's own certificate authority.",
                                           x509_fields };

static const struct field security_fields[] = {
    OBJECT("ldap", "The directory.", 0, .of = &ldap_schema),
    OBJECT("customerX509", "The authority for users' certificates.", 0, .of = &x509_schema),
    END_OF_FIELDS,
};
static const struct schema security_schema = { "UserSecurity", "How database users log in.", security_fields };

static error check_security(struct request *req, struct change *change);

static const struct kind user_security = {
    .name = "userSecurity",
    .fallback = "{\"ldap\": {\"authenticationEnabled\": false, \"authorizationEnabled\": false}, \"customerX509\": {}}",
    .hidden = "sealed",
    .decides_access = true,
    .changed = EVENT_USER_SECURITY_CHANGED,
    .check = check_security,
};

static const char *const check_states[] = { "PENDING", "SUCCESS", "FAIL", NULL };
static const char *const validation_states[] = { "OK", "FAIL", NULL };

static const struct field question_fields[] = { CONNECTION_FIELDS(REQUIRED), END_OF_FIELDS };
static const struct schema question_schema = { "DirectoryCheckRequest", "A directory to check.", question_fields };

static const struct field validation_fields[] = {
    TEXT("validationType", "What was tried: SERVER_SPECIFIED, CONNECT, AUTHENTICATE, PARSE_AUTHZ_QUERY, QUERY_SERVER.",
         READ_ONLY | ALWAYS),
    TEXT("status", "Whether it worked.", READ_ONLY | ALWAYS, .one_of = validation_states),
    END_OF_FIELDS,
};
static const struct schema validation_schema = { "DirectoryValidation", "One step of a check.", validation_fields };

static const struct field check_fields[] = {
    ID("requestId", "Identifier of the check.", READ_ONLY | ALWAYS),
    ID("groupId", "The project.", READ_ONLY | ALWAYS),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = check_states),
    OBJECT("request", "What is checked.", READ_ONLY | ALWAYS, .of = &question_schema),
    LIST("validations", "The steps that were tried, in order; the check ends with the first that fails.",
         READ_ONLY | ALWAYS, .of = &validation_schema),
    TEXT("problem", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema check_schema = { "DirectoryCheck", "The check of a directory.", check_fields };

static const struct kind directory_check;
static handler remove_mapping, remove_x509, directory_verify;

// clang-format off
static const struct endpoint user_security_endpoints[] = {
    { GET, "/groups/{groupId}/userSecurity", S36, ANY_OF(PROJECT_OWNER), "getGroupUserSecurity",
      "Return the LDAP and X.509 settings of one project",
      "Returns the directory and the certificate authority of the project. The bind password is not returned.",
      .read = &crud_get_single, .kind = &user_security, .response = &security_schema },
    { PATCH, "/groups/{groupId}/userSecurity", S36, ANY_OF(PROJECT_OWNER), "updateGroupUserSecurity",
      "Update the LDAP or X.509 settings of one project",
      "Applies new settings on every cluster of the project. Check the settings of a directory before you switch it on. While it "
      "is on there can be only one mapping of names, for the whole name. Switching it off ends the sessions of its users.",
      .success = 202, .run = crud_update_single, .kind = &user_security, .request = &security_schema,
      .response = &security_schema,
      .example = "{\"ldap\": {\"hostname\": \"ldap.example.org\", \"bindUsername\": \"cn=reeve,dc=example,dc=org\"}}" },
    { DELETE, "/groups/{groupId}/userSecurity/ldap/userToDNMapping", S36, ANY_OF(PROJECT_OWNER),
      "deleteGroupUserSecurityLdapUserToDnMapping",
      "Remove the LDAP name mapping of one project",
      "Removes the rules that turn a user's name into a name in the directory. Users then log in with their distinguished "
      "name.",
      .success = 202, .run = remove_mapping, .kind = &user_security, .response = &security_schema },
    { POST, "/groups/{groupId}/userSecurity/ldap/verify", S36, ANY_OF(PROJECT_OWNER), "verifyGroupUserSecurityLdap",
      "Request a check of an LDAP configuration",
      "Starts a check by a worker of this service: find the server, connect with TLS, bind and search. The server's name must "
      "resolve to public addresses only, unless the operator allows others. Asynchronous; read the result with the id in the "
      "answer.",
      .success = 200, .item = "/groups/{groupId}/userSecurity/ldap/verify/{requestId}", .run = directory_verify,
      .kind = &directory_check, .request = &question_schema, .response = &check_schema,
      .example = "{\"hostname\": \"ldap.example.org\", \"port\": 636, \"bindUsername\": \"cn=reeve,dc=example,dc=org\", "
                 "\"bindPassword\": \"correct horse battery\"}" },
    { GET, "/groups/{groupId}/userSecurity/ldap/verify/{requestId}", S36, ANY_OF(PROJECT_OWNER),
      "getGroupUserSecurityLdapVerify",
      "Return the result of one LDAP check",
      "Returns the state of the check and which of its steps passed or failed.",
      .read = &crud_get, .kind = &directory_check, .response = &check_schema },

    { DELETE, "/groups/{groupId}/userSecurity/customerX509", S67, ANY_OF(PROJECT_OWNER),
      "disableGroupUserSecurityCustomerX509",
      "Remove the certificate authority of one project",
      "Clusters no longer trust the certificate authority that was set. Database users with its certificates can no longer log "
      "in.",
      .success = 202, .run = remove_x509, .kind = &user_security, .response = &security_schema },
    { GET, "/groups/{groupId}/databaseUsers/{username}/certs", S67, ANY_OF(PROJECT_READ_ONLY),
      "listGroupDatabaseUserCerts",
      "Return all certificates of one database user",
      "Lists the certificates that were issued to the user and have not expired. Private keys are not stored and cannot be "
      "returned.",
      .shape = SHAPE_LIST, .read = &user_certificate_list, .response = &user_certificate_schema },
    { POST, "/groups/{groupId}/databaseUsers/{username}/certs", S67, ANY_OF(PROJECT_OWNER),
      "createGroupDatabaseUserCert",
      "Create one certificate for one database user",
      "Issues a client certificate with its private key, as PEM. Both are only in this answer. When the user is deleted, its "
      "certificates stop working.",
      .flags = NO_ETAG, .run = user_certificate_create, .request = &user_certificate_schema, .response = &user_certificate_schema,
      .example = "{\"monthsUntilExpiration\": 3}" },
};
// clang-format on

FAMILY(user_security_family, "user-security", "Database user security",
       "How database users log in: through a directory with LDAP, or with X.509 certificates.",
       user_security_endpoints);

static error
refuse(struct request *req, const char *field, const char *why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V(why));
}

static str
seal_password(struct request *req, id resource, str password)
{
    struct key key = auth_key_for(req->api->auth, DIRECTORY_KEY_PURPOSE);
    return directory_password_seal(req->arena, &key, resource, password);
}

/* ---- Settings ---- */
static error
keep_part(struct request *req, const char *kind, const char *fallback, const json_t *document)
{
    struct resource part;
    TRY(store_resource_lock_single(req->tx, req->organization, req->project, str_from(kind), str_from(fallback),
                                   &part));
    struct resource_draft draft = {
        .scope = req->project,
        .kind = str_from(kind),
        .id = part.id,
        .document = json_text(req->arena, document),
    };
    return store_resource_replace(req->tx, &draft, &part);
}

/* Where a directory is said to be: whoever uses it, a worker or a member, must not be sent to the machine that it runs on. */
static error
check_directory_host(struct request *req, const json_t *hostname)
{
    struct egress_url place = { .host = json_str(hostname) };
    if (place.host.len == 0 || egress_host_may_be_allowed(&req->api->egress, &place))
        return OK;
    return refuse(req, "ldap.hostname", "its address is not public, and the operator does not allow it (egress_allow)");
}

/* What members are told about the directory is a resource of its own, as it is for authorities; empty when they ask none. */
static error
keep_directory_login(struct request *req, const struct change *change)
{
    const json_t *ldap = json_object_get(change->after, "ldap");
    json_t *login = json_in(req->arena, json_object());
    str sealed = json_str(json_object_get(change->after, "sealed"));
    if (json_is_true(json_object_get(ldap, "authenticationEnabled"))) {
        struct directory_groups ignored;
        TRY(directory_login_read(req->arena, ldap, sealed.len > 0, &login));
        if (json_is_true(json_object_get(ldap, "authorizationEnabled")))
            TRY(directory_groups_read(req->arena, ldap, sealed.len > 0, &ignored));
    }
    TRY(check_directory_host(req, json_object_get(ldap, "hostname")));
    if (json_object_get(login, "bindUsername") != NULL) {
        str kept = str_format(req->arena, "sealed:%s:%s", id_text(req->arena, change->id).data, sealed.data);
        json_object_set_new(login, "bindPassword", json_stringn(kept.data, kept.len));
    }
    return keep_part(req, "directoryLogin", "{}", login);
}

static error
check_ldap(struct request *req, struct change *change)
{
    json_t *ldap = json_object_get(change->after, "ldap");
    str authority = json_str(json_object_get(ldap, "caCertificate")),
        password = json_str(json_object_get(ldap, "bindPassword"));
    if (authority.len > 0 && !certificate_is_authority_bundle(authority))
        return refuse(req, "ldap.caCertificate", "it must be certificates of authorities in PEM");
    if (password.len > 0) {
        if (!str_is_one_line(password))
            return refuse(req, "ldap.bindPassword", "it must be one line");
        str sealed = seal_password(req, change->id, password);
        json_object_set_new(change->after, "sealed", json_stringn(sealed.data, sealed.len));
    }
    json_object_del(ldap, "bindPassword");
    return keep_directory_login(req, change);
}

/* What members are told about authorities is a resource of its own (docs/internals/fleet.md). */
static error
check_x509(struct request *req, struct change *change)
{
    str cas = json_str(json_object_get(json_object_get(change->after, "customerX509"), "cas"));
    if (cas.len > 0 && !certificate_is_authority_bundle(cas))
        return refuse(req, "customerX509.cas", "it must be certificates of authorities in PEM");
    json_t *document = json_in(req->arena, json_pack("{s:s%}", "cas", cas.data, cas.len));
    return keep_part(req, "userCertificateAuthority", "{\"cas\": \"\"}", document);
}

/* What was sent is merged one level deeper than elsewhere: a directory's port may change alone. */
static error
check_security(struct request *req, struct change *change)
{
    const char *name;
    json_t *sent;
    struct project project;
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    json_object_foreach(req->body, name, sent)
    {
        json_t *whole = json_in(req->arena, json_deep_copy(json_object_get(change->before, name)));
        if (whole == NULL)
            whole = json_in(req->arena, json_object());
        json_object_update(whole, sent);
        json_object_set(change->after, name, whole);
    }
    TRY(check_ldap(req, change));
    return check_x509(req, change);
}

/* Takes one part away and answers with the rest. */
static error
take_away(struct request *req, const char *outer, const char *inner)
{
    struct change change;
    TRY(crud_lock_single(req, &change));
    change.after = json_in(req->arena, json_deep_copy(change.before));
    json_object_del(json_object_get(change.after, outer), inner);
    return crud_store_and_answer(req, &change);
}

static error
remove_mapping(struct request *req)
{
    return take_away(req, "ldap", "userToDNMapping");
}

static error
remove_x509(struct request *req)
{
    return take_away(req, "customerX509", "cas");
}

/* ---- Checks of a directory ---- */

static const struct kind directory_check = {
    .name = "ldapVerification",
    .parameter = "requestId",
    .hidden = "sealed",
    .created = EVENT_DIRECTORY_CHECK_REQUESTED,
};

static error
directory_verify(struct request *req)
{
    struct change change = { .id = id_new(store_cell(req->api->store)) };
    str own = id_text(req->arena, change.id), project = id_text(req->arena, req->project), document;
    str authority = json_str(json_object_get(req->body, "caCertificate"));
    int64_t revision;
    id job;
    if (authority.len > 0 && !certificate_is_authority_bundle(authority))
        return refuse(req, "caCertificate", "it must be certificates of authorities in PEM");
    str sealed = seal_password(req, change.id, json_str(json_object_get(req->body, "bindPassword")));
    json_t *request = json_in(req->arena, json_deep_copy(req->body));
    json_object_del(request, "bindPassword");
    change.name = own;
    change.after =
        json_in(req->arena, json_pack("{s:s, s:s, s:s, s:O, s:[], s:s}", "requestId", own.data, "groupId", project.data,
                                      "status", "PENDING", "request", request, "validations", "sealed", sealed.data));
    if (change.after == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(crud_store(req, &change, &document, &revision));
    struct job_draft draft = {
        .organization = req->organization,
        .project = req->project,
        .subject = change.id,
        .subject_name = STR(""),
    };
    TRY(job_add(req->tx, &ldap_verify_job, draft, &job));
    answer_created(req, document, own, revision);
    return OK;
}
