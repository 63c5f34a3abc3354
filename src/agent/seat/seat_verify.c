/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_verify.h"

#include "agent/seat/seat_files.h"
#include "agent/seat/seat_store.h"
#include "agent/seat/turns.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/receive_config.h"

#define VERIFY_FILE "verify.json" /* {"begunMs", "endedMs", "isOut": the unit was started} */

enum { MEMORY_MB = 512, SAID_BYTES = 64 * 1024 * 1024, AT_A_TIME = 1 };

#define EVERY_MS ((int64_t)24 * 3600 * 1000)
#define AGAIN_MS ((int64_t)3600 * 1000) /* when it was ended before it was done */

str
seat_verify_unit(struct arena *arena, id seat)
{
    return str_format(arena, "reeve-verify-%s.service", id_text(arena, seat).data);
}

static struct turns turns = TURNS_NONE;

/* ---- Memory ---- */
/* Seats that were made at one time do not have their turns at one time. */
static int64_t
spread_ms(id seat)
{
    uint32_t number = 0;
    for (size_t i = 0; i < sizeof(seat.bytes); i++)
        number = number * 31 + seat.bytes[i];
    return (int64_t)(number % (uint32_t)(EVERY_MS / 1000)) * 1000;
}

static error
remember(struct seat_pass *pass, json_t *memory, bool is_out, const char *moment, int64_t ms)
{
    json_object_set_new(memory, "isOut", json_boolean(is_out));
    json_object_set_new(memory, moment, json_integer(ms));
    return seat_own_write(pass, VERIFY_FILE, memory);
}

static error
read_memory(struct seat_pass *pass, json_t **ret_memory)
{
    *ret_memory = seat_own_read(pass, VERIFY_FILE, json_pack("{s:b}", "isOut", 0));
    if (*ret_memory == NULL)
        return problem(pass->arena, "%s/" VERIFY_FILE " cannot be understood.", pass->folder.data);
    if (json_object_get(*ret_memory, "begunMs") != NULL)
        return OK;
    return remember(pass, *ret_memory, false, "begunMs", clock_now_ms() - spread_ms(pass->seat->id));
}

/* ---- The unit ---- */
static error
start(struct seat_pass *pass, json_t *memory)
{
    struct arena *arena = pass->arena;
    str unit = seat_verify_unit(arena, pass->seat->id), state;
    bool ignored = false;
    const struct unit_beside wish = {
        .description = str_format(arena, "reader of the backups of %s", pass->seat->stanza.data),
        .user = pass->user,
        .folder = pass->folder,
        .command = str_format(arena, "%s verify --folder %s", pass->host->agent.data, pass->folder.data),
        .memory_mb = MEMORY_MB,
        .more = str_format(arena, "Nice=19\nCPUSchedulingPolicy=idle\nIOSchedulingClass=idle\n%s",
                           seat_store_lines(arena, pass->seat, pass->folder).data),
    };
    TRY(unit_keep(pass->host->units, arena, unit.data, unit_text_beside(arena, &wish), false, &ignored));
    TRY(remember(pass, memory, true, "begunMs", clock_now_ms()));
    failpoint("agent:verify:start:before");
    return unit_keep_up(pass->host->units, arena, unit.data, &state);
}

/* Whether it has said anything since it was started: it may have been killed, or the host was. */
static bool
has_said(struct seat_pass *pass, int64_t since_ms)
{
    str text;
    json_t *said = NULL;
    return disk_below_read(pass->arena, pass->folder.data, SEAT_VERIFIED_FILE, SAID_BYTES, pass->owner.user, &text) &&
           json_parse_within(pass->arena, text, SAID_BYTES, &said) == OK && json_int_at(said, "atMs") >= since_ms;
}

static error
note_end(struct seat_pass *pass, json_t *memory)
{
    int64_t now = clock_now_ms();
    turn_give_back(&turns, pass->seat->id);
    if (has_said(pass, json_int_at(memory, "begunMs")))
        return remember(pass, memory, false, "endedMs", now);
    return remember(pass, memory, false, "begunMs", now - EVERY_MS + AGAIN_MS);
}

static bool
is_due(const json_t *memory)
{
    int64_t begun = json_int_at(memory, "begunMs"), now = clock_now_ms();
    return now - begun >= EVERY_MS || begun > now; /* the clock was set back */
}

static error
is_running(struct seat_pass *pass, bool *ret_runs)
{
    str state;
    TRY(units_state(pass->host->units, pass->arena, seat_verify_unit(pass->arena, pass->seat->id).data, &state));
    *ret_runs = unit_is_up(state) || str_is(state, "deactivating");
    return OK;
}

error
seat_verify_go_on(struct seat_pass *pass, struct seat_view *view)
{
    json_t *memory;
    bool runs = false;
    TRY(read_memory(pass, &memory));
    bool is_out = json_is_true(json_object_get(memory, "isOut"));
    if (is_out)
        TRY(is_running(pass, &runs));
    if (runs)
        (void)turn_take(&turns, AT_A_TIME,
                        pass->seat->id); /* it may have been started by an earlier life of the agent */
    else if (is_out)
        TRY(note_end(pass, memory));
    else if (is_due(memory) && json_array_size(seat_view_backups(view)) > 0 &&
             turn_take(&turns, AT_A_TIME, pass->seat->id))
        TRY(start(pass, memory));
    int64_t ended = json_int_at(memory, "endedMs");
    view->is_stale = ended > json_int_at(view->kept, "atMs") && ended <= clock_now_ms();
    return OK;
}

error
seat_verify_end(struct seat_pass *pass)
{
    turn_give_back(&turns, pass->seat->id);
    return unit_drop(pass->host->units, pass->arena, seat_verify_unit(pass->arena, pass->seat->id).data);
}
