/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/directory.h"

#include <errno.h>
#include <ldap.h>
#include <netinet/in.h>
#include <openldap.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { TIMEOUT_S = 5, QUERY_PARTS = 4 };

/* ---- The address ---- */
static bool
find_place(struct arena *arena, const struct egress_allowed *allowed, const struct directory_question *question,
           struct egress_target *ret_target, str *ret_why)
{
    bool is_v6 = str_find(question->host, ':') >= 0;
    str url =
        str_format(arena, is_v6 ? "https://[%.*s]:%d/" : "https://%.*s:%d/", STR_ARG(question->host), question->port);
    return egress_resolve(arena, allowed, url, ret_target, ret_why);
}

static bool
finishes(int socket_fd)
{
    struct pollfd waits = { .fd = socket_fd, .events = POLLOUT };
    int problem = 0;
    socklen_t size = sizeof(problem);
    return poll(&waits, 1, TIMEOUT_S * 1000) == 1 &&
           getsockopt(socket_fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0;
}

static int
connect_to(const struct net_address *address, uint16_t port)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
    bool is_v4 = net_is_v4(address);
    memcpy(&v4.sin_addr, address->bytes + 12, sizeof(v4.sin_addr));
    memcpy(&v6.sin6_addr, address->bytes, sizeof(v6.sin6_addr));
    int made = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return -1;
    int result = is_v4 ? connect(made, (const struct sockaddr *)&v4, sizeof(v4))
                       : connect(made, (const struct sockaddr *)&v6, sizeof(v6));
    if (result == 0 || (errno == EINPROGRESS && finishes(made)))
        return made;
    close(made);
    return -1;
}

/* libldap would look the name up again, and it may lead elsewhere by now: so it is given a connection to an address that was judged. */
static int
connect_to_any(const struct egress_target *target)
{
    for (size_t i = 0; i < target->count; i++) {
        int made = connect_to(&target->addresses[i], target->url.port);
        if (made >= 0)
            return made;
    }
    return -1;
}

/* ---- TLS ---- */
/* libldap reads authorities from a file. This one has no name, and is gone when its descriptor is closed. */
static int
authority_file(str pem, char *ret_path, size_t size)
{
    int file = memfd_create("authority", MFD_CLOEXEC);
    if (file >= 0 && write(file, pem.data, pem.len) != (ssize_t)pem.len) {
        close(file);
        file = -1;
    }
    snprintf(ret_path, size, "/proc/self/fd/%d", file);
    return file;
}

static bool
set_tls(LDAP *ldap, const char *authority_path)
{
    int demand = LDAP_OPT_X_TLS_DEMAND, as_client = 0, lowest = LDAP_OPT_X_TLS_PROTOCOL_TLS1_2;
    if (authority_path != NULL && ldap_set_option(ldap, LDAP_OPT_X_TLS_CACERTFILE, authority_path) != LDAP_OPT_SUCCESS)
        return false;
    return ldap_set_option(ldap, LDAP_OPT_X_TLS_REQUIRE_CERT, &demand) == LDAP_OPT_SUCCESS &&
           ldap_set_option(ldap, LDAP_OPT_X_TLS_PROTOCOL_MIN, &lowest) == LDAP_OPT_SUCCESS &&
           ldap_set_option(ldap, LDAP_OPT_X_TLS_NEWCTX, &as_client) == LDAP_OPT_SUCCESS;
}

/* ---- The query ---- */
struct lookup {
    str base, attributes, scope, filter;
};

/* In a filter some characters have a meaning (RFC 4515). */
static void
add_escaped(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("*()\\", text.data[i]) != NULL)
            buf_format(out, "\\%02x", (unsigned char)text.data[i]);
        else
            buf_add_char(out, text.data[i]);
    }
}

static str
with_user(struct arena *arena, str template, str user, bool is_filter)
{
    static const str mark = { "{USER}", 6 };
    struct buf out = buf_in(arena, 64 * 1024);
    for (size_t i = 0; i < template.len;) {
        if (!str_starts_with(str_slice(template, i, template.len), mark)) {
            buf_add_char(&out, template.data[i++]);
            continue;
        }
        if (is_filter)
            add_escaped(&out, user);
        else
            buf_add(&out, user);
        i += mark.len;
    }
    return out.len == 0 ? STR_EMPTY : buf_str(&out);
}

static bool
parse_query(struct arena *arena, const struct directory_question *question, struct lookup *ret_lookup, int *ret_scope)
{
    str rest = question->query, parts[QUERY_PARTS] = { STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY };
    for (size_t i = 0; i < QUERY_PARTS && rest.len > 0; i++)
        parts[i] = str_cut(&rest, '?');
    if (rest.len > 0 || parts[0].len == 0)
        return false;
    *ret_scope = str_is(parts[2], "sub")                         ? LDAP_SCOPE_SUBTREE
                 : str_is(parts[2], "one")                       ? LDAP_SCOPE_ONELEVEL
                 : parts[2].len == 0 || str_is(parts[2], "base") ? LDAP_SCOPE_BASE
                                                                 : -1;
    *ret_lookup = (struct lookup){
        .base = with_user(arena, parts[0], question->bind_name, false),
        .attributes = str_dup(arena, parts[1]),
        .filter = parts[3].len == 0 ? STR("(objectClass=*)") : with_user(arena, parts[3], question->bind_name, true),
    };
    return *ret_scope >= 0;
}

