/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/problem.h"

static error
make(struct arena *arena, enum error_code code, const char *format, va_list args)
{
    struct failure *failure = ARENA_NEW(arena, struct failure);
    if (failure == NULL)
        return fail(arena, OVERLOADED);
    *failure = (struct failure){ .code = code, .detail = str_vformat(arena, format, args) };
    return failure;
}

error
problem(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error why = make(arena, INTERNAL_ERROR, format, args);
    va_end(args);
    return why;
}

error
problem_of_moment(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error why = make(arena, OVERLOADED, format, args);
    va_end(args);
    return why;
}

bool
problem_is_of_moment(error why)
{
    return why != OK && why->code == OVERLOADED;
}
