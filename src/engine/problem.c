/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/problem.h"

error
problem(struct arena *arena, const char *format, ...)
{
    va_list args;
    struct failure *failure = ARENA_NEW(arena, struct failure);
    if (failure == NULL)
        return fail(arena, OVERLOADED);
    va_start(args, format);
    *failure = (struct failure){ .code = INTERNAL_ERROR, .detail = str_vformat(arena, format, args) };
    va_end(args);
    return failure;
}
