/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "base/crypto/secret.h"

#define ERROR_ROW(code, status, detail, remedy) [code] = { #code, status, detail, remedy },
const struct error_row error_rows[ERROR_CODE_COUNT] = { ERROR_TABLE(ERROR_ROW) };
#undef ERROR_ROW

/* A parameter often repeats what the client sent, which may be long; the document must stay a document. */
enum { LONGEST_PARAMETER_BYTES = 8 * 1024, LONGEST_DOCUMENT_BYTES = 1024 * 1024 };

const struct failure would_block = { .code = INTERNAL_ERROR };

/* What is left to say when there is no memory to say anything. */
static const struct failure no_memory = {
    .code = OVERLOADED,
    .detail = { "The service has no capacity for this request now.", 49 },
    .retry_after_s = 1,
};

static void
add_value(struct buf *out, const struct value *value)
{
    if (value->kind == VALUE_NUMBER)
        buf_add_int(out, value->number);
    else
        buf_add(out, value->text);
}

static str
fill_detail(struct arena *arena, const char *shape, size_t count, const struct value *values)
{
    struct buf out = buf_in(arena, 64 * 1024);
    size_t next = 0;
    for (const char *hole; (hole = strstr(shape, "{}")) != NULL; shape = hole + 2) {
        buf_add(&out, (str){ shape, (size_t)(hole - shape) });
        if (next < count)
            add_value(&out, &values[next++]);
    }
    buf_add_text(&out, shape);
    return buf_str(&out);
}

/* A copy that can stand in JSON: a client may have sent bytes that are no text, in a path or a header, or a secret in a
 * place where none belongs. */
static str
copy_as_text(struct arena *arena, str text)
{
    bool is_long = text.len > LONGEST_PARAMETER_BYTES;
    if (is_long) {
        text.len = LONGEST_PARAMETER_BYTES;
        /* Not in the middle of a character. */
        while (text.len > 0 && ((unsigned char)text.data[text.len] & 0xC0) == 0x80)
            text.len--;
    }
    bool is_text = str_is_text(text);
    char *copy = arena_alloc(arena, text.len + 1);
    if (copy == NULL)
        return STR_EMPTY;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        copy[i] = !is_text && (c == 0 || c >= 0x80) ? '?' : (char)c;
    }
    str kept = { copy, secret_hide(copy, text.len) };
    copy[kept.len] = '\0';
    return is_text && is_long ? str_format(arena, "%.*s…", STR_ARG(kept)) : kept;
}

error
failure_new(struct arena *arena, enum error_code code, size_t count, const struct value *values)
{
    struct failure *failure = ARENA_NEW(arena, struct failure);
    if (failure == NULL || count > ERROR_MAX_PARAMETERS)
        return &no_memory;
    failure->code = code;
    failure->parameter_count = (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        failure->parameters[i] = values[i];
        if (values[i].kind == VALUE_TEXT)
            failure->parameters[i].text = copy_as_text(arena, values[i].text);
    }
    failure->detail = fill_detail(arena, error_rows[code].detail, count, failure->parameters);
    return arena_is_exhausted(arena) ? &no_memory : failure;
}

error
error_retry_after(struct arena *arena, error e, int seconds)
{
    struct failure *copy = ARENA_NEW(arena, struct failure);
    if (copy == NULL)
        return &no_memory;
    *copy = *e;
    copy->retry_after_s = seconds;
    return copy;
}

const char *
error_field_words(enum error_code code)
{
    switch (code) {
    case INVALID_ATTRIBUTE: return "does not exist here; remove it or correct its spelling";
    case MISSING_ATTRIBUTE: return "is missing; add it";
    case UNMODIFIABLE_ATTRIBUTE: return "cannot be set by this request; leave it out";
    default: return NULL;
    }
}

error
error_with_others(struct arena *arena, error e, size_t count, const struct wrong_field *others)
{
    struct failure *copy = ARENA_NEW(arena, struct failure);
    struct wrong_field *kept = ARENA_ARRAY(arena, struct wrong_field, count + 1);
    if (copy == NULL || kept == NULL || count > ERROR_MAX_WRONG_FIELDS)
        return &no_memory;
    struct buf detail = buf_in(arena, LONGEST_DOCUMENT_BYTES);
    buf_add(&detail, e->detail);
    for (size_t i = 0; i < count; i++) {
        kept[i].field = copy_as_text(arena, others[i].field);
        kept[i].what = copy_as_text(arena, others[i].what);
        buf_format(&detail, " Attribute %.*s %.*s.", STR_ARG(kept[i].field), STR_ARG(kept[i].what));
    }
    *copy = *e;
    copy->detail = buf_str(&detail);
    copy->others = kept;
    copy->other_count = (unsigned)count;
    return arena_is_exhausted(arena) ? &no_memory : copy;
}

const char *
error_reason(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } reasons[] = {
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 410, "Gone" },
        { 412, "Precondition Failed" },
        { 413, "Content Too Large" },
        { 414, "URI Too Long" },
        { 415, "Unsupported Media Type" },
        { 422, "Unprocessable Content" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 503, "Service Unavailable" },
    };
    for (size_t i = 0; i < LENGTH(reasons); i++) {
        if (reasons[i].status == status)
            return reasons[i].reason;
    }
    return "Unknown";
}

str
error_document(struct arena *arena, error e)
{
    unsigned status = error_rows[e->code].status;
    struct buf out = buf_in(arena, LONGEST_DOCUMENT_BYTES);
    buf_add_text(&out, "{\"detail\":");
    buf_add_json(&out, e->detail);
    buf_format(&out, ",\"error\":%u,\"errorCode\":\"%s\",\"parameters\":[", status, error_rows[e->code].name);
    for (unsigned i = 0; i < e->parameter_count; i++) {
        if (i > 0)
            buf_add_char(&out, ',');
        if (e->parameters[i].kind == VALUE_NUMBER)
            buf_add_int(&out, e->parameters[i].number);
        else
            buf_add_json(&out, e->parameters[i].text);
    }
    for (unsigned i = 0; i < e->other_count; i++) {
        buf_add_char(&out, ',');
        buf_add_json(&out, e->others[i].field);
        buf_add_char(&out, ',');
        buf_add_json(&out, e->others[i].what);
    }
    buf_format(&out, "],\"reason\":\"%s\"}", error_reason(status));
    return buf_str(&out);
}
