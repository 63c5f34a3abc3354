/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/bucket.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/net/egress.h"
#include "base/net/pinned.h"

enum {
    CONNECT_MS = 10 * 1000,
    SILENT_S = 60,           /* a connection on which nothing moves for so long is given up */
    ANSWER_BYTES = 8 * 1024, /* of most; of lists more is read */
    LIST_BYTES = 2 * 1024 * 1024,
    PAGE = 500,
    ETAG_BYTES = 256,
    WORD_CHARS = 64,
    FIRST_WAIT_MS = 500,
    LONGEST_WAIT_MS = 15 * 1000,
    MOST_PARTS = 10000,
};
/* What a store takes at once is less than 5 GB; so much is not sent twice when a connection breaks. */
#define PART_BYTES ((int64_t)128 * 1024 * 1024)

/* Of one request; exactly one of text and file has the body, if there is one. */
struct call {
    const char *method;
    str path, query, text;
    const struct bucket_file *file;
    int64_t offset, bytes;
    str body_sha256, meta_sha256, copy_source, body_md5;
};

struct bucket {
    CURL *curl;
    struct bucket_place place;
    str host;
    struct pinned pinned;
    struct arena *own;
    /* The last answer. */
    long status;
    int64_t length;
    size_t answer_bytes, answer_room;
    char *answer;
    char etag[ETAG_BYTES], meta_sha256[ETAG_BYTES], problem[CURL_ERROR_SIZE];
};

/* ---- What curl asks ---- */
static size_t
keep_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct bucket *bucket = context;
    size_t room = bucket->answer_room - 1 - bucket->answer_bytes, some = size * count < room ? size * count : room;
    memcpy(bucket->answer + bucket->answer_bytes, bytes, some);
    bucket->answer_bytes += some;
    return size * count;
}

static void
keep_header(str line, str name, char value[ETAG_BYTES])
{
    if (line.len <= name.len || !str_eq_nocase(str_slice(line, 0, name.len), name))
        return;
    str rest = str_trim(str_slice(line, name.len, line.len));
    if (rest.len < ETAG_BYTES)
        snprintf(value, ETAG_BYTES, "%.*s", STR_ARG(rest));
}

static size_t
see_header(char *bytes, size_t size, size_t count, void *context)
{
    struct bucket *bucket = context;
    str all = { bytes, size * count }, line = str_cut(&all, '\r');
    keep_header(line, STR("etag:"), bucket->etag);
    keep_header(line, STR("x-amz-meta-sha256:"), bucket->meta_sha256);
    return size * count;
}

/* The body of a request, as far as it was read. */
struct source {
    const struct call *call;
    int64_t at;
};

static size_t
read_body(char *bytes, size_t size, size_t count, void *context)
{
    struct source *source = context;
    const struct call *call = source->call;
    int64_t left = call->bytes - source->at;
    size_t some = (int64_t)(size * count) < left ? size * count : (size_t)left;
    if (call->file == NULL)
        memcpy(bytes, call->text.data + source->at, some);
    else if (some > 0) {
        ssize_t got = pread(call->file->file, bytes, some, call->offset + source->at);
        if (got <= 0)
            return CURL_READFUNC_ABORT;
        some = (size_t)got;
    }
    source->at += (int64_t)some;
    return some;
}

/* Once more from the beginning, when a connection that was kept is gone. */
static int
seek_body(void *context, curl_off_t offset, int origin)
{
    struct source *source = context;
    if (origin != SEEK_SET || offset < 0 || offset > source->call->bytes)
        return CURL_SEEKFUNC_CANTSEEK;
    source->at = offset;
    return CURL_SEEKFUNC_OK;
}

/* ---- One request ---- */
static struct curl_slist *
add_header(struct curl_slist *list, struct arena *arena, const char *name, str value)
{
    struct curl_slist *longer =
        list == NULL ? NULL : curl_slist_append(list, str_format(arena, "%s: %.*s", name, STR_ARG(value)).data);
    if (longer == NULL)
        curl_slist_free_all(list);
    return longer;
}

