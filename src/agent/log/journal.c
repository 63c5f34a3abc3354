/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-journal.h>

enum { LONGEST_LINE_BYTES = 64 * 1024, US_PER_MS = 1000, UNIT_BYTES = 256, PROGRAM_BYTES = 64 };

struct journal {
    sd_journal *handle;
    char *passed;                                  /* the cursor whose line was taken already; NULL: look no further */
    char unit[UNIT_BYTES], program[PROGRAM_BYTES]; /* of the entry that was read last */
};

struct journal *
journal_open(void)
{
    struct journal *journal = calloc(1, sizeof(*journal));
    if (journal == NULL)
        return NULL;
    /* Not the system's part only: what runs as one of members' users is kept in a file a user. */
    if (sd_journal_open(&journal->handle, SD_JOURNAL_LOCAL_ONLY) < 0 ||
        sd_journal_set_data_threshold(journal->handle, LONGEST_LINE_BYTES) < 0) {
        journal_close(journal);
        return NULL;
    }
    return journal;
}

void
journal_close(struct journal *journal)
{
    if (journal == NULL)
        return;
    sd_journal_close(journal->handle);
    free(journal->passed);
    free(journal);
}

bool
journal_choose(struct journal *journal, const str *units, size_t count)
{
    char match[256];
    sd_journal_flush_matches(journal->handle);
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(match, sizeof(match), "_SYSTEMD_UNIT=%.*s", STR_ARG(units[i]));
        if (length <= 0 || (size_t)length >= sizeof(match) ||
            sd_journal_add_match(journal->handle, match, (size_t)length) < 0)
            return false;
    }
    return true;
}

bool
journal_go_to(struct journal *journal, const struct log_place *place)
{
    free(journal->passed);
    journal->passed = NULL;
    if (place->cursor.len == 0)
        return sd_journal_seek_realtime_usec(journal->handle, (uint64_t)place->since_us) >= 0;
    journal->passed = strndup(place->cursor.data, place->cursor.len);
    if (journal->passed == NULL)
        return false;
    /* One that cannot be understood, or is of another journal: from when the target was made on. */
    if (sd_journal_seek_cursor(journal->handle, journal->passed) >= 0)
        return true;
    return sd_journal_seek_realtime_usec(journal->handle, (uint64_t)place->since_us) >= 0;
}

bool
journal_go_to_moment(struct journal *journal, int64_t time_us)
{
    free(journal->passed);
    journal->passed = NULL;
    return sd_journal_seek_realtime_usec(journal->handle, (uint64_t)time_us) >= 0;
}

/* ---- Reading ---- */
static str
field(struct journal *journal, const char *name)
{
    const void *data;
    size_t length, skip = strlen(name) + 1; /* "NAME=" */
    if (sd_journal_get_data(journal->handle, name, &data, &length) < 0 || length < skip)
        return STR_EMPTY;
    return (str){ (const char *)data + skip, length - skip };
}

/* The next question may take the memory away. What does not fit is not ours: it stays empty. */
static str
short_field(struct journal *journal, const char *name, char *room, size_t room_bytes)
{
    str found = field(journal, name);
    if (found.len >= room_bytes)
        return STR_EMPTY;
    memcpy(room, found.data, found.len);
    room[found.len] = '\0';
    return (str){ room, found.len };
}

static int
read_entry(struct journal *journal, struct journal_entry *ret_entry)
{
    uint64_t time_us;
    int64_t pid = 0;
    if (sd_journal_get_realtime_usec(journal->handle, &time_us) < 0)
        return -1;
    if (!str_to_int(field(journal, "_PID"), 0, INT32_MAX, &pid))
        pid = 0;
    *ret_entry = (struct journal_entry){
        .unit = short_field(journal, "_SYSTEMD_UNIT", journal->unit, UNIT_BYTES),
        .program = short_field(journal, "_COMM", journal->program, PROGRAM_BYTES),
        .pid = pid,
        .time_us = (int64_t)time_us,
    };
    ret_entry->text = field(journal, "MESSAGE"); /* last: it may be long, and nothing copies it */
    return 1;
}

int
journal_next(struct journal *journal, struct journal_entry *ret_entry)
{
    int found = sd_journal_next(journal->handle);
    if (found > 0 && journal->passed != NULL && sd_journal_test_cursor(journal->handle, journal->passed) > 0)
        found = sd_journal_next(journal->handle);
    if (found <= 0)
        return found < 0 ? -1 : 0;
    free(journal->passed);
    journal->passed = NULL;
    return read_entry(journal, ret_entry);
}

int
journal_previous(struct journal *journal, struct journal_entry *ret_entry)
{
    int found = sd_journal_previous(journal->handle);
    return found <= 0 ? (found < 0 ? -1 : 0) : read_entry(journal, ret_entry);
}

str
journal_cursor(struct journal *journal, struct arena *arena)
{
    char *cursor = NULL;
    if (sd_journal_get_cursor(journal->handle, &cursor) < 0)
        return STR_EMPTY;
    str copy = str_dup(arena, str_from(cursor));
    free(cursor);
    return copy;
}

void
journal_wait(struct journal *journal, int64_t ms)
{
    sd_journal_wait(journal->handle, (uint64_t)ms * US_PER_MS);
}