/* ---- The checks, one after the other ---- */
struct conversation {
    struct arena *arena;
    const struct directory_question *question;
    struct directory_answer *answer;
    LDAP *ldap;
};

/* Whether the next check went well; the first that did not is the last. */
static bool
note(struct conversation *talk, enum directory_check check, int result, const char *what)
{
    char *said = NULL;
    talk->answer->done = check + 1;
    talk->answer->is_good = result == LDAP_SUCCESS;
    if (talk->answer->is_good)
        return true;
    if (talk->ldap != NULL)
        ldap_get_option(talk->ldap, LDAP_OPT_DIAGNOSTIC_MESSAGE, &said);
    bool is_text = said != NULL && said[0] != '\0' && str_is_text(str_from(said));
    talk->answer->why = str_format(talk->arena, "%s: %s%s%.200s", what, ldap_err2string(result), is_text ? ": " : "",
                                   is_text ? said : "");
    ldap_memfree(said);
    return false;
}

static int
open_connection(struct conversation *talk, const struct egress_target *target, const char *authority_path)
{
    const struct directory_question *question = talk->question;
    bool is_v6 = str_find(question->host, ':') >= 0, starts_plain = question->port == LDAP_PORT;
    const struct timeval timeout = { .tv_sec = TIMEOUT_S };
    int version = LDAP_VERSION3;
    str url = str_format(talk->arena, is_v6 ? "%s://[%.*s]:%d" : "%s://%.*s:%d", starts_plain ? "ldap" : "ldaps",
                         STR_ARG(question->host), question->port);
    int made = connect_to_any(target);
    if (made < 0)
        return LDAP_SERVER_DOWN;
    int result = ldap_init_fd(made, LDAP_PROTO_TCP, url.data, &talk->ldap); /* the certificate must be of that host */
    if (result != LDAP_SUCCESS) {
        close(made);
        return result;
    }
    ldap_set_option(talk->ldap, LDAP_OPT_PROTOCOL_VERSION, &version);
    ldap_set_option(talk->ldap, LDAP_OPT_REFERRALS, LDAP_OPT_OFF);
    ldap_set_option(talk->ldap, LDAP_OPT_NETWORK_TIMEOUT, &timeout);
    ldap_set_option(talk->ldap, LDAP_OPT_TIMEOUT, &timeout);
    if (!set_tls(talk->ldap, authority_path))
        return LDAP_LOCAL_ERROR;
    return starts_plain ? ldap_start_tls_s(talk->ldap, NULL, NULL) : ldap_install_tls(talk->ldap);
}

static int
bind_as(struct conversation *talk)
{
    str name = str_dup(talk->arena, talk->question->bind_name), password = talk->question->password;
    struct berval credential = { .bv_len = password.len, .bv_val = (char *)password.data };
    return ldap_sasl_bind_s(talk->ldap, name.data, LDAP_SASL_SIMPLE, &credential, NULL, NULL, NULL);
}

static int
search(struct conversation *talk, const struct lookup *lookup, int scope)
{
    struct timeval timeout = { .tv_sec = TIMEOUT_S };
    char *attributes[] = { (char *)lookup->attributes.data, NULL };
    LDAPMessage *found = NULL;
    int result = ldap_search_ext_s(talk->ldap, lookup->base.data, scope, lookup->filter.data,
                                   lookup->attributes.len == 0 ? NULL : attributes, 0, NULL, NULL, &timeout, 1, &found);
    ldap_msgfree(found);
    return result == LDAP_SIZELIMIT_EXCEEDED ? LDAP_SUCCESS : result; /* more than one is fine, too */
}

static void
talk_to(struct conversation *talk, const struct egress_target *target, const char *authority_path)
{
    struct lookup lookup = { 0 };
    int scope = LDAP_SCOPE_BASE;
    if (!note(talk, CHECK_CONNECT, open_connection(talk, target, authority_path),
              "The server cannot be reached with TLS") ||
        !note(talk, CHECK_AUTHENTICATE, bind_as(talk), "The server does not take name and password"))
        return;
    bool is_parsed = parse_query(talk->arena, talk->question, &lookup, &scope);
    if (note(talk, CHECK_PARSE, is_parsed ? LDAP_SUCCESS : LDAP_FILTER_ERROR, "The query cannot be read"))
        note(talk, CHECK_QUERY, search(talk, &lookup, scope), "The query failed");
}

void
directory_ask(struct arena *arena, const struct egress_allowed *allowed, const struct directory_question *question,
              struct directory_answer *ret_answer)
{
    struct egress_target target;
    struct conversation talk = { .arena = arena, .question = question, .answer = ret_answer };
    char path[64];
    int file = -1;
    *ret_answer = (struct directory_answer){ .done = CHECK_SERVER + 1, .is_good = true, .why = STR_EMPTY };
    if (!find_place(arena, allowed, question, &target, &ret_answer->why)) {
        ret_answer->is_good = false;
        return;
    }
    if (question->authority.len > 0 && (file = authority_file(question->authority, path, sizeof(path))) < 0) {
        *ret_answer = (struct directory_answer){ .done = CHECK_CONNECT + 1, .why = STR("The worker has no room.") };
        return;
    }
    talk_to(&talk, &target, file < 0 ? NULL : path);
    if (talk.ldap != NULL)
        ldap_unbind_ext_s(talk.ldap, NULL, NULL);
    if (file >= 0)
        close(file);
}