static struct curl_slist *
headers_of(const struct bucket *bucket, struct arena *arena, const struct call *call)
{
    const struct s3_request request = { .method = call->method,
                                        .host = bucket->host,
                                        .path = call->path,
                                        .query = call->query,
                                        .body_sha256 = call->body_sha256,
                                        .moment = s3_moment(arena, clock_now_ms()),
                                        .meta_sha256 = call->meta_sha256,
                                        .copy_source = call->copy_source };
    str authorization = s3_authorization(arena, &bucket->place.keys, &request);
    struct curl_slist *list =
        authorization.len == 0 ? NULL : curl_slist_append(NULL, "Content-Type: application/octet-stream");
    list = add_header(list, arena, "Authorization", authorization);
    list = add_header(list, arena, "x-amz-date", request.moment);
    list = add_header(list, arena, "x-amz-content-sha256", call->body_sha256);
    if (call->body_md5.len > 0)
        list = add_header(list, arena, "Content-MD5", call->body_md5);
    if (call->copy_source.len > 0)
        list = add_header(list, arena, "x-amz-copy-source", call->copy_source);
    return call->meta_sha256.len == 0 ? list : add_header(list, arena, "x-amz-meta-sha256", call->meta_sha256);
}

static bool
prepare(struct bucket *bucket, struct arena *arena, const struct call *call, struct source *source,
        struct curl_slist *headers)
{
    CURL *c = bucket->curl;
    CURLcode bad = CURLE_OK;
    struct curl_blob authority = { (void *)bucket->place.authority.data, bucket->place.authority.len, CURL_BLOB_COPY };
    bool has_body = strcmp(call->method, "PUT") == 0 || strcmp(call->method, "POST") == 0;
    str url = str_format(arena, "%s%s%s%s", bucket->place.service_url.data, call->path.data,
                         call->query.len > 0 ? "?" : "", call->query.data);
    curl_easy_reset(c); /* connections stay */
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(c, option, value))
    SET(CURLOPT_URL, url.data);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
    SET(CURLOPT_TIMEOUT_MS, (long)bucket->place.limit_ms);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_OPENSOCKETFUNCTION, pinned_open_socket);
    SET(CURLOPT_OPENSOCKETDATA, &bucket->pinned);
    SET(CURLOPT_WRITEFUNCTION, keep_answer);
    SET(CURLOPT_WRITEDATA, bucket);
    SET(CURLOPT_HEADERFUNCTION, see_header);
    SET(CURLOPT_HEADERDATA, bucket);
    SET(CURLOPT_ERRORBUFFER, bucket->problem);
    SET(CURLOPT_USERAGENT, "reeve/" REEVE_VERSION);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_CUSTOMREQUEST, call->method);
    SET(CURLOPT_NOBODY, strcmp(call->method, "HEAD") == 0 ? 1L : 0L);
    if (has_body) {
        SET(CURLOPT_UPLOAD, 1L);
        SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)call->bytes);
        SET(CURLOPT_READFUNCTION, read_body);
        SET(CURLOPT_READDATA, source);
        SET(CURLOPT_SEEKFUNCTION, seek_body);
        SET(CURLOPT_SEEKDATA, source);
    }
    if (bucket->pinned.hosts != NULL)
        SET(CURLOPT_RESOLVE, bucket->pinned.hosts);
    if (bucket->place.authority_file != NULL)
        SET(CURLOPT_CAINFO, bucket->place.authority_file);
    if (bucket->place.authority.len > 0)
        SET(CURLOPT_CAINFO_BLOB, &authority);
#undef SET
    return bad == CURLE_OK && url.len > 0;
}

