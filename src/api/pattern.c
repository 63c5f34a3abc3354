/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    SLOTS = 4096, /* a power of two, several times the number of patterns in all tables */
    /* Bounds for one match. Our own patterns need far less; they are there for the pattern somebody writes tomorrow. */
    MATCH_LIMIT = 200000,
    HEAP_LIMIT_KIB = 4096,
    /* Schemas may contain themselves (a condition made of conditions). */
    DEEPEST_SCHEMA = 16,
};

struct slot {
    _Atomic(const char *) pattern; /* written last: whoever sees it sees the code too */
    pcre2_code *code;              /* NULL: it does not compile */
};
static struct slot slots[SLOTS];
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;

/*
 * Without PCRE2_UCP: it would let \d and \w match every alphabet, while the OpenAPI document hands the same pattern to
 * ECMA 262, where they are ASCII. \p{L} works in both.
 */
static pcre2_code *
compile(const char *pattern, int *ret_error, size_t *ret_at)
{
    return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE, ret_error,
                         ret_at, NULL);
}

/* The slot of the pattern, or the free one where it belongs; NULL when all are taken. */
static struct slot *
find_slot(const char *pattern)
{
    uint64_t hash = (uintptr_t)pattern * 0x9E3779B97F4A7C15u;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &slots[((hash >> 40) + i) & (SLOTS - 1)];
        const char *there = atomic_load_explicit(&slot->pattern, memory_order_acquire);
        if (there == NULL || there == pattern)
            return slot;
    }
    return NULL;
}

static const pcre2_code *
find_code(const char *pattern)
{
    struct slot *slot = find_slot(pattern);
    if (slot != NULL && atomic_load_explicit(&slot->pattern, memory_order_acquire) == pattern)
        return slot->code;
    int why;
    size_t at;
    pthread_mutex_lock(&compiling);
    slot = find_slot(pattern);
    if (slot != NULL && atomic_load_explicit(&slot->pattern, memory_order_relaxed) == NULL) {
        slot->code = compile(pattern, &why, &at);
        atomic_store_explicit(&slot->pattern, pattern, memory_order_release);
    }
    pthread_mutex_unlock(&compiling);
    return slot == NULL ? NULL : slot->code;
}

static pcre2_match_context *limits; /* only read after it was made */
static pthread_once_t limits_once = PTHREAD_ONCE_INIT;

static void
make_limits(void)
{
    limits = pcre2_match_context_create(NULL);
    if (limits == NULL)
        return;
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
}

bool
pattern_matches(const char *pattern, str text)
{
    const pcre2_code *code = find_code(pattern);
    pthread_once(&limits_once, make_limits);
    pcre2_match_data *match = code == NULL || limits == NULL ? NULL : pcre2_match_data_create(1, NULL);
    if (match == NULL)
        return false;
    /* Both ends: a pattern without ^ and $ speaks about the whole text too. A match that reached its limit is none. */
    int result =
        pcre2_match(code, (PCRE2_SPTR)text.data, text.len, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED, match, limits);
    pcre2_match_data_free(match);
    return result >= 0;
}

static bool
check_fields(const char *operation, const struct field *fields, int depth, FILE *problems)
{
    bool fine = true;
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        int why;
        size_t at;
        pcre2_code *code = f->pattern == NULL ? NULL : compile(f->pattern, &why, &at);
        if (f->pattern != NULL && code == NULL) {
            char text[128];
            pcre2_get_error_message(why, (PCRE2_UCHAR *)text, sizeof(text));
            fprintf(problems, "%s: field %s: pattern %s: %s at %zu\n", operation, f->name, f->pattern, text, at);
            fine = false;
        }
        pcre2_code_free(code);
        if (f->of != NULL && depth < DEEPEST_SCHEMA && !check_fields(operation, f->of->fields, depth + 1, problems))
            fine = false;
        for (const struct field_variant *v = f->variants; v != NULL && v->value != NULL; v++)
            fine &= check_fields(operation, v->further->fields, depth, problems);
    }
    return fine;
}

bool
pattern_check_all(const struct endpoint *endpoint, FILE *problems)
{
    bool fine = check_fields(endpoint->operation, endpoint->query, 0, problems);
    fine &= check_fields(endpoint->operation, endpoint->path_fields, 0, problems);
    const struct schema *schemas[] = { endpoint->request, endpoint->response };
    for (size_t i = 0; i < LENGTH(schemas); i++) {
        if (schemas[i] != NULL && !check_fields(endpoint->operation, schemas[i]->fields, 0, problems))
            fine = false;
    }
    return fine;
}
