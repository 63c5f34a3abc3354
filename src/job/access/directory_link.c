/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/directory_link.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openldap.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/steady_cond.h"

enum { MESSAGE_MAX_BYTES = 512 * 1024 };
#define NOWHERE "ldapi://%2Fdev%2Fnull%2Fnowhere" /* there can be no socket of that name */

/* ---- The address ---- */
bool
directory_link_place(struct arena *arena, const struct egress_allowed *allowed,
                     const struct directory_question *question, struct egress_target *ret_target, str *ret_why)
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
    return poll(&waits, 1, DIRECTORY_TIMEOUT_S * 1000) == 1 &&
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

/* ---- The end ---- */

/* libldap waits for a server that says nothing while TLS begins for as long as it is there. Whatever it waits for: without a connection it
 * goes on. The watch has a descriptor of its own, because libldap may close the other one at any time, and its number is another one's then. */
struct directory_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_over;
    bool is_done;
    int socket_fd;
    int64_t until_ms;
};

static void *
watch(void *context)
{
    struct directory_watch *self = context;
    pthread_mutex_lock(&self->lock);
    while (!self->is_done && clock_steady_ms() < self->until_ms)
        (void)!steady_cond_wait(&self->is_over, &self->lock, self->until_ms);
    if (!self->is_done)
        shutdown(self->socket_fd, SHUT_RDWR);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static void
watch_free(struct directory_watch *self)
{
    pthread_cond_destroy(&self->is_over);
    pthread_mutex_destroy(&self->lock);
    close(self->socket_fd);
    free(self);
}

static struct directory_watch *
watch_begin(int socket_fd)
{
    struct directory_watch *self = calloc(1, sizeof(*self));
    if (self == NULL)
        return NULL;
    if ((self->socket_fd = fcntl(socket_fd, F_DUPFD_CLOEXEC, 0)) < 0) {
        free(self);
        return NULL;
    }
    self->until_ms = clock_steady_ms() + DIRECTORY_LINK_MS;
    pthread_mutex_init(&self->lock, NULL);
    steady_cond_init(&self->is_over);
    if (pthread_create(&self->thread, NULL, watch, self) == 0)
        return self;
    watch_free(self);
    return NULL;
}

static void
watch_end(struct directory_watch *self)
{
    if (self == NULL)
        return;
    pthread_mutex_lock(&self->lock);
    self->is_done = true;
    pthread_cond_broadcast(&self->is_over);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    watch_free(self);
}

/* ---- The connection ---- */

/* A message is as long as a server says in its first bytes. And a connection that blocks would wait for the rest of one for ever: libldap
 * makes it blocking after the beginning of TLS, and looks at the time between messages only. */
static int
set_bounds(LDAP *ldap)
{
    ber_len_t most = MESSAGE_MAX_BYTES;
    Sockbuf *buffer = NULL;
    if (ldap_get_option(ldap, LDAP_OPT_SOCKBUF, &buffer) != LDAP_OPT_SUCCESS || buffer == NULL ||
        ber_sockbuf_ctrl(buffer, LBER_SB_OPT_SET_MAX_INCOMING, &most) != 1 ||
        ber_sockbuf_ctrl(buffer, LBER_SB_OPT_SET_NONBLOCK, buffer) < 0)
        return LDAP_LOCAL_ERROR;
    return LDAP_SUCCESS;
}

static int
begin_tls(const struct directory_question *question, struct directory_link *link)
{
    char path[64];
    bool has_authority = question->authority.len > 0;
    if (has_authority && (link->authority = authority_file(question->authority, path, sizeof(path))) < 0)
        return LDAP_NO_MEMORY;
    if (!set_tls(link->ldap, has_authority ? path : NULL))
        return LDAP_LOCAL_ERROR;
    int result = question->port == LDAP_PORT ? ldap_start_tls_s(link->ldap, NULL, NULL) : ldap_install_tls(link->ldap);
    return result == LDAP_SUCCESS ? set_bounds(link->ldap) : result;
}

int
directory_link_open(struct arena *arena, const struct directory_question *question, const struct egress_target *target,
                    struct directory_link *link)
{
    const struct timeval timeout = { .tv_sec = DIRECTORY_TIMEOUT_S };
    bool is_v6 = str_find(question->host, ':') >= 0;
    int version = LDAP_VERSION3;
    str url = str_format(arena, is_v6 ? "%s://[%.*s]:%d" : "%s://%.*s:%d",
                         question->port == LDAP_PORT ? "ldap" : "ldaps", STR_ARG(question->host), question->port);
    *link = (struct directory_link){ .authority = -1 };
    int made = connect_to_any(target);
    if (made < 0)
        return LDAP_SERVER_DOWN;
    int result = ldap_init_fd(made, LDAP_PROTO_TCP, url.data, &link->ldap); /* the certificate must be of that host */
    if (result != LDAP_SUCCESS) {
        close(made);
        return result;
    }
    if ((link->watch = watch_begin(made)) == NULL)
        return LDAP_NO_MEMORY;
    /* Whoever asks after a connection is lost makes libldap connect anew, to a name that it looks up itself and without a bound in time. This
     * connection keeps the name for the certificate; another one would lead nowhere. */
    if (ldap_set_option(link->ldap, LDAP_OPT_URI, NOWHERE) != LDAP_OPT_SUCCESS)
        return LDAP_LOCAL_ERROR;
    ldap_set_option(link->ldap, LDAP_OPT_PROTOCOL_VERSION, &version);
    ldap_set_option(link->ldap, LDAP_OPT_REFERRALS, LDAP_OPT_OFF);
    ldap_set_option(link->ldap, LDAP_OPT_NETWORK_TIMEOUT, &timeout);
    ldap_set_option(link->ldap, LDAP_OPT_TIMEOUT, &timeout);
    result = set_bounds(link->ldap); /* StartTLS is a message, too */
    return result == LDAP_SUCCESS ? begin_tls(question, link) : result;
}

int
directory_link_bind(struct arena *arena, const struct directory_question *question, struct directory_link *link)
{
    str name = str_dup(arena, question->bind_name), password = question->password;
    struct berval credential = { .bv_len = password.len, .bv_val = (char *)password.data };
    return ldap_sasl_bind_s(link->ldap, name.data, LDAP_SASL_SIMPLE, &credential, NULL, NULL, NULL);
}

str
directory_link_problem(struct arena *arena, const struct directory_link *link, int result, const char *what)
{
    char *said = NULL;
    if (link->ldap != NULL)
        ldap_get_option(link->ldap, LDAP_OPT_DIAGNOSTIC_MESSAGE, &said);
    bool is_text = said != NULL && said[0] != '\0' && strlen(said) <= 200 && str_is_one_line(str_from(said)) &&
                   str_is_text(str_from(said));
    str why = str_format(arena, "%s: %s%s%s", what, ldap_err2string(result), is_text ? ": " : "", is_text ? said : "");
    ldap_memfree(said);
    return why;
}

void
directory_link_close(struct directory_link *link)
{
    watch_end(link->watch);
    if (link->ldap != NULL)
        ldap_unbind_ext_s(link->ldap, NULL, NULL);
    if (link->authority >= 0)
        close(link->authority);
    *link = (struct directory_link){ .authority = -1 };
}

/* ---- Filters ---- */

/* Some characters have a meaning (RFC 4515). */
void
directory_filter_add(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\0' || strchr("*()\\", text.data[i]) != NULL)
            buf_format(out, "\\%02x", (unsigned char)text.data[i]);
        else
            buf_add_char(out, text.data[i]);
    }
}