/* The status is 0 when there was none. */
static void
ask_once(struct bucket *bucket, struct arena *arena, const struct call *call)
{
    struct source source = { .call = call };
    curl_off_t length = -1;
    struct curl_slist *headers = headers_of(bucket, arena, call);
    bucket->status = 0;
    bucket->answer_bytes = 0;
    bucket->etag[0] = bucket->meta_sha256[0] = bucket->problem[0] = '\0';
    if (headers == NULL || !prepare(bucket, arena, call, &source, headers)) {
        snprintf(bucket->problem, sizeof(bucket->problem), "there is no memory");
    } else {
        CURLcode result = curl_easy_perform(bucket->curl);
        curl_easy_getinfo(bucket->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        /* One that answers before it has read everything, and closes, has answered all the same. */
        if (result == CURLE_OK || result == CURLE_SEND_ERROR || result == CURLE_RECV_ERROR)
            curl_easy_getinfo(bucket->curl, CURLINFO_RESPONSE_CODE, &bucket->status);
        if (result != CURLE_OK && bucket->status < 300)
            bucket->status = 0;
        if (bucket->status == 0 && bucket->problem[0] == '\0')
            snprintf(bucket->problem, sizeof(bucket->problem), "%s", curl_easy_strerror(result));
    }
    bucket->answer[bucket->answer_bytes] = '\0';
    bucket->length = length;
    curl_slist_free_all(headers);
}

static bool
is_away(long status)
{
    return status == 0 || status == 408 || status == 429 || status >= 500;
}

/* ---- What it answered ---- */
/* What stands between two marks. */
static str
between(const struct bucket *bucket, const char *before, const char *after)
{
    const char *from = strstr(bucket->answer, before);
    const char *to = from == NULL ? NULL : strstr(from, after);
    return to == NULL ? STR_EMPTY : (str){ from + strlen(before), (size_t)(to - from) - strlen(before) };
}

/* The word for what is wrong, when it is one: nothing else of an answer is told to anybody. */
static str
word_of(const struct bucket *bucket)
{
    str word = between(bucket, "<Code>", "</Code>");
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            return STR_EMPTY;
    }
    return word.len > WORD_CHARS ? STR_EMPTY : word;
}

static str
say_why(const struct bucket *bucket, struct arena *arena, const struct call *call)
{
    if (bucket->status == 0)
        return str_format(arena, "The store does not answer: %s.", bucket->problem);
    str word = word_of(bucket);
    return str_format(arena, "The store answered %s of %.*s with %ld%s%.*s.", call->method, STR_ARG(call->path),
                      bucket->status, word.len > 0 ? " " : "", STR_ARG(word));
}

static enum bucket_outcome
ask(struct bucket *bucket, struct arena *arena, const struct call *call, str *ret_why)
{
    int64_t deadline_ms = clock_steady_ms() + bucket->place.patience_ms, wait_ms = FIRST_WAIT_MS;
    for (;;) {
        ask_once(bucket, arena, call);
        if (bucket->status >= 200 && bucket->status < 300)
            return BUCKET_FINE;
        *ret_why = say_why(bucket, arena, call);
        if (!is_away(bucket->status))
            return BUCKET_REFUSED;
        if (clock_steady_ms() + wait_ms > deadline_ms)
            return BUCKET_AWAY;
        clock_sleep_ms(wait_ms);
        wait_ms = wait_ms * 2 < LONGEST_WAIT_MS ? wait_ms * 2 : LONGEST_WAIT_MS;
    }
}

/* ---- A bucket ---- */
struct bucket *
bucket_open(const struct bucket_place *place)
{
    struct bucket *bucket = calloc(1, sizeof(*bucket));
    struct egress_url url;
    const char *ignored;
    if (bucket == NULL)
        return NULL;
    bucket->place = *place;
    bucket->pinned = (struct pinned){ .count = place->address_count, .addresses = place->addresses };
    bucket->own = arena_new(64 * 1024 + LIST_BYTES);
    bucket->answer_room = ANSWER_BYTES;
    bucket->answer = bucket->own == NULL ? NULL : arena_alloc_unset(bucket->own, LIST_BYTES);
    bucket->curl = curl_easy_init();
    if (bucket->answer != NULL && bucket->curl != NULL &&
        egress_parse(bucket->own, place->service_url, &url, &ignored)) {
        /* As curl writes it: without the usual port. */
        bool is_v6 = str_find(url.host, ':') >= 0;
        str host = is_v6 ? str_format(bucket->own, "[%s]", url.host.data) : url.host;
        bucket->host = url.port == 443 ? host : str_format(bucket->own, "%s:%u", host.data, url.port);
        if (bucket->host.len > 0 && pinned_host(&bucket->pinned, bucket->own, url.host, url.port))
            return bucket;
    }
    bucket_close(bucket);
    return NULL;
}

