/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/restore_log.h"

#include "base/date.h"
#include "wire/lsn.h"

/* The first that fits. */
static const struct {
    const char *said, *sentence;
    enum restore_hope hope;
} sentences[] = {
    { "No space left on device",
      "The disk is too small for what is restored. Give the cluster a larger disk, and restore again.", HOPE_NONE },
    { RESTORE_LACKS_WAL,
      "The write-ahead log is damaged: recovery ended before what was received last. Choose an earlier moment.",
      HOPE_NONE },
    { "recovery ended before configured recovery target",
      "The moment cannot be reached: what was received ends before it. Choose an earlier one.", HOPE_NONE },
    { "does not match expected", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "checksum", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "orruption", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "unable to flush", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "decrypt", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "unexpected eof", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "unexpected EOF", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "[029]", "The backup is damaged. Restore from another snapshot.", HOPE_NONE },
    { "backup set", "The snapshot is not in the repository any more. Choose another one.", HOPE_NONE },
    { "could not locate required checkpoint record",
      "The backup lacks WAL from its own time. Restore from another snapshot.", HOPE_NONE },
    { "is not a child of this server's history",
      "That moment is on another course of events than the backup. Choose a later snapshot.", HOPE_NONE },
    { "unable to connect", "The repository host does not answer. It is tried again.", HOPE_LATER },
    { "TLS", "The repository host refuses the connection. It is tried again.", HOPE_LATER },
    { "timeout", "The repository host does not answer in time. It is tried again.", HOPE_LATER },
};

str
restore_explain(struct arena *arena, str said, enum restore_hope *ret_hope)
{
    for (size_t i = 0; i < LENGTH(sentences); i++) {
        if (said.len > 0 && memmem(said.data, said.len, sentences[i].said, strlen(sentences[i].said)) != NULL) {
            *ret_hope = sentences[i].hope;
            return str_from(sentences[i].sentence);
        }
    }
    *ret_hope = HOPE_UNKNOWN;
    return str_format(arena, "The backup could not be restored: %.*s", STR_ARG(said));
}

/* What stands behind the mark in a line, up to a space or the end; the last such line counts. */
static str
last_behind(str log, const char *mark, size_t words)
{
    str found = STR_EMPTY;
    while (log.len > 0) {
        str line = str_cut(&log, '\n');
        const char *place = line.len == 0 ? NULL : memmem(line.data, line.len, mark, strlen(mark));
        if (place == NULL)
            continue;
        str rest = str_slice(line, (size_t)(place - line.data) + strlen(mark), line.len);
        size_t end = 0;
        for (size_t left = words; end < rest.len; end++) {
            if (rest.data[end] == ' ' && --left == 0)
                break;
        }
        found = str_slice(rest, 0, end);
    }
    return found;
}

/* "2026-11-16 23:05:34.123456+00" is 2026-11-16T23:05:34.123Z: what is left off is not rounded up. */
static str
moment(struct arena *arena, str text)
{
    enum { SECONDS = 19, MILLISECONDS = 23 };
    int64_t ms;
    if (text.len < SECONDS)
        return STR_EMPTY;
    bool has_more = text.len > MILLISECONDS && text.data[SECONDS] == '.';
    str iso = str_format(arena, "%.10sT%.*sZ", text.data, has_more ? 12 : 8, text.data + 11);
    return date_parse(iso, &ms) ? date_text(arena, ms) : STR_EMPTY;
}

void
restore_reached(struct arena *arena, str log, str *ret_lsn, str *ret_at)
{
    str lsn = last_behind(log, "redo done at ", 1);
    *ret_lsn = lsn_is_valid(lsn) ? str_dup(arena, lsn) : STR_EMPTY;
    *ret_at = moment(arena, last_behind(log, "last completed transaction was at log time ", 2));
}

str
restore_fatal(struct arena *arena, str log)
{
    str fatal = last_behind(log, "FATAL:  ", SIZE_MAX), panic = last_behind(log, "PANIC:  ", SIZE_MAX);
    return str_dup(arena, panic.len > 0 ? panic : fatal);
}
