/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_line.h"

const char *const log_type_names[LOG_TYPE_COUNT] = { "POSTGRES", "POSTGRES_AUDIT", "PATRONI" };

/* "2026-01-02 03:04:05.678 UTC [9] …" is how a server begins; Patroni has a comma before the milliseconds. */
static bool
begins_like_server(str text)
{
    static const char form[] = "0000-00-00 00:00:00.000 ";
    if (text.len > 0 && text.data[0] == '\t')
        return true;
    if (text.len < sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < sizeof(form) - 1; i++) {
        bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
        if (form[i] == '0' ? !is_digit : text.data[i] != form[i])
            return false;
    }
    return true;
}

static bool
contains(str text, str part)
{
    return memmem(text.data, text.len, part.data, part.len) != NULL;
}

bool
log_line_classify(struct log_memory *memory, str program, int64_t pid, str text, enum log_type *ret_type)
{
    bool is_server = program.len == 0 ? begins_like_server(text) : str_is(program, "postgres");
    size_t slot = (size_t)pid % LOG_MEMORY_SLOTS;
    if (str_starts_with(program, STR("reeve-agent")))
        return false;
    if (!is_server) {
        *ret_type = LOG_PATRONI;
        return true;
    }
    bool goes_on = text.len > 0 && text.data[0] == '\t' && memory->last[slot].pid == pid;
    if (goes_on)
        *ret_type = memory->last[slot].type;
    else
        *ret_type = contains(text, STR("LOG:  AUDIT: ")) ? LOG_POSTGRES_AUDIT : LOG_POSTGRES;
    memory->last[slot].pid = pid;
    memory->last[slot].type = *ret_type;
    return true;
}

static const struct {
    str word;
    enum log_severity severity;
} words[] = {
    { { "PANIC", 5 }, SEVERITY_FATAL },  { { "FATAL", 5 }, SEVERITY_FATAL },     { { "CRITICAL", 8 }, SEVERITY_FATAL },
    { { "ERROR", 5 }, SEVERITY_ERROR },  { { "WARNING", 7 }, SEVERITY_WARNING }, { { "NOTICE", 6 }, SEVERITY_INFO },
    { { "INFO", 4 }, SEVERITY_INFO },    { { "LOG", 3 }, SEVERITY_INFO },        { { "DEBUG", 5 }, SEVERITY_DEBUG },
    { { "DEBUG1", 6 }, SEVERITY_DEBUG }, { { "DEBUG2", 6 }, SEVERITY_DEBUG },
};

/* " WORD:" is looked for from the left, so what a statement or a client's name says behind it does not count. */
enum log_severity
log_line_severity(str text, str *ret_word)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.data[i] != ' ')
            continue;
        str rest = str_slice(text, i + 1, text.len);
        for (size_t k = 0; k < LENGTH(words); k++) {
            if (rest.len > words[k].word.len && rest.data[words[k].word.len] == ':' &&
                str_starts_with(rest, words[k].word)) {
                *ret_word = words[k].word;
                return words[k].severity;
            }
        }
    }
    *ret_word = STR_EMPTY;
    return SEVERITY_NONE;
}

str
log_line_text(struct arena *arena, str bytes)
{
    if (str_is_text(bytes))
        return str_dup(arena, bytes);
    char *copy = arena_alloc(arena, bytes.len + 1);
    if (copy == NULL)
        return STR_EMPTY;
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.data[i];
        copy[i] = c >= 0x80 || c == '\0' ? '?' : (char)c;
    }
    copy[bytes.len] = '\0';
    return (str){ copy, bytes.len };
}