void
bucket_close(struct bucket *bucket)
{
    if (bucket == NULL)
        return;
    curl_easy_cleanup(bucket->curl);
    curl_slist_free_all(bucket->pinned.hosts);
    arena_free(bucket->own);
    free(bucket);
}

void
bucket_cleanup(struct bucket **bucket)
{
    bucket_close(*bucket);
}

static str
path_of(const struct bucket *bucket, struct arena *arena, str key)
{
    str name = bucket->place.name;
    return s3_encode_path(arena,
                          str_format(arena, "/%.*s%s%.*s", STR_ARG(name), name.len > 0 ? "/" : "", STR_ARG(key)));
}

static str
hash_of(struct arena *arena, str text)
{
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(text, digest);
    return str_hex(arena, digest, sizeof(digest));
}

/* ---- Files ---- */
/* Who may write and not read is told that it may not look: then it is written once more. */
bool
bucket_has(struct bucket *bucket, struct arena *arena, str key, const struct bucket_file *file)
{
    const struct call call = { .method = "HEAD",
                               .path = path_of(bucket, arena, key),
                               .query = STR_EMPTY,
                               .body_sha256 = hash_of(arena, STR_EMPTY) };
    ask_once(bucket, arena, &call);
    return bucket->status == 200 && bucket->length == file->bytes && str_is(file->sha256, bucket->meta_sha256);
}

/* Buckets that lock what is written take nothing without it. */
static str
md5_of(struct arena *arena, str text)
{
    uint8_t digest[MD5_BYTES];
    crypto_md5(text, digest);
    return str_base64(arena, digest, sizeof(digest));
}

enum bucket_outcome
bucket_put_text(struct bucket *bucket, struct arena *arena, str key, str text, str *ret_why)
{
    const struct call call = { .method = "PUT",
                               .path = path_of(bucket, arena, key),
                               .query = STR_EMPTY,
                               .text = text,
                               .bytes = (int64_t)text.len,
                               .body_sha256 = hash_of(arena, text),
                               .meta_sha256 = hash_of(arena, text),
                               .body_md5 = md5_of(arena, text) };
    return ask(bucket, arena, &call, ret_why);
}

static enum bucket_outcome
put_whole(struct bucket *bucket, struct arena *arena, str path, const struct bucket_file *file, str *ret_why)
{
    const struct call call = { .method = "PUT",
                               .path = path,
                               .query = STR_EMPTY,
                               .file = file,
                               .bytes = file->bytes,
                               .body_sha256 = file->sha256,
                               .meta_sha256 = file->sha256 };
    return ask(bucket, arena, &call, ret_why);
}

/* ---- Large files ---- */
struct parts {
    struct bucket *bucket;
    struct arena *arena;
    str path, upload; /* the store's name of what is under way, encoded */
    const struct bucket_file *file;
    int64_t part_bytes;
    struct buf list; /* as the last request has it */
};

static enum bucket_outcome
begin_parts(struct parts *parts, str *ret_why)
{
    const struct call call = { .method = "POST",
                               .path = parts->path,
                               .query = STR("uploads="),
                               .text = STR_EMPTY,
                               .body_sha256 = hash_of(parts->arena, STR_EMPTY),
                               .meta_sha256 = parts->file->sha256 };
    enum bucket_outcome outcome = ask(parts->bucket, parts->arena, &call, ret_why);
    if (outcome != BUCKET_FINE)
        return outcome;
    parts->upload = str_percent_encode(parts->arena, between(parts->bucket, "<UploadId>", "</UploadId>"));
    *ret_why = STR("The store does not take files in parts.");
    return parts->upload.len > 0 ? BUCKET_FINE : BUCKET_REFUSED;
}

