/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/net/bucket.h"

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

/*
 * What a text of the pattern looks like, for people: completes "must …". A pattern without a row does not start, so that nobody is
 * ever answered with a regular expression.
 */
// clang-format off
static const struct {
    const char *pattern, *words;
} forms[] = {
    { "^[A-Za-z_][A-Za-z0-9_-]{0,62}$", "begin with a letter or an underscore and have only letters, digits, underscores and hyphens, 63 at most" },
    { "^[A-Za-z_][A-Za-z0-9_]{0,62}$", "begin with a letter or an underscore and have only letters, digits and underscores, 63 at most" },
    { "^[A-Za-z_][A-Za-z0-9_]{0,62}([.][A-Za-z_][A-Za-z0-9_]{0,62})?$", "be the name of a table such as orders, or with its schema such as sales.orders; names have letters, digits and underscores, and do not begin with a digit" },
    { "^([A-Za-z_][A-Za-z0-9_]{0,62}([.][A-Za-z_][A-Za-z0-9_]{0,62})?)?$", "be empty for all tables, or the name of one such as orders or sales.orders; names have letters, digits and underscores, and do not begin with a digit" },
    { "^[a-zA-Z0-9][a-zA-Z0-9-]*$", "begin with a letter or a digit and have only letters, digits and hyphens" },
    { "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?:[0-9]{1,5}$", "be a host and a port such as db.example.org:5432" },
    { "^[A-Z][A-Z0-9_]*$", "begin with a capital letter and have only capital letters, digits and underscores" },
    { "^[A-Z][A-Z0-9_]{0,31}$", "begin with a capital letter and have only capital letters, digits and underscores, 32 at most" },
    { "^[A-Z0-9][A-Z0-9_-]{0,62}$", "begin with a capital letter or a digit and have only capital letters, digits, underscores and hyphens, 63 at most" },
    { "^[a-z][a-z0-9_-]{0,62}$", "begin with a small letter and have only small letters, digits, underscores and hyphens, 63 at most" },
    { "^[0-9]{1,3}[.][0-9]{1,3}$", "be a version with its minor number such as 17.6" },
    { "^[a-z0-9][a-z0-9-]{0,62}$", "begin with a small letter or a digit and have only small letters, digits and hyphens, 63 at most" },
    { "^[a-zA-Z0-9][a-zA-Z0-9_.-]*$", "begin with a letter or a digit and have only letters, digits, underscores, dots and hyphens" },
    { "^[A-Za-z0-9][A-Za-z0-9_.-]*$", "begin with a letter or a digit and have only letters, digits, underscores, dots and hyphens" },
    { "^[^\\s@,;<>\"]{1,64}@[^\\s@,;<>\"]{1,189}$", "be a mail address such as jo@example.org" },
    { "^[A-Za-z0-9._%+'/=~-]{1,64}@(?:[A-Za-z0-9.-]{1,189})$", "be a mail address such as jo@example.org" },
    { "^P(?=[0-9T])([0-9]{1,4}D)?(T(?=[0-9])([0-9]{1,5}H)?([0-9]{1,6}M)?)?$", "be a length of time in days, hours and minutes such as P1DT12H or PT30M" },
    { "^[\\p{L}\\p{N}\\-_.,' ]*$", "have only letters, digits, spaces and the signs - _ . , '" },
    { "^(?! )[\\p{L}\\p{N}\\-_.(),:&@+' ]{1,64}(?<! )$", "be 1 to 64 characters long, have only letters, digits, spaces and the signs - _ . ( ) , : & @ + ', and neither begin nor end with a space" },
    { "^(?! )[\\p{L}\\p{M}\\p{N}\\-_.,' ]{1,80}$", "be 1 to 80 characters long, have only letters, digits, spaces and the signs - _ . , ', and not begin with a space" },
    { "^(?! )[^\\x00-\\x1f]{1,80}$", "be 1 to 80 characters long, on one line, and not begin with a space" },
    { "^[1-9][0-9]*$", "be a whole number in quotes such as \"17\", without a dot and without a zero in front" },
    { "^[A-Za-z0-9]([A-Za-z0-9-]{0,62}\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$", "be a domain such as example.org" },
    { "^[\\p{L}\\p{N} _.,=@+:#$/?*&|!~(){;'}-]+$", "have only letters, digits, spaces and the signs _ . , = @ + : # $ / ? * & | ! ~ ( ) { } ; ' -" },
    { "^[^.\\s]{1,63}\\.\\S{1,127}$", "be a database and a table with a dot between them such as shop.orders" },
    { "^[0-9A-F]{16,64}$", "be 16 to 64 hexadecimal digits with capital letters, as the list of query shapes has it" },
    { "^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$", "be the name or the address of a host such as db.example.org" },
    { "^[A-Za-z0-9:]([A-Za-z0-9.:-]*[A-Za-z0-9:])?$", "be the name or the address of a host such as ldap.example.org" },
    { "^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$", "be the name of a host such as db.example.org" },
    { "^[A-Za-z0-9.*-]+$", "be the name of a host such as host-1.example.org; a * stands for any part" },
    { "^[\\s\\S]{3,255}$", "be 3 to 255 characters long: a database and a table such as shop.orders" },
    { BUCKET_NAME_PATTERN, "have only small letters, digits, dots and hyphens; what is between dots begins and ends with a letter or a digit" },
    { "^[a-z0-9][a-z0-9.-]*$", "begin with a small letter or a digit and have only small letters, digits, dots and hyphens" },
    { "^https://[A-Za-z0-9.:\\[\\]-]+$", "be https:// and a host, with a port if it is not 443, such as https://s3.example.org:9000; without a path" },
    { "^https://[!-~]+$", "be an address that begins with https://, without spaces" },
    { "^https://[^ ]+$", "be an address that begins with https://, without spaces" },
    { "^https?://[^ ]+$", "be an address that begins with https:// or http://, without spaces" },
    { "^(https://|\\*\\*\\*\\*)[!-~]+$", "be an address that begins with https://, without spaces" },
    { "^[a-z0-9-]+$", "have only small letters, digits and hyphens" },
    { "^[A-Za-z0-9._/+=@-]+$", "have only letters, digits and the signs . _ / + = @ -" },
    { "^[A-Za-z0-9._@+-]+$", "have only letters, digits and the signs . _ @ + -" },
    { "^[A-Za-z0-9_.:/@-]+$", "have only letters, digits and the signs _ . : / @ -" },
    { "^[A-Za-z0-9_.:/@-]{1,255}$", "have 1 to 255 letters, digits and the signs _ . : / @ -" },
    { "^[A-Za-z0-9._~-]*$", "have only letters, digits and the signs . _ ~ -" },
    { "^[*A-Za-z0-9._~-]+$", "have only letters, digits and the signs . _ ~ -" },
    { "^[A-Za-z0-9_-]+$", "have only letters, digits, underscores and hyphens" },
    { "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "be the name of an HTTP header such as Authorization" },
    { "^[!-~]+$", "have only letters and signs of ASCII, without spaces" },
    { "^[ -~]+$", "have only letters, signs and spaces of ASCII" },
    { "^[A-Za-z0-9_][A-Za-z0-9 _.,=@+:#$/-]*(?<! )$", "begin with a letter, a digit or an underscore, have only these, spaces and the signs . , = @ + : # $ / -, and not end with a space" },
    { "[0-9]{4}-[0-9]{2}-[0-9]{2}", "be a day such as 2025-03-31" },
    { "^[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}$", "be a place in the WAL such as 0/5000148" },
    { "^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$", "begin with a letter or a digit and have only letters, digits, spaces, underscores, dots and hyphens, 64 at most" },
    { "^[1-9][0-9]{0,17}-[0-9]{1,9}$", "be a position that an answer before this one had" },
    { "^[A-Z]{2}(-[A-Z0-9]{1,3})?$", "be a country such as DE, or a part of one such as US-CA" },
    { "^[A-Z]{2}$", "be a country by its two capital letters such as DE" },
    { "[0-9a-f]{64}", "be the token that the answer to the request had, 64 hexadecimal digits" },
    { "^[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~.@\\-]{1,254}$", "be the name of a user such as jo@example.org, 254 characters at most" },
    { "^(ACTIVE|DRAINING)$", "be ACTIVE or DRAINING" },
    { "^(S[0-9]{2,3}|all)$", "be a set of endpoints such as S17, or all" },
    { "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", "be a UUID such as 0b5f9c1e-6a52-4d0c-9c57-3d1e8a7f2b64" },
    { BUCKET_FOLDERS_PATTERN, "be empty or folders such as shop/logs/, each with a slash behind it; their names have only letters, digits, dots, underscores and hyphens, and do not begin with a dot" },
    { "^/([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*)?$", "be a path that begins with a slash and does not end with one; its parts have only letters, digits, dots, underscores and hyphens" },
    { "^[a-fA-F0-9]{24}$", "be 24 hexadecimal digits" },
    { "^[^ ,]+:[0-9]+(,[^ ,]+:[0-9]+)*$", "be hosts and ports with commas between them, without spaces, such as a.example.org:9092,b.example.org:9092" },
};
// clang-format on

const char *
pattern_words(const char *pattern)
{
    for (size_t i = 0; i < LENGTH(forms); i++) {
        if (strcmp(forms[i].pattern, pattern) == 0)
            return forms[i].words;
    }
    return NULL;
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
        if (f->pattern != NULL && pattern_words(f->pattern) == NULL) {
            fprintf(problems, "%s: field %s: pattern %s: no words for people (pattern.c)\n", operation, f->name,
                    f->pattern);
            fine = false;
        }
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
