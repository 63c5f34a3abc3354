/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/logins.h"

#include <stdio.h>
#include <stdlib.h>

/* Lines of one write of a server follow each other in the journal within this time. */
enum { SAME_WRITE_US = 500, LONG_PAUSE_US = 1000000 };

/* One process of a server. Lines come newest first, so what is found replaces what was found before. */
struct attempt {
    int64_t pid;
    int64_t in_us;      /* "connection authorized"; 0: none */
    int64_t refused_us; /* FATAL; 0: none */
    int64_t write_us;   /* the first line of the write that has it */
    int64_t doubt_us;   /* the same when names may be long and the journal may pause; 0: there is no doubt */
    int64_t seen_us;    /* when its last line was written */
    struct login first; /* the line that is the nearest to the beginning: user, database, text */
    struct login in;    /* the line that says "connection authorized" */
    char reason[LOGIN_NAME_BYTES];
    int64_t
        began_us; /* "connection received", unless something of the process stands just before it; 0: not seen yet */
    char address[LOGIN_ADDRESS_BYTES];
};

enum { PLACES = 8, BUCKETS = LOGIN_PROCESSES / PLACES };

struct logins {
    void (*found)(void *context, const struct login *login);
    void *context;
    struct attempt attempts[BUCKETS][PLACES];
    struct {
        int64_t pid, began_us;
    } begun[LOGIN_PROCESSES]; /* a ring of attempts whose beginning was seen, and is not sure yet */
    size_t first, count;
};

struct logins *
logins_new(void (*found)(void *context, const struct login *login), void *context)
{
    struct logins *logins = calloc(1, sizeof(*logins));
    if (logins != NULL) {
        logins->found = found;
        logins->context = context;
    }
    return logins;
}

void
logins_free(struct logins *logins)
{
    free(logins);
}

/* ---- Texts ---- */
static void
copy(char *room, size_t room_bytes, str text)
{
    size_t count = text.len < room_bytes - 1 ? text.len : room_bytes - 1;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text.data[i];
        room[i] = c >= ' ' && c < 0x7F ? (char)c : '?';
    }
    room[count] = '\0';
}

static bool
skip(str *rest, str text)
{
    if (!str_starts_with(*rest, text))
        return false;
    *rest = str_slice(*rest, text.len, rest->len);
    return true;
}

/* What stands before `end`; false when that is not there. */
static bool
take_until(str *rest, str end, str *ret_before)
{
    const char *at = memmem(rest->data, rest->len, end.data, end.len);
    if (at == NULL)
        return false;
    *ret_before = (str){ rest->data, (size_t)(at - rest->data) };
    *rest = str_slice(*rest, ret_before->len + end.len, rest->len);
    return true;
}

static size_t
occurrences(str text, str part)
{
    size_t count = 0;
    str ignored;
    while (take_until(&text, part, &ignored))
        count++;
    return count;
}

/* ---- The head of a line: log_line_prefix of engine/postgres/config.c ---- */
/* Only sessions that have not begun have no name of an application. */
#define UNNAMED "\" application=\"[unknown]\" "

/* "2026-01-02 03:04:05.678 UTC [9] client=203.0.113.7 user=\"": all of it is the server's own. */
static bool
read_head(str *rest, int64_t pid, str *ret_address)
{
    static const char form[] = "0000-00-00 00:00:00.000 ";
    str zone, number;
    int64_t said;
    if (rest->len < sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < sizeof(form) - 1; i++) {
        bool is_digit = rest->data[i] >= '0' && rest->data[i] <= '9';
        if (form[i] == '0' ? !is_digit : rest->data[i] != form[i])
            return false;
    }
    *rest = str_slice(*rest, sizeof(form) - 1, rest->len);
    return take_until(rest, STR(" ["), &zone) && str_find(zone, ' ') < 0 &&
           take_until(rest, STR("] client="), &number) && str_to_int(number, 1, INT32_MAX, &said) && said == pid &&
           take_until(rest, STR(" user=\""), ret_address) && str_find(*ret_address, ' ') < 0;
}