static enum bucket_outcome
put_part(struct parts *parts, int number, str *ret_why)
{
    int64_t offset = (number - 1) * parts->part_bytes, left = parts->file->bytes - offset;
    uint8_t digest[SHA256_BYTES];
    struct call call = { .method = "PUT",
                         .path = parts->path,
                         .query = str_format(parts->arena, "partNumber=%d&uploadId=%s", number, parts->upload.data),
                         .file = parts->file,
                         .offset = offset,
                         .bytes = left < parts->part_bytes ? left : parts->part_bytes };
    *ret_why = STR("A file cannot be read.");
    if (!crypto_sha256_file(parts->file->file, offset, call.bytes, digest))
        return BUCKET_AWAY;
    call.body_sha256 = str_hex(parts->arena, digest, sizeof(digest));
    enum bucket_outcome outcome = ask(parts->bucket, parts->arena, &call, ret_why);
    if (outcome == BUCKET_FINE)
        buf_format(&parts->list, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", number,
                   parts->bucket->etag);
    return outcome;
}

/* Some stores answer 200 before they know, and say in the answer that it failed. */
static enum bucket_outcome
end_parts(struct parts *parts, str *ret_why)
{
    buf_add_text(&parts->list, "</CompleteMultipartUpload>");
    str text = buf_str(&parts->list);
    const struct call call = { .method = "POST",
                               .path = parts->path,
                               .query = str_format(parts->arena, "uploadId=%s", parts->upload.data),
                               .text = text,
                               .bytes = (int64_t)text.len,
                               .body_sha256 = hash_of(parts->arena, text) };
    enum bucket_outcome outcome = ask(parts->bucket, parts->arena, &call, ret_why);
    if (outcome != BUCKET_FINE || strstr(parts->bucket->answer, "<Error") == NULL)
        return outcome;
    *ret_why = say_why(parts->bucket, parts->arena, &call);
    return BUCKET_AWAY;
}

/* Parts that nobody puts together would be paid for. */
static void
drop_parts(struct parts *parts)
{
    const struct call call = { .method = "DELETE",
                               .path = parts->path,
                               .query = str_format(parts->arena, "uploadId=%s", parts->upload.data),
                               .body_sha256 = hash_of(parts->arena, STR_EMPTY) };
    ask_once(parts->bucket, parts->arena, &call);
}

static enum bucket_outcome
put_in_parts(struct bucket *bucket, struct arena *arena, str path, const struct bucket_file *file, str *ret_why)
{
    int64_t part_bytes = PART_BYTES;
    while (file->bytes / part_bytes >= MOST_PARTS)
        part_bytes *= 2;
    struct parts parts = { .bucket = bucket,
                           .arena = arena,
                           .path = path,
                           .file = file,
                           .part_bytes = part_bytes,
                           .list = buf_in(arena, (size_t)MOST_PARTS * 512) };
    int count = (int)((file->bytes + part_bytes - 1) / part_bytes);
    enum bucket_outcome outcome = begin_parts(&parts, ret_why);
    if (outcome != BUCKET_FINE)
        return outcome;
    buf_add_text(&parts.list, "<CompleteMultipartUpload>");
    for (int i = 1; i <= count && outcome == BUCKET_FINE; i++)
        outcome = put_part(&parts, i, ret_why);
    if (outcome == BUCKET_FINE)
        outcome = end_parts(&parts, ret_why);
    if (outcome != BUCKET_FINE)
        drop_parts(&parts);
    return outcome;
}

enum bucket_outcome
bucket_put(struct bucket *bucket, struct arena *arena, str key, const struct bucket_file *file, str *ret_why)
{
    str path = path_of(bucket, arena, key);
    return file->bytes <= PART_BYTES ? put_whole(bucket, arena, path, file, ret_why)
                                     : put_in_parts(bucket, arena, path, file, ret_why);
}

/* ---- One small object ---- */
static enum bucket_outcome
ask_without_body(struct bucket *bucket, struct arena *arena, const char *method, str key, str query, str *ret_why)
{
    const struct call call = {
        .method = method, .path = path_of(bucket, arena, key), .query = query, .body_sha256 = hash_of(arena, STR_EMPTY)
    };
    return ask(bucket, arena, &call, ret_why);
}

