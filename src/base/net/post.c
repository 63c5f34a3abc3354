/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/post.h"

#include <stdlib.h>

#include "base/net/pinned.h"

enum {
    CONNECT_MS = 5000,
    WHOLE_MS = 15000,
    FETCH_MS = 5000,
    MAX_ANSWER_BYTES = 64 * 1024,
    MAX_HEADER_BYTES = 64 * 1024,
    KEPT_BYTES = 1024
};

struct poster {
    CURL *curl;
    struct egress_target target;
    struct pinned pinned;
    size_t answer_bytes, kept_bytes;
    char kept[KEPT_BYTES]; /* how the answer to a POST begins */
    struct buf answer;     /* to anything else, whole */
    char problem[CURL_ERROR_SIZE];
};

bool
post_init(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* ---- What curl asks ---- */
static size_t
throw_away(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    struct poster *poster = context;
    poster->answer_bytes += size * count;
    return poster->answer_bytes > MAX_ANSWER_BYTES + MAX_HEADER_BYTES ? 0 : size * count;
}

static size_t
keep_beginning(char *bytes, size_t size, size_t count, void *context)
{
    struct poster *poster = context;
    size_t room = KEPT_BYTES - poster->kept_bytes, some = size * count < room ? size * count : room;
    if (some > 0)
        memcpy(poster->kept + poster->kept_bytes, bytes, some);
    poster->kept_bytes += some;
    return throw_away(bytes, size, count, context);
}

str
poster_answer(const struct poster *poster)
{
    return (str){ poster->kept, poster->kept_bytes };
}

/* ---- ---- */
static bool
prepare(struct poster *poster, str url, const char *ca_file)
{
    CURL *c = poster->curl;
    CURLcode bad = CURLE_OK;
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(c, option, value))
    SET(CURLOPT_URL, url.data);
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)WHOLE_MS);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_OPENSOCKETFUNCTION, pinned_open_socket);
    SET(CURLOPT_OPENSOCKETDATA, &poster->pinned);
    SET(CURLOPT_WRITEFUNCTION, keep_beginning);
    SET(CURLOPT_WRITEDATA, poster);
    SET(CURLOPT_HEADERFUNCTION, throw_away);
    SET(CURLOPT_HEADERDATA, poster);
    SET(CURLOPT_ERRORBUFFER, poster->problem);
    SET(CURLOPT_USERAGENT, "reeve-webhook/" REEVE_VERSION);
    if (poster->pinned.hosts != NULL)
        SET(CURLOPT_RESOLVE, poster->pinned.hosts);
    if (ca_file != NULL)
        SET(CURLOPT_CAINFO, ca_file);
#undef SET
    return bad == CURLE_OK;
}

struct poster *
poster_new(struct arena *arena, const struct egress_allowed *allowed, str url, const char *ca_file, str *ret_why)
{
    struct egress_target target;
    if (!egress_resolve(arena, allowed, url, &target, ret_why))
        return NULL;
    *ret_why = STR("There is no memory.");
    struct poster *poster = calloc(1, sizeof(*poster));
    if (poster == NULL)
        return NULL;
    poster->target = target;
    poster->pinned = (struct pinned){ .count = target.count, .addresses = poster->target.addresses };
    poster->curl = curl_easy_init();
    if (poster->curl == NULL || !pinned_host(&poster->pinned, arena, target.url.host, target.url.port) ||
        !prepare(poster, url, ca_file)) {
        poster_free(poster);
        return NULL;
    }
    return poster;
}

void
poster_free(struct poster *poster)
{
    if (poster == NULL)
        return;
    curl_easy_cleanup(poster->curl);
    curl_slist_free_all(poster->pinned.hosts);
    free(poster);
}

void
poster_cleanup(struct poster **poster)
{
    poster_free(*poster);
}

static struct curl_slist *
header_list(struct arena *arena, const struct post_header *headers, size_t count)
{
    struct curl_slist *list = curl_slist_append(NULL, "Expect:"); /* no pause before the body */
    for (size_t i = 0; list != NULL && i < count; i++) {
        str line = str_format(arena, "%.*s: %.*s", STR_ARG(headers[i].name), STR_ARG(headers[i].value));
        struct curl_slist *longer = curl_slist_append(list, line.data);
        if (longer == NULL)
            curl_slist_free_all(list);
        list = longer;
    }
    return list;
}