/* Before the server has read anything that the client sent. */
static bool
is_beginning(str rest, str address)
{
    str host;
    int64_t port;
    return skip(&rest, STR("[unknown]\" database=\"[unknown]" UNNAMED "LOG:  connection received: host=")) &&
           take_until(&rest, STR(" port="), &host) && str_eq(host, address) && str_to_int(rest, 0, 65535, &port);
}

/* The text behind it is the server's own, and has the same names as the head: nothing else is taken for a success. */
static bool
is_authorized(str rest)
{
    str user, database;
    if (occurrences(rest, STR(UNNAMED)) != 1 || !take_until(&rest, STR("\" database=\""), &user) ||
        !take_until(&rest, STR(UNNAMED "LOG:  "), &database))
        return false;
    if (skip(&rest, STR("replication connection authorized: user=")))
        return skip(&rest, user) && (rest.len == 0 || rest.data[0] == ' ');
    return skip(&rest, STR("connection authorized: user=")) && skip(&rest, user) && skip(&rest, STR(" database=")) &&
           skip(&rest, database) && (rest.len == 0 || rest.data[0] == ' ');
}

/* ---- Why not ---- */
/*
 * The only refusal before the server cuts names to 63 bytes, which are too few for a success. What looks like a success before it is not believed, even when the journal
 * paused in between; a session could write it as well, so it is told that there is a doubt.
 */
#define LONG_NAMES "invalid value for parameter \"replication\""
#define DOUBT      "its lines contradict each other; the log of the server has them"

/* How the server says it, and how it is told. Names that the client sent follow, and are left out. */
static const struct {
    const char *begins, *reason;
} reasons[] = {
    { "password authentication failed", "password authentication failed" },
    { "no pg_hba.conf entry", "the address, the user or the database is not allowed" },
    { "pg_hba.conf rejects connection", "the address, the user or the database is not allowed" },
    { "certificate authentication failed", "certificate authentication failed" },
    { "LDAP authentication failed", "LDAP authentication failed" },
    { "connection requires a valid client certificate", "a client certificate is required" },
    { "role \"", "there is no such user, or it may not log in" },
    { "database \"", "there is no such database, or it takes no connections" },
    { "permission denied for database", "the user may not connect to the database" },
    { "too many connections", "too many connections" },
    { "sorry, too many clients already", "too many connections" },
    { "remaining connection slots are reserved", "too many connections" },
    { "the database system is", "the server was starting or stopping" },
    { "canceling authentication due to timeout", "the client took too long" },
    { "unsupported frontend protocol", "the client speaks another protocol" },
    { LONG_NAMES, "the client asks for replication in a wrong way" },
};

/* Behind any of them that is in the line: the client can write one as well, but not take the server's away. */
static bool
find_refusal(str text, char *ret_reason, size_t reason_bytes)
{
    str ignored;
    bool is_found = false;
    while (take_until(&text, STR(UNNAMED "FATAL:  "), &ignored)) {
        if (!is_found)
            snprintf(ret_reason, reason_bytes, "refused by the server");
        is_found = true;
        for (size_t i = 0; i < LENGTH(reasons); i++) {
            if (str_starts_with(text, str_from(reasons[i].begins)))
                snprintf(ret_reason, reason_bytes, "%s", reasons[i].reason);
        }
    }
    return is_found;
}

/* ---- One process ---- */
/* The names as far as they can be told: what is not ended by the server's own text may have an end of the client's. */
static void
note_line(struct login *login, str names, str text)
{
    str user = names, database = STR_EMPTY;
    if (take_until(&names, STR("\" database=\""), &user) && !take_until(&names, STR(UNNAMED), &database))
        database = names;
    copy(login->user, sizeof(login->user), user);
    copy(login->database, sizeof(login->database), database);
    copy(login->line, sizeof(login->line), text);
}

/* Whoever is let in leaves no refusal in the same write. */
static void
tell(struct logins *logins, struct attempt *attempt)
{
    bool is_doubtful =
        attempt->doubt_us > 0 && attempt->in_us >= attempt->doubt_us && attempt->in_us < attempt->write_us;
    bool is_refused_at_once = attempt->refused_us > 0 && (is_doubtful || attempt->in_us >= attempt->write_us);
    bool is_in = attempt->in_us > 0 && !is_refused_at_once;
    struct login login = is_in ? attempt->in : attempt->first;
    login.is_in = is_in;
    login.time_us = is_in ? attempt->in_us : attempt->refused_us;
    memcpy(login.address, attempt->address, sizeof(login.address));
    if (!is_in)
        snprintf(login.reason, sizeof(login.reason), "%s", is_doubtful ? DOUBT : attempt->reason);
    /* Neither: the client went away without a word. */
    if (attempt->began_us > 0 && login.time_us > 0 && strcmp(login.address, "[local]") != 0)
        logins->found(logins->context, &login);
    *attempt = (struct attempt){ 0 };
}