enum bucket_outcome
bucket_get_text(struct bucket *bucket, struct arena *arena, str key, str *ret_text, str *ret_why)
{
    enum bucket_outcome outcome = ask_without_body(bucket, arena, "GET", key, STR_EMPTY, ret_why);
    if (outcome == BUCKET_FINE)
        *ret_text = str_dup(arena, (str){ bucket->answer, bucket->answer_bytes });
    return outcome;
}

enum bucket_outcome
bucket_lists(struct bucket *bucket, struct arena *arena, str key, bool *ret_is_listed, str *ret_why)
{
    str query = str_format(arena, "list-type=2&max-keys=1&prefix=%s", str_percent_encode(arena, key).data);
    enum bucket_outcome outcome = ask_without_body(bucket, arena, "GET", STR_EMPTY, query, ret_why);
    if (outcome == BUCKET_FINE)
        *ret_is_listed = str_eq(between(bucket, "<Key>", "</Key>"), key);
    return outcome;
}

enum bucket_outcome
bucket_delete(struct bucket *bucket, struct arena *arena, str key, str *ret_why)
{
    return ask_without_body(bucket, arena, "DELETE", key, STR_EMPTY, ret_why);
}

/* ---- What nobody can delete ---- */
enum bucket_outcome
bucket_look_at_lock(struct bucket *bucket, struct arena *arena, struct bucket_lock *ret_lock, str *ret_why)
{
    enum { MOST = 36500, YEAR_DAYS = 365 };
    enum bucket_outcome outcome = ask_without_body(bucket, arena, "GET", STR_EMPTY, STR("object-lock="), ret_why);
    int64_t days = 0, years = 0;
    *ret_lock = (struct bucket_lock){ .is_on = false };
    if (bucket->status == 404 || bucket->status == 501)
        return BUCKET_FINE; /* a bucket, or a store, that knows no locks */
    if (outcome != BUCKET_FINE)
        return outcome;
    if (!str_to_int(between(bucket, "<Days>", "</Days>"), 1, MOST, &days) &&
        str_to_int(between(bucket, "<Years>", "</Years>"), 1, MOST / YEAR_DAYS, &years))
        days = years * YEAR_DAYS;
    ret_lock->is_on = str_is(between(bucket, "<ObjectLockEnabled>", "</ObjectLockEnabled>"), "Enabled");
    ret_lock->is_compliance = str_is(between(bucket, "<Mode>", "</Mode>"), "COMPLIANCE");
    ret_lock->days = days;
    return BUCKET_FINE;
}

/* ---- Versions ---- */
static str
within(str text, const char *before, const char *after)
{
    const char *from = text.len == 0 ? NULL : memmem(text.data, text.len, before, strlen(before));
    const char *begin = from == NULL ? NULL : from + strlen(before);
    const char *to = from == NULL ? NULL : memmem(begin, (size_t)(text.data + text.len - begin), after, strlen(after));
    return to == NULL ? STR_EMPTY : (str){ begin, (size_t)(to - begin) };
}

/* Keys come percent-encoded when they are asked for so, and the store can. */
static str
key_within(struct arena *arena, str text, const char *before, const char *after, bool is_encoded)
{
    str key = within(text, before, after), decoded;
    return is_encoded && str_percent_decode(arena, key, true, &decoded) ? decoded : str_dup(arena, key);
}

static bool
add_version(struct arena *arena, str text, bool is_marker, bool is_encoded, struct bucket_versions *page)
{
    struct bucket_version version = {
        .key = key_within(arena, text, "<Key>", "</Key>", is_encoded),
        .id = str_dup(arena, within(text, "<VersionId>", "</VersionId>")),
        .etag = str_dup(arena, within(text, "<ETag>", "</ETag>")),
        .is_latest = str_eq_nocase(within(text, "<IsLatest>", "</IsLatest>"), STR("true")),
        .is_marker = is_marker,
    };
    if (page->count == 2 * PAGE || version.key.len == 0 || version.id.len == 0 ||
        !date_parse(within(text, "<LastModified>", "</LastModified>"), &version.at_ms))
        return false;
    page->items[page->count++] = version;
    return true;
}

