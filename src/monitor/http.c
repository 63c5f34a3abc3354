/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/http.h"

#include <curl/curl.h>
#include <stdio.h>

enum { CONNECT_MS = 1000 };

static size_t
hand_over(char *bytes, size_t size, size_t count, void *context)
{
    const struct monitor_exchange *exchange = context;
    return exchange->take(exchange->context, (str){ bytes, size * count }) ? size * count : 0;
}

static CURLcode
prepare(CURL *curl, const struct monitor_exchange *exchange, struct curl_slist *headers, char *problem)
{
    CURLcode bad = CURLE_OK;
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(curl, option, value))
    SET(CURLOPT_URL, exchange->url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)exchange->limit_ms);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_WRITEFUNCTION, hand_over);
    SET(CURLOPT_WRITEDATA, (void *)(uintptr_t)exchange);
    SET(CURLOPT_ERRORBUFFER, problem);
    if (exchange->type == NULL) {
        SET(CURLOPT_HTTPGET, 1L);
    } else {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, exchange->body.data);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body.len);
    }
#undef SET
    return bad;
}

static struct curl_slist *
headers_of(const struct monitor_exchange *exchange)
{
    char line[128];
    snprintf(line, sizeof(line), "Content-Type: %s", exchange->type == NULL ? "text/plain" : exchange->type);
    struct curl_slist *list = curl_slist_append(NULL, "Expect:"), *longer; /* no pause before the body */
    if (list == NULL || (longer = curl_slist_append(list, line)) == NULL) {
        curl_slist_free_all(list);
        return NULL;
    }
    return longer;
}

static int
run(void **connection, const struct monitor_exchange *exchange, char ret_problem[MONITOR_PROBLEM_BYTES])
{
    char problem[CURL_ERROR_SIZE] = "";
    long status = 0;
    if (*connection == NULL)
        *connection = curl_easy_init();
    CURL *curl = *connection;
    struct curl_slist *headers = headers_of(exchange);
    CURLcode bad = curl == NULL || headers == NULL ? CURLE_OUT_OF_MEMORY : prepare(curl, exchange, headers, problem);
    if (bad == CURLE_OK)
        bad = curl_easy_perform(curl);
    if (bad == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    else
        snprintf(ret_problem, MONITOR_PROBLEM_BYTES, "%s", problem[0] != '\0' ? problem : curl_easy_strerror(bad));
    if (curl != NULL)
        curl_easy_reset(curl); /* the connection stays */
    curl_slist_free_all(headers);
    return (int)status;
}

const struct monitor_http monitor_http = { run, curl_easy_cleanup };
