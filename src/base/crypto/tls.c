/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/tls.h"

#include <fcntl.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"

struct tls_side {
    SSL_CTX *context;
    enum tls_role role;
};

struct tls {
    SSL *ssl;
    int socket;
};

/* ---- What a side shows and believes ---- */
static BIO *
reader(str pem)
{
    return pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.data, (int)pem.len);
}

static bool
use_certificate(SSL_CTX *context, str pem)
{
    BIO *in = reader(pem);
    X509 *one = in == NULL ? NULL : PEM_read_bio_X509(in, NULL, NULL, NULL);
    bool is_used = one != NULL && SSL_CTX_use_certificate(context, one) == 1;
    X509_free(one);
    BIO_free(in);
    return is_used;
}

static bool
use_key(SSL_CTX *context, str pem)
{
    BIO *in = reader(pem);
    EVP_PKEY *key = in == NULL ? NULL : PEM_read_bio_PrivateKey(in, NULL, NULL, NULL);
    bool is_used = key != NULL && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    BIO_free(in);
    return is_used;
}

/* There may be several, while one authority follows another. */
static bool
believe(SSL_CTX *context, str pem)
{
    BIO *in = reader(pem);
    X509 *one;
    int count = 0;
    while (in != NULL && (one = PEM_read_bio_X509(in, NULL, NULL, NULL)) != NULL) {
        count += X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one) == 1;
        X509_free(one);
    }
    BIO_free(in);
    ERR_clear_error(); /* reading ends with one */
    return count > 0;
}

struct tls_side *
tls_side_new(enum tls_role role, str certificate, str key, str authority)
{
    struct tls_side *side = calloc(1, sizeof(*side));
    if (side == NULL)
        return NULL;
    side->role = role;
    side->context = SSL_CTX_new(role == TLS_SERVER ? TLS_server_method() : TLS_client_method());
    if (side->context == NULL || SSL_CTX_set_min_proto_version(side->context, TLS1_2_VERSION) != 1 ||
        !use_certificate(side->context, certificate) || !use_key(side->context, key) ||
        !believe(side->context, authority)) {
        ERR_clear_error();
        tls_side_free(side);
        return NULL;
    }
    /* Nobody comes back without showing who they are. */
    SSL_CTX_set_session_cache_mode(side->context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(side->context,
                        SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CLEANSE_PLAINTEXT);
    SSL_CTX_set_num_tickets(side->context, 0);
    SSL_CTX_set_verify(side->context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_verify_depth(side->context, 1);
    SSL_CTX_set_mode(side->context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE);
    return side;
}

void
tls_side_free(struct tls_side *side)
{
    if (side == NULL)
        return;
    SSL_CTX_free(side->context);
    free(side);
}

/* ---- One connection ---- */
/* After a call that could not go on: true when it may be tried again. */
static bool
wait_for(struct tls *tls, int result, int64_t until_ms)
{
    short events;
    switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ: events = POLLIN; break;
    case SSL_ERROR_WANT_WRITE: events = POLLOUT; break;
    default: return false;
    }
    int64_t left_ms = until_ms - clock_steady_ms();
    struct pollfd wanted = { .fd = tls->socket, .events = events };
    return left_ms > 0 && poll(&wanted, 1, (int)(left_ms < INT_MAX ? left_ms : INT_MAX)) > 0;
}

static bool
shake_hands(struct tls *tls, enum tls_role role, int64_t until_ms)
{
    for (;;) {
        ERR_clear_error();
        int result = role == TLS_SERVER ? SSL_accept(tls->ssl) : SSL_connect(tls->ssl);
        if (result == 1)
            return true;
        if (!wait_for(tls, result, until_ms))
            return false;
    }
}

static bool
begin(struct tls *tls, struct tls_side *side, const char *name)
{
    int flags = fcntl(tls->socket, F_GETFL);
    tls->ssl = SSL_new(side->context);
    return tls->ssl != NULL && flags >= 0 && fcntl(tls->socket, F_SETFL, flags | O_NONBLOCK) == 0 &&
           SSL_set_fd(tls->ssl, tls->socket) == 1 &&
           (name == NULL || (SSL_set1_host(tls->ssl, name) == 1 && SSL_set_tlsext_host_name(tls->ssl, name) == 1));
}

struct tls *
tls_open(struct tls_side *side, int socket, const char *name, int64_t limit_ms)
{
    struct tls *tls = calloc(1, sizeof(*tls));
    if (tls == NULL)
        return NULL;
    tls->socket = socket;
    if (begin(tls, side, name) && shake_hands(tls, side->role, clock_steady_ms() + limit_ms))
        return tls;
    tls_close(tls, false);
    return NULL;
}

void
tls_close(struct tls *tls, bool properly)
{
    if (tls == NULL)
        return;
    if (properly)
        (void)SSL_shutdown(tls->ssl);
    ERR_clear_error();
    SSL_free(tls->ssl);
    free(tls);
}

bool
tls_peer_is_of(const struct tls *tls, const char *organization)
{
    X509 *peer = SSL_get1_peer_certificate(tls->ssl);
    X509_NAME *subject = peer == NULL ? NULL : X509_get_subject_name(peer);
    bool is_it = false;
    for (int at = -1; subject != NULL && (at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0;) {
        const ASN1_STRING *text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
        str found = { (const char *)ASN1_STRING_get0_data(text), (size_t)ASN1_STRING_length(text) };
        is_it |= str_is(found, organization);
    }
    X509_free(peer);
    return is_it;
}

bool
tls_is_left(const struct tls *tls)
{
    struct pollfd looked_at = { .fd = tls->socket, .events = POLLRDHUP };
    return poll(&looked_at, 1, 0) > 0;
}

int
tls_read(struct tls *tls, void *bytes, size_t count, int64_t limit_ms)
{
    int64_t until_ms = clock_steady_ms() + limit_ms;
    for (;;) {
        ERR_clear_error();
        int result = SSL_read(tls->ssl, bytes, count > INT_MAX ? INT_MAX : (int)count);
        if (result > 0)
            return result;
        if (SSL_get_error(tls->ssl, result) == SSL_ERROR_ZERO_RETURN)
            return 0;
        if (!wait_for(tls, result, until_ms))
            return -1;
    }
}

bool
tls_write(struct tls *tls, const void *bytes, size_t count, int64_t limit_ms)
{
    const char *at = bytes;
    int64_t until_ms = clock_steady_ms() + limit_ms;
    while (count > 0) {
        ERR_clear_error();
        int result = SSL_write(tls->ssl, at, count > INT_MAX ? INT_MAX : (int)count);
        if (result > 0) {
            at += result;
            count -= (size_t)result;
            until_ms = clock_steady_ms() + limit_ms;
        } else if (!wait_for(tls, result, until_ms)) {
            return false;
        }
    }
    return true;
}