/* When there is no place, the one that was silent for the longest time gives way: an attempt takes seconds, a session may take days. */
static struct attempt *
attempt_of(struct logins *logins, int64_t pid, int64_t time_us)
{
    struct attempt *places = logins->attempts[(size_t)pid % BUCKETS], *chosen = &places[0];
    for (size_t i = 0; i < PLACES; i++) {
        if (places[i].pid == pid) {
            chosen = &places[i];
            break;
        }
        if (chosen->pid != 0 && (places[i].pid == 0 || places[i].seen_us > chosen->seen_us))
            chosen = &places[i];
    }
    bool is_other = chosen->pid != pid || (chosen->began_us > 0 && chosen->began_us - time_us > LOGIN_SURE_US);
    if (is_other)
        tell(logins, chosen);
    /* The first line of a process has none before it: what looked like it was in a name that the client sent. */
    chosen->began_us = 0;
    chosen->pid = pid;
    chosen->seen_us = time_us;
    return chosen;
}

/* Of those that began long enough before the line that is shown now, nothing more can come. */
static void
tell_sure(struct logins *logins, int64_t time_us)
{
    while (logins->count > 0) {
        int64_t pid = logins->begun[logins->first].pid, began_us = logins->begun[logins->first].began_us;
        if (logins->count < LOGIN_PROCESSES && began_us - time_us <= LOGIN_SURE_US)
            return;
        struct attempt *places = logins->attempts[(size_t)pid % BUCKETS];
        for (size_t i = 0; i < PLACES; i++) {
            if (places[i].pid == pid && places[i].began_us == began_us)
                tell(logins, &places[i]);
        }
        logins->first = (logins->first + 1) % LOGIN_PROCESSES;
        logins->count--;
    }
}

static void
note_beginning(struct logins *logins, struct attempt *attempt, int64_t time_us, str address)
{
    size_t last = (logins->first + logins->count++) % LOGIN_PROCESSES;
    logins->begun[last].pid = attempt->pid;
    logins->begun[last].began_us = time_us;
    attempt->began_us = time_us;
    copy(attempt->address, sizeof(attempt->address), address);
}

void
logins_take(struct logins *logins, const struct journal_entry *entry)
{
    str rest = entry->text, address;
    tell_sure(logins, entry->time_us);
    if (entry->pid <= 0 || (entry->program.len > 0 && !str_is(entry->program, "postgres")))
        return;
    struct attempt *attempt = attempt_of(logins, entry->pid, entry->time_us);
    if (find_refusal(entry->text, attempt->reason, sizeof(attempt->reason)))
        attempt->refused_us = attempt->write_us = entry->time_us;
    else if (attempt->write_us - entry->time_us <= SAME_WRITE_US)
        attempt->write_us = entry->time_us; /* a name may have thousands of lines before the server's own text */
    if (memmem(entry->text.data, entry->text.len, UNNAMED "FATAL:  " LONG_NAMES,
               strlen(UNNAMED "FATAL:  " LONG_NAMES)) != NULL ||
        (attempt->doubt_us > 0 && attempt->doubt_us - entry->time_us <= LONG_PAUSE_US))
        attempt->doubt_us = entry->time_us;
    if (!read_head(&rest, entry->pid, &address))
        return;
    if (is_beginning(rest, address)) {
        note_beginning(logins, attempt, entry->time_us, address);
        return;
    }
    note_line(&attempt->first, rest, entry->text);
    if (!is_authorized(rest))
        return;
    attempt->in = attempt->first;
    attempt->in_us = entry->time_us;
}

void
logins_end(struct logins *logins)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (size_t k = 0; k < PLACES; k++)
            tell(logins, &logins->attempts[i][k]);
    }
}
