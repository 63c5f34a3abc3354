/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/call.h"

#include <curl/curl.h>
#include <stdlib.h>

enum { CONNECT_MS = 5000, CHAIN_MS = 10000, LONGEST_CHAIN_BYTES = 256 * 1024 };

struct caller {
    CURL *curl;
    char problem[CURL_ERROR_SIZE];
};

bool
call_init(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

struct caller *
caller_new(void)
{
    struct caller *caller = calloc(1, sizeof(*caller));
    if (caller == NULL)
        return NULL;
    caller->curl = curl_easy_init();
    if (caller->curl == NULL) {
        free(caller);
        return NULL;
    }
    return caller;
}

void
caller_free(struct caller *caller)
{
    if (caller == NULL)
        return;
    curl_easy_cleanup(caller->curl);
    free(caller);
}

void
caller_cleanup(struct caller **caller)
{
    caller_free(*caller);
}

void
caller_forget(struct caller *caller)
{
    CURL *fresh = curl_easy_init();
    if (fresh == NULL)
        return;
    curl_easy_cleanup(caller->curl);
    caller->curl = fresh;
}

/* A buffer that is full refuses, and the request ends with an error instead of half an answer. */
static size_t
take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct buf *out = context;
    buf_add(out, (str){ bytes, size * count });
    return out->failed ? 0 : size * count;
}

static bool
prepare(struct caller *caller, str url, int timeout_ms, struct buf *out)
{
    CURLcode bad = CURLE_OK;
    curl_easy_reset(caller->curl); /* options only: connections stay */
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(caller->curl, option, value))
    SET(CURLOPT_URL, url.data);
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_WRITEFUNCTION, take_bytes);
    SET(CURLOPT_WRITEDATA, out);
    SET(CURLOPT_ERRORBUFFER, caller->problem);
    SET(CURLOPT_USERAGENT, "reeve-agent/" REEVE_VERSION);
#undef SET
    caller->problem[0] = '\0';
    return bad == CURLE_OK;
}

static bool
identify(struct caller *caller, const struct call_identity *identity)
{
    CURLcode bad = CURLE_OK;
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(caller->curl, option, value))
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    if (identity->authority != NULL)
        SET(CURLOPT_CAINFO, identity->authority);
    if (identity->certificate != NULL)
        SET(CURLOPT_SSLCERT, identity->certificate);
    if (identity->key != NULL)
        SET(CURLOPT_SSLKEY, identity->key);
#undef SET
    return bad == CURLE_OK;
}

static bool
add_body(struct caller *caller, const struct call *call)
{
    return curl_easy_setopt(caller->curl, CURLOPT_CUSTOMREQUEST, call->method) == CURLE_OK &&
           (call->body.len == 0 ||
            (curl_easy_setopt(caller->curl, CURLOPT_POSTFIELDS, call->body.data) == CURLE_OK &&
             curl_easy_setopt(caller->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len) == CURLE_OK));
}

static struct curl_slist *
make_headers(struct arena *arena, const char *content_type)
{
    str type = str_format(arena, "Content-Type: %s", content_type == NULL ? "application/json" : content_type);
    struct curl_slist *list = curl_slist_append(NULL, "Expect:"); /* no pause before the body */
    struct curl_slist *longer = list == NULL ? NULL : curl_slist_append(list, type.data);
    if (longer == NULL)
        curl_slist_free_all(list);
    return longer;
}

static error
failed(struct caller *caller, struct arena *arena, str url, CURLcode result)
{
    const char *why = caller->problem[0] != '\0' ? caller->problem : curl_easy_strerror(result);
    return problem(arena, "%.*s: %s.", STR_ARG(url), why);
}

error
call_make(struct caller *caller, struct arena *arena, const struct call *call, struct answer *ret_answer)
{
    struct buf out = buf_in(arena, call->cap_bytes);
    struct curl_slist *headers = make_headers(arena, call->content_type);
    if (headers == NULL || !prepare(caller, call->url, call->timeout_ms, &out) || !identify(caller, &call->identity) ||
        !add_body(caller, call) || curl_easy_setopt(caller->curl, CURLOPT_HTTPHEADER, headers) != CURLE_OK) {
        curl_slist_free_all(headers);
        return problem(arena, "%.*s: the request could not be made.", STR_ARG(call->url));
    }
    long status = 0;
    CURLcode result = curl_easy_perform(caller->curl);
    curl_easy_getinfo(caller->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_setopt(caller->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    if (result != CURLE_OK)
        return failed(caller, arena, call->url, result);
    *ret_answer = (struct answer){ .status = (int)status, .body = buf_str(&out) };
    return OK;
}

error
call_chain(struct caller *caller, struct arena *arena, str url, str *ret_pems)
{
    struct buf ignored = buf_in(arena, 64 * 1024), pems = buf_in(arena, LONGEST_CHAIN_BYTES);
    struct curl_certinfo *chain = NULL;
    if (!prepare(caller, url, CHAIN_MS, &ignored) || curl_easy_setopt(caller->curl, CURLOPT_CERTINFO, 1L) != CURLE_OK ||
        curl_easy_setopt(caller->curl, CURLOPT_SSL_VERIFYPEER, 0L) != CURLE_OK ||
        curl_easy_setopt(caller->curl, CURLOPT_SSL_VERIFYHOST, 0L) != CURLE_OK ||
        curl_easy_setopt(caller->curl, CURLOPT_FRESH_CONNECT, 1L) != CURLE_OK ||
        curl_easy_setopt(caller->curl, CURLOPT_FORBID_REUSE, 1L) != CURLE_OK ||
        curl_easy_setopt(caller->curl, CURLOPT_NOBODY, 1L) != CURLE_OK)
        return problem(arena, "%.*s: the request could not be made.", STR_ARG(url));
    CURLcode result = curl_easy_perform(caller->curl);
    if (curl_easy_getinfo(caller->curl, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL ||
        chain->num_of_certs == 0)
        return failed(caller, arena, url, result);
    for (int i = 0; i < chain->num_of_certs; i++) {
        for (struct curl_slist *line = chain->certinfo[i]; line != NULL; line = line->next) {
            str text = str_from(line->data);
            if (str_starts_with(text, STR("Cert:")))
                buf_add(&pems, str_slice(text, strlen("Cert:"), text.len));
        }
        buf_add_char(&pems, '\n');
    }
    *ret_pems = buf_str(&pems);
    return OK;
}
