/* SPDX-License-Identifier: Apache-2.0 */
#include "base/failpoint.h"

#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

enum { SLEEP_MAX_MS = 600 * 1000 };

struct place {
    char name[FAILPOINT_NAME_MAX + 1];
    enum { DIE, STOP, SLEEP } action;
    int64_t sleep_ms;
    int64_t only; /* the time that counts; 0: each */
    atomic_llong reached;
};

atomic_bool failpoint_is_armed;
/* Written before anybody else runs, then only read. */
static struct place places[FAILPOINT_MAX];
static size_t count;

static bool
read_action(str text, struct place *place)
{
    ptrdiff_t at = str_find(text, '@');
    if (at >= 0 && !str_to_int(str_slice(text, (size_t)at + 1, text.len), 1, INT32_MAX, &place->only))
        return false;
    str action = at < 0 ? text : str_slice(text, 0, (size_t)at);
    if (str_is(action, "kill"))
        place->action = DIE;
    else if (str_is(action, "stop"))
        place->action = STOP;
    else if (str_starts_with(action, STR("sleep:"))) {
        place->action = SLEEP;
        return str_to_int(str_slice(action, 6, action.len), 1, SLEEP_MAX_MS, &place->sleep_ms);
    } else
        return false;
    return true;
}

bool
failpoint_init(const char *text, FILE *problems)
{
    str rest = str_from(text);
    count = 0;
    while (rest.len > 0) {
        str one = str_cut(&rest, ','), name = str_cut(&one, '=');
        struct place *place = &places[count];
        if (count == FAILPOINT_MAX || name.len == 0 || name.len > FAILPOINT_NAME_MAX || !read_action(one, place)) {
            fprintf(problems,
                    FAILPOINT_VARIABLE ": '%.*s=%.*s' is none of NAME=kill, NAME=stop, NAME=sleep:MS, NAME=kill@2\n",
                    STR_ARG(name), STR_ARG(one));
            return false;
        }
        memcpy(place->name, name.data, name.len);
        log_line(LOG_WARNING, "failpoint_set", "This process will come to harm at %s: " FAILPOINT_VARIABLE " is set.",
                 place->name);
        count++;
    }
    atomic_store(&failpoint_is_armed, count > 0);
    return true;
}

static void
act(const struct place *place)
{
    switch (place->action) {
    case DIE:
        (void)kill(getpid(), SIGKILL);
        for (;;)
            pause(); /* other threads may still run for a moment; this one does not go on */
    case STOP: (void)raise(SIGSTOP); break;
    case SLEEP: clock_sleep_ms(place->sleep_ms); break;
    }
}

void
failpoint_reach(const char *format, ...)
{
    char name[FAILPOINT_NAME_MAX + 1];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof(name))
        return;
    for (size_t i = 0; i < count; i++) {
        struct place *place = &places[i];
        if (strcmp(place->name, name) != 0)
            continue;
        long long time = atomic_fetch_add(&place->reached, 1) + 1;
        if (place->only == 0 || place->only == time)
            act(place);
    }
}