static bool
read_versions(struct arena *arena, str answer, struct bucket_versions *page)
{
    static const struct {
        const char *begin, *end;
        bool is_marker;
    } kinds[] = { { "<Version>", "</Version>", false }, { "<DeleteMarker>", "</DeleteMarker>", true } };
    bool is_encoded = str_is(within(answer, "<EncodingType>", "</EncodingType>"), "url");
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        str rest = answer;
        for (str one = within(rest, kinds[i].begin, kinds[i].end); one.len > 0;
             one = within(rest, kinds[i].begin, kinds[i].end)) {
            rest = str_slice(answer, (size_t)(one.data + one.len - answer.data), answer.len);
            if (!add_version(arena, one, kinds[i].is_marker, is_encoded, page))
                return false;
        }
    }
    page->next_key = key_within(arena, answer, "<NextKeyMarker>", "</NextKeyMarker>", is_encoded);
    page->next_id = str_dup(arena, within(answer, "<NextVersionIdMarker>", "</NextVersionIdMarker>"));
    return true;
}

/* Names of a query stand in their order. */
static str
versions_query(struct arena *arena, str prefix, const struct bucket_versions *after)
{
    struct buf query = buf_in(arena, 16 * 1024);
    buf_add_text(&query, "encoding-type=url");
    if (after->next_key.len > 0)
        buf_format(&query, "&key-marker=%s", str_percent_encode(arena, after->next_key).data);
    buf_format(&query, "&max-keys=%d&prefix=%s", PAGE, str_percent_encode(arena, prefix).data);
    if (after->next_id.len > 0)
        buf_format(&query, "&version-id-marker=%s", str_percent_encode(arena, after->next_id).data);
    buf_add_text(&query, "&versions=");
    return buf_str(&query);
}

enum bucket_outcome
bucket_list_versions(struct bucket *bucket, struct arena *arena, str prefix, const struct bucket_versions *after,
                     struct bucket_versions *ret_page, str *ret_why)
{
    struct bucket_versions page = { .items = ARENA_ARRAY(arena, struct bucket_version, 2 * PAGE) };
    *ret_why = STR("There is no memory for a list of the bucket.");
    if (page.items == NULL)
        return BUCKET_AWAY;
    bucket->answer_room = LIST_BYTES;
    enum bucket_outcome outcome =
        ask_without_body(bucket, arena, "GET", STR_EMPTY, versions_query(arena, prefix, after), ret_why);
    bucket->answer_room = ANSWER_BYTES;
    if (outcome != BUCKET_FINE)
        return outcome;
    *ret_why = STR("The store's list of versions cannot be understood.");
    if (!read_versions(arena, (str){ bucket->answer, bucket->answer_bytes }, &page))
        return BUCKET_REFUSED;
    *ret_page = page;
    return BUCKET_FINE;
}

enum bucket_outcome
bucket_delete_version(struct bucket *bucket, struct arena *arena, const struct bucket_version *version, str *ret_why)
{
    str query = str_format(arena, "versionId=%s", str_percent_encode(arena, version->id).data);
    return ask_without_body(bucket, arena, "DELETE", version->key, query, ret_why);
}

enum bucket_outcome
bucket_bring_back(struct bucket *bucket, struct arena *arena, const struct bucket_version *version, str *ret_why)
{
    str source = str_format(arena, "/%.*s/%.*s", STR_ARG(bucket->place.bucket), STR_ARG(version->key));
    const struct call call = { .method = "PUT",
                               .path = path_of(bucket, arena, version->key),
                               .query = STR_EMPTY,
                               .text = STR_EMPTY,
                               .body_sha256 = hash_of(arena, STR_EMPTY),
                               .body_md5 = md5_of(arena, STR_EMPTY),
                               .copy_source = str_format(arena, "%s?versionId=%s", s3_encode_path(arena, source).data,
                                                         str_percent_encode(arena, version->id).data) };
    return ask(bucket, arena, &call, ret_why);
}
