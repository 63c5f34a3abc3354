/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_objects.h"

#include <time.h>
#include <zlib.h>

#include "base/crypto/crypto.h"
#include "base/net/bucket.h"
#include "base/net/egress.h"

enum { US_PER_S = 1000000, REQUEST_MS = 60 * 1000, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, PLACE_BYTES = 4 };

static const char *const log_names[LOG_TYPE_COUNT] = {
    [LOG_POSTGRES] = "postgres",
    [LOG_POSTGRES_AUDIT] = "audit",
    [LOG_PATRONI] = "patroni",
};

/* ---- Names ---- */
/* Names of clusters and members have nothing else in them; but this is a path in somebody's bucket. */
static str
plain(struct arena *arena, str name)
{
    char *text = ARENA_ARRAY(arena, char, name.len + 2);
    if (text == NULL || name.len == 0)
        return STR("_");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        (c == '.' && i > 0);
        text[i] = '_';
        if (is_plain)
            text[i] = c;
    }
    text[name.len] = '\0';
    return (str){ text, name.len };
}

str
log_object_name(struct arena *arena, const struct goal_log_target *target, const struct log_line *first)
{
    time_t second = (time_t)(first->time_us / US_PER_S);
    struct tm t;
    uint8_t hash[SHA256_BYTES];
    gmtime_r(&second, &t);
    /* Two targets may write to one place: the same line is in an object of each. */
    crypto_sha256(str_format(arena, "%s %.*s", id_text(arena, target->id).data, STR_ARG(first->place)), hash);
    return str_format(arena, "%.*s%s/%s/%s/%04d/%02d/%02d/%04d%02d%02dT%02d%02d%02d.%06dZ-%s.log.gz",
                      STR_ARG(target->prefix), plain(arena, first->cluster->name).data,
                      plain(arena, first->member->name).data, log_names[first->type], t.tm_year + 1900, t.tm_mon + 1,
                      t.tm_mday, t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec,
                      (int)(first->time_us % US_PER_S), str_hex(arena, hash, PLACE_BYTES).data);
}

/* ---- Content ---- */
static bool
is_beside(const struct log_line *line, const struct log_line *first)
{
    return line->member == first->member && line->type == first->type;
}

static str
text_of(struct arena *arena, const struct log_line *lines, size_t count, const struct log_line *first)
{
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += is_beside(&lines[i], first) ? lines[i].text.len + 1 : 0;
    struct buf text = buf_in(arena, bytes);
    for (size_t i = 0; i < count; i++) {
        if (!is_beside(&lines[i], first))
            continue;
        buf_add(&text, lines[i].text);
        buf_add_char(&text, '\n');
    }
    return text.failed ? STR_EMPTY : buf_str(&text);
}

/* Without name and time in its head, so that the same lines are the same bytes. */
static str
pack(struct arena *arena, str text)
{
    z_stream stream = { 0 };
    if (text.len == 0 ||
        deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return STR_EMPTY;
    size_t room = deflateBound(&stream, text.len);
    unsigned char *bytes = arena_alloc_unset(arena, room);
    stream.next_in = (unsigned char *)text.data;
    stream.avail_in = (unsigned)text.len;
    stream.next_out = bytes;
    stream.avail_out = (unsigned)room;
    bool is_packed = bytes != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    size_t packed = stream.total_out;
    deflateEnd(&stream);
    return is_packed ? (str){ (const char *)bytes, packed } : STR_EMPTY;
}

/* ---- Writing ---- */
static bool
put(struct bucket *bucket, struct arena *arena, const struct goal_log_target *target, const struct log_line *lines,
    size_t count, const struct log_line *first, str *ret_why)
{
    str name = log_object_name(arena, target, first), content = pack(arena, text_of(arena, lines, count, first));
    *ret_why = STR("There is no memory.");
    return name.len > 0 && content.len > 0 && bucket_put_text(bucket, arena, name, content, ret_why) == BUCKET_FINE;
}

bool
log_objects_write(struct arena *arena, const struct goal_log_target *target, const struct log_line *lines, size_t count,
                  str *ret_why)
{
    struct egress_target found;
    *ret_why = STR("The operator has taken away the role with which the bucket is written to.");
    if (target->url.len == 0 || target->key.len == 0 || !egress_resolve_operators(arena, target->url, &found, ret_why))
        return false;
    const struct bucket_place place = { .service_url = target->url,
                                        .name = target->bucket,
                                        .bucket = target->bucket,
                                        .keys = { target->key, target->secret_key, target->region },
                                        .authority = target->authority,
                                        .address_count = found.count,
                                        .addresses = found.addresses,
                                        .limit_ms = REQUEST_MS };
    struct bucket *bucket CLEANUP(bucket_cleanup) = bucket_open(&place);
    *ret_why = STR("There is no memory.");
    bool is_written = bucket != NULL;
    for (size_t i = 0; is_written && i < count; i++) {
        if (lines[i].place.len > 0)
            is_written = put(bucket, arena, target, lines, count, &lines[i], ret_why);
    }
    return is_written;
}
