/* SPDX-License-Identifier: Apache-2.0 */
#include "job/etcd/etcd_call.h"

#include <curl/curl.h>

enum { CONNECT_MS = 2000, WHOLE_MS = 5000, ANSWER_BYTES = 1024 * 1024 };

static size_t
keep(char *bytes, size_t size, size_t count, void *context)
{
    struct buf *out = context;
    buf_add(out, (str){ bytes, size * count });
    return out->failed ? 0 : size * count;
}

static struct curl_blob
blob(str pem)
{
    return (struct curl_blob){ (void *)(uintptr_t)pem.data, pem.len, CURL_BLOB_NOCOPY };
}

static struct curl_slist *
headers_of(struct arena *arena, const struct etcd_request *request)
{
    struct curl_slist *list = curl_slist_append(NULL, "Content-Type: application/json");
    if (list == NULL || request->token.len == 0)
        return list;
    struct curl_slist *longer =
        curl_slist_append(list, str_format(arena, "Authorization: %.*s", STR_ARG(request->token)).data);
    if (longer == NULL)
        curl_slist_free_all(list);
    return longer;
}

int
etcd_call(struct arena *arena, const struct etcd_request *request, str *ret_body, str *ret_why)
{
    struct buf out = buf_in(arena, ANSWER_BYTES);
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = headers_of(arena, request);
    struct curl_blob authority = blob(request->authority), certificate = blob(request->certificate),
                     key = blob(request->key);
    char problem[CURL_ERROR_SIZE] = "";
    long status = 0;
    CURLcode bad = curl == NULL || headers == NULL ? CURLE_OUT_OF_MEMORY : CURLE_OK;
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(curl, option, value))
    SET(CURLOPT_URL, request->url.data);
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)WHOLE_MS);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_CAINFO_BLOB, &authority);
    SET(CURLOPT_SSLCERT_BLOB, &certificate);
    SET(CURLOPT_SSLKEY_BLOB, &key);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_POSTFIELDS, request->body.data);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
    SET(CURLOPT_WRITEFUNCTION, keep);
    SET(CURLOPT_WRITEDATA, &out);
    SET(CURLOPT_ERRORBUFFER, problem);
#undef SET
    if (bad == CURLE_OK)
        bad = curl_easy_perform(curl);
    if (bad == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    else
        *ret_why =
            str_format(arena, "%s: %s.", request->url.data, problem[0] != '\0' ? problem : curl_easy_strerror(bad));
    *ret_body = buf_str(&out);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return (int)status;
}