int
poster_send(struct poster *poster, struct arena *arena, const struct post_header *headers, size_t header_count,
            str body, str *ret_why)
{
    long status = 0;
    struct curl_slist *list = header_list(arena, headers, header_count);
    if (list == NULL) {
        *ret_why = STR("There is no memory.");
        return 0;
    }
    poster->answer_bytes = poster->kept_bytes = 0;
    poster->problem[0] = '\0';
    curl_easy_setopt(poster->curl, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(poster->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(poster->curl, CURLOPT_POSTFIELDS, body.data);
    curl_easy_setopt(poster->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    CURLcode result = curl_easy_perform(poster->curl);
    curl_easy_setopt(poster->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(list);
    if (result != CURLE_OK) {
        *ret_why = str_format(arena, "%s.", poster->problem[0] != '\0' ? poster->problem : curl_easy_strerror(result));
        return 0;
    }
    curl_easy_getinfo(poster->curl, CURLINFO_RESPONSE_CODE, &status);
    *ret_why = STR_EMPTY;
    return (int)status;
}

/* ---- Answers that are kept ---- */

static size_t
keep(char *bytes, size_t size, size_t count, void *context)
{
    struct poster *poster = context;
    buf_add(&poster->answer, (str){ bytes, size * count });
    return poster->answer.failed ? 0 : size * count;
}

/* One exchange, whose answer is kept when it is a document. */
static bool
fetch_whole(struct poster *poster, struct arena *arena, str *ret_body, str *ret_why)
{
    long status = 0;
    poster->answer = buf_in(arena, DOCUMENT_MAX_BYTES);
    curl_easy_setopt(poster->curl, CURLOPT_TIMEOUT_MS, (long)FETCH_MS);
    curl_easy_setopt(poster->curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(poster->curl, CURLOPT_USERAGENT, "reeve/" REEVE_VERSION);
    CURLcode result = curl_easy_perform(poster->curl);
    if (result != CURLE_OK) {
        *ret_why = str_format(arena, "%s.", poster->problem[0] != '\0' ? poster->problem : curl_easy_strerror(result));
        return false;
    }
    curl_easy_getinfo(poster->curl, CURLINFO_RESPONSE_CODE, &status);
    *ret_body = buf_str(&poster->answer);
    if (status == 200 && ret_body->len > 0)
        return true;
    *ret_why = str_format(arena, "It answered %ld with %zu bytes.", status, ret_body->len);
    return false;
}

bool
poster_fetch(struct arena *arena, const struct egress_allowed *allowed, const char *ca_file, str url, str *ret_body,
             str *ret_why)
{
    struct poster *poster CLEANUP(poster_cleanup) = poster_new(arena, allowed, url, ca_file, ret_why);
    if (poster == NULL)
        return false;
    curl_easy_setopt(poster->curl, CURLOPT_HTTPGET, 1L);
    return fetch_whole(poster, arena, ret_body, ret_why);
}

bool
poster_send_form(struct arena *arena, const struct egress_allowed *allowed, const char *ca_file, str url, str form,
                 str *ret_body, str *ret_why)
{
    static const struct post_header accept = { { "Accept", 6 }, { "application/json", 16 } };
    struct poster *poster CLEANUP(poster_cleanup) = poster_new(arena, allowed, url, ca_file, ret_why);
    if (poster == NULL)
        return false;
    *ret_why = STR("There is no memory.");
    struct curl_slist *headers = header_list(arena, &accept, 1);
    if (headers == NULL)
        return false;
    /* curl says application/x-www-form-urlencoded by itself. */
    curl_easy_setopt(poster->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(poster->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(poster->curl, CURLOPT_POSTFIELDS, form.data);
    curl_easy_setopt(poster->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)form.len);
    bool is_answered = fetch_whole(poster, arena, ret_body, ret_why);
    curl_easy_setopt(poster->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    return is_answered;
}
