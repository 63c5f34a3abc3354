/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An error is a value, made once, where the facts are known. It carries the code and the parameters; the detail
 * comes from the table (base/error_table.h). OK is NULL.
 *
 *     TRY(store_project_find(tx, id, &project));
 *     if (project.cluster_count > 0)
 *         return fail(req->arena, PROJECT_NOT_EMPTY, V(project.name), V(project.cluster_count));
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/error_table.h"
#include "base/str.h"

#define ERROR_ENUM(code, status, detail, remedy) code,
enum error_code { ERROR_TABLE(ERROR_ENUM) ERROR_CODE_COUNT };
#undef ERROR_ENUM

struct error_row {
    const char *name;
    unsigned status;
    const char *detail;
    const char *remedy;
};
extern const struct error_row error_rows[ERROR_CODE_COUNT];

/* A parameter of an error: text or a number. */
struct value {
    enum { VALUE_NONE, VALUE_TEXT, VALUE_NUMBER } kind;
    str text;
    int64_t number;
};
static inline struct value
value_str(str s)
{
    return (struct value){ .kind = VALUE_TEXT, .text = s };
}
static inline struct value
value_text(const char *s)
{
    return (struct value){ .kind = VALUE_TEXT, .text = str_from(s) };
}
static inline struct value
value_int(int64_t n)
{
    return (struct value){ .kind = VALUE_NUMBER, .number = n };
}
#define V(x) _Generic((x), str : value_str, const char * : value_text, char * : value_text, default : value_int)(x)

enum { ERROR_MAX_PARAMETERS = 6 };

/* One more field of a body that is wrong, and what to change: "must be at least 1". */
struct wrong_field {
    str field;
    str what;
};
enum { ERROR_MAX_WRONG_FIELDS = 20 };

struct failure {
    enum error_code code;
    unsigned parameter_count;
    struct value parameters[ERROR_MAX_PARAMETERS];
    str detail;
    const struct wrong_field *others; /* each is two texts behind the parameters, and a sentence behind the detail's */
    unsigned other_count;
    int retry_after_s; /* 0: no Retry-After */
    bool stale_nonce;  /* the same client can retry with a new nonce */
};

typedef const struct failure *error;
#define OK ((error)NULL)

#define TRY(expression)                 \
    do {                                \
        error try_error = (expression); \
        if (try_error != OK)            \
            return try_error;           \
    } while (0)

/* When the arena is full the result is OVERLOADED. The values are copied; texts that are not UTF-8 or very long
 * are made presentable. */
MUST_USE NEVER_NULL error failure_new(struct arena *arena, enum error_code code, size_t count,
                                      const struct value *values);
/* The first element only keeps the array from being empty. */
#define fail(arena, code, ...)                                                                                \
    failure_new((arena), (code), sizeof((struct value[]){ { 0 }, ##__VA_ARGS__ }) / sizeof(struct value) - 1, \
                (struct value[]){ { 0 }, ##__VA_ARGS__ } + 1)

/* The same error with a Retry-After header. */
MUST_USE NEVER_NULL error error_retry_after(struct arena *arena, error e, int seconds);

/* What to change about a field of a body, behind its name: "is missing; add it". NULL for codes that say it otherwise. */
const char *error_field_words(enum error_code code);

/* The same error, which also names the other fields that are wrong; made presentable as parameters are. */
MUST_USE NEVER_NULL error error_with_others(struct arena *arena, error e, size_t count,
                                            const struct wrong_field *others);

/*
 * Not an error of the client's: a stage that may not block found that it would have to. The request then goes on in a
 * thread, which may.
 */
extern const struct failure would_block;
#define WOULD_BLOCK (&would_block)

/* The standard text of a status ("Not Found"). */
const char *error_reason(unsigned status);

/* The error document, with exactly the five fields. */
str error_document(struct arena *arena, error e);
/* The same object with `"status":` and `"content":` around it is made by the renderer, not here. */

#endif
