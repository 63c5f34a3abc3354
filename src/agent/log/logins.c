/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/logins.h"

#include <stdio.h>
#include <stdlib.h>

enum { SESSION_BYTES = 32, MORE_BYTES = 768, LATE_BYTES = 512, MESSAGE_BYTES = 4096 };

/*
 * One process of a server, as far as it was read. Lines come newest first, so what is found replaces what was found before, and the line that a text goes on from
 * comes behind it.
 */
struct attempt {
    int64_t pid;
    int64_t seen_us;             /* when its last line was written */
    char session[SESSION_BYTES]; /* whose messages these are */
    char more[MORE_BYTES];       /* lines that belong to the next one with a head, at the end of this */
    size_t more_bytes;           /* more than there is room for: they are too long for anything of interest */
    int64_t in_number, in_us;    /* "connection authorized"; 0: none */
    int64_t refused_number, refused_us;
    bool is_silent;               /* the server said nothing to the client: it is no attempt */
    int64_t late_number, late_us; /* what may be a refusal behind "connection authorized" */
    struct login refused, in;
    char late[LATE_BYTES]; /* the names and what follows */
    int64_t began_us;      /* "connection received"; 0: not seen yet */
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

/* ---- The head of a message: log_line_prefix of engine/postgres/config.c ---- */
struct head {
    str session;    /* %c: when the process began, and its number */
    int64_t number; /* %l: of its messages */
    str phase;      /* %i: "", "initializing", "authentication" and "startup" before a session begins */
    str state;      /* %e: SQLSTATE */
    str address;
};

/*
 * "2026-01-02 03:04:05.678 UTC [9] 69a1b2c3.9 2 (authentication) 28P01 client=203.0.113.7 user=\"": all of it is the server's own, and it is longer than a name. What
 * follows are names, which may have ends of lines and anything else in them.
 */
static bool
read_head(str *rest, int64_t pid, struct head *ret_head)
{
    static const char form[] = "0000-00-00 00:00:00.000 ";
    str zone, number, place;
    int64_t said;
    if (rest->len < sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < sizeof(form) - 1; i++) {
        bool is_digit = rest->data[i] >= '0' && rest->data[i] <= '9';
        if (form[i] == '0' ? !is_digit : rest->data[i] != form[i])
            return false;
    }
    *rest = str_slice(*rest, sizeof(form) - 1, rest->len);
    return take_until(rest, STR(" ["), &zone) && str_find(zone, ' ') < 0 && take_until(rest, STR("] "), &number) &&
           str_to_int(number, 1, INT32_MAX, &said) && said == pid && take_until(rest, STR(" "), &ret_head->session) &&
           ret_head->session.len < SESSION_BYTES && take_until(rest, STR(" ("), &place) &&
           str_to_int(place, 1, INT64_MAX, &ret_head->number) && take_until(rest, STR(") "), &ret_head->phase) &&
           take_until(rest, STR(" client="), &ret_head->state) && ret_head->state.len == 5 &&
           take_until(rest, STR(" user=\""), &ret_head->address) && str_find(ret_head->address, ' ') < 0;
}

/* ---- Names ---- */
#define BETWEEN "\" database=\""
/* Behind the names. Only sessions that have not begun have no name of an application. */
#define UNNAMED "\" application=\"[unknown]\" "

struct names {
    str user, database;
};

/* The name as the server's own text has it: a tab behind each end of a line. */
static bool
skip_name(str *rest, str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!skip(rest, str_slice(name, i, i + 1)) || (name.data[i] == '\n' && !skip(rest, STR("\t"))))
            return false;
    }
    return true;
}

/* What may follow the names of "connection authorized". */
static bool
is_rest(str rest)
{
    return rest.len == 0 || str_starts_with(rest, STR(" application_name=")) ||
           str_starts_with(rest, STR(" SSL enabled (")) || str_starts_with(rest, STR(" GSS ("));
}

/*
 * The names are told twice, before the text and in it. Every way to cut them that makes both equal is the right one: a name has 63 bytes, and a client would need more
 * to bring a success of its own.
 */
static bool
is_authorized_as(str both, str text, struct names *ret_names)
{
    str user, database = both;
    for (size_t at = 0; at < both.len; at = user.len + 1) {
        str behind = str_slice(both, at, both.len), before, rest = text;
        if (!take_until(&behind, STR(BETWEEN), &before))
            return false;
        user = str_slice(both, 0, at + before.len);
        database = behind;
        bool is_replication = skip(&rest, STR("replication connection authorized: user="));
        bool is_right =
            (is_replication || skip(&rest, STR("connection authorized: user="))) && skip_name(&rest, user) &&
            (is_replication || (skip(&rest, STR(" database=")) && skip_name(&rest, database))) && is_rest(rest);
        if (is_right) {
            *ret_names = (struct names){ user, database };
            return true;
        }
    }
    return false;
}

static bool
is_authorized(str rest, struct names *ret_names)
{
    str before;
    for (size_t at = 0; at < rest.len; at += before.len + 1) {
        str behind = str_slice(rest, at, rest.len);
        if (!take_until(&behind, STR(UNNAMED "LOG:  "), &before))
            return false;
        if (is_authorized_as(str_slice(rest, 0, at + before.len), behind, ret_names))
            return true;
    }
    return false;
}

/* Before the server has read anything that the client sent. */
static bool
is_beginning(const struct head *head, str rest)
{
    str host;
    int64_t port;
    return head->number == 1 &&
           skip(&rest, STR("[unknown]" BETWEEN "[unknown]" UNNAMED "LOG:  connection received: host=")) &&
           take_until(&rest, STR(" port="), &host) && str_eq(host, head->address) && str_to_int(rest, 0, 65535, &port);
}

/* ---- Why not ---- */
/* How the server says it, and how it is told. Names that the client sent follow, and are left out. */
static const struct {
    const char *state, *begins, *reason;
} reasons[] = {
    { "28P01", "", "password authentication failed" },
    { "28000", "no pg_hba.conf entry", "the address, the user or the database is not allowed" },
    { "28000", "pg_hba.conf rejects connection", "the address, the user or the database is not allowed" },
    { "28000", "certificate authentication failed", "certificate authentication failed" },
    { "28000", "LDAP authentication failed", "LDAP authentication failed" },
    { "28000", "connection requires a valid client certificate", "a client certificate is required" },
    { "28000", "role \"", "there is no such user, or it may not log in" },
    { "3D000", "", "there is no such database, or it takes no connections" },
    { "53300", "", "too many connections" },
    { "57P03", "", "the server was starting or stopping" },
    { "57014", "", "the client took too long" },
    { "0A000", "unsupported frontend protocol", "the client speaks another protocol" },
    { "22023", "invalid value for parameter \"replication\"", "the client asks for replication in a wrong way" },
    { "", "canceling authentication due to timeout", "the client took too long" },
};

/* The state is the server's own. What it says may have words of the client's before it: they change a reason, and nothing else. */
static const char *
reason_of(str state, str rest)
{
    str ignored, text = rest;
    bool is_found = take_until(&text, STR(UNNAMED "FATAL:  "), &ignored);
    for (size_t i = 0; i < LENGTH(reasons); i++) {
        bool is_state = reasons[i].state[0] == '\0' || str_is(state, reasons[i].state);
        bool is_text = reasons[i].begins[0] == '\0' || (is_found && str_starts_with(text, str_from(reasons[i].begins)));
        if (is_state && is_text)
            return reasons[i].reason;
    }
    return "refused by the server";
}

/*
 * Refused behind "connection authorized", before the session began. A session can have an error of the same state there, and an application's name that looks like this; but not
 * one behind which nothing comes.
 */
static const struct {
    const char *state, *before, *after, *reason;
    bool is_about_user;
} late_refusals[] = {
    { "3D000", "database \"", "\" does not exist", "there is no such database, or it takes no connections", false },
    { "55000", "database \"", "\" is not currently accepting connections",
      "there is no such database, or it takes no connections", false },
    { "55000", "cannot connect to invalid database \"", "\"", "there is no such database, or it takes no connections",
      false },
    { "42501", "permission denied for database \"", "\"", "the user may not connect to the database", false },
    { "28000", "role \"", "\" is not permitted to log in", "there is no such user, or it may not log in", true },
    { "28000", "role \"", "\" does not exist", "there is no such user, or it may not log in", true },
    { "53300", "too many connections for database \"", "\"", "too many connections", false },
    { "53300", "too many connections for role \"", "\"", "too many connections", true },
};

static bool
is_late_state(str state)
{
    for (size_t i = 0; i < LENGTH(late_refusals); i++) {
        if (str_is(state, late_refusals[i].state))
            return true;
    }
    return str_is(state, "53300");
}

/* Why it was refused all the same; NULL: it was not. */
static const char *
late_reason(str message, struct names names)
{
    str rest = message;
    if (!skip(&rest, names.user) || !skip(&rest, STR(BETWEEN)) || !skip(&rest, names.database) ||
        !skip(&rest, STR(UNNAMED "FATAL:  ")))
        return NULL;
    for (size_t i = 0; i < LENGTH(late_refusals); i++) {
        str text = rest;
        if (skip(&text, str_from(late_refusals[i].before)) &&
            skip_name(&text, late_refusals[i].is_about_user ? names.user : names.database) &&
            str_is(text, late_refusals[i].after))
            return late_refusals[i].reason;
    }
    return str_starts_with(rest, STR("remaining connection slots are reserved for ")) && str_find(rest, '"') < 0
               ? "too many connections"
               : NULL;
}

/* ---- One process ---- */
static void
note_names(struct login *login, struct names names, str line)
{
    copy(login->user, sizeof(login->user), names.user);
    copy(login->database, sizeof(login->database), names.database);
    copy(login->line, sizeof(login->line), line);
}

static bool
says_user(str text, str user)
{
    str ignored;
    while (take_until(&text, STR("user \""), &ignored)) {
        str rest = text;
        if (skip_name(&rest, user) && str_starts_with(rest, STR("\"")))
            return true;
    }
    return false;
}

/* Names of somebody who was refused, as far as they can be told. Most refusals say the name of the user once more: the longest that is said is it. */
static struct names
refused_names(str rest)
{
    str text = rest, both = STR_EMPTY, before;
    struct names names = { rest, STR_EMPTY };
    if (!take_until(&text, STR(UNNAMED "FATAL:  "), &both)) {
        text = STR_EMPTY;
        both = rest;
    }
    size_t at = 0;
    for (str behind = both; take_until(&behind, STR(BETWEEN), &before); at += before.len + strlen(BETWEEN)) {
        str user = str_slice(both, 0, at + before.len);
        if (at == 0 || says_user(text, user))
            names = (struct names){ user, behind };
    }
    return names;
}

static void
tell(struct logins *logins, struct attempt *attempt)
{
    /* Long names of somebody who is refused may have a success in them, which then has a later number. */
    bool is_refused_first = attempt->refused_number > 0 && attempt->refused_number <= attempt->in_number;
    bool is_in = attempt->in_number > 0 && !is_refused_first;
    struct login login = is_in ? attempt->in : attempt->refused;
    login.is_in = is_in;
    login.time_us = is_in ? attempt->in_us : attempt->refused_us;
    memcpy(login.address, attempt->address, sizeof(login.address));
    /* Neither: the client went away without a word. */
    bool is_told = login.time_us > 0 && (is_in || !attempt->is_silent);
    if (attempt->began_us > 0 && is_told && strcmp(login.address, "[local]") != 0)
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
    /* A process has no line before its first one: what looked like it was in a name that the client sent. */
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

/* A line without a head belongs to the one with a head before it, which comes next. */
static void
note_more(struct attempt *attempt, str line)
{
    size_t bytes = line.len + 1;
    attempt->more_bytes += bytes;
    if (attempt->more_bytes > MORE_BYTES)
        return;
    char *at = attempt->more + MORE_BYTES - attempt->more_bytes;
    *at = '\n';
    memcpy(at + 1, line.data, line.len);
}

static void
note_authorized(struct attempt *attempt, const struct head *head, struct names names, str line, int64_t time_us)
{
    bool has_late = attempt->late_number == head->number + 1;
    const char *reason = has_late ? late_reason(str_from(attempt->late), names) : NULL;
    if (reason != NULL) {
        attempt->is_silent = false;
        attempt->refused_number = head->number;
        attempt->refused_us = attempt->late_us;
        note_names(&attempt->refused, names, line);
        snprintf(attempt->refused.reason, sizeof(attempt->refused.reason), "%s", reason);
    }
    attempt->in_number = head->number;
    attempt->in_us = time_us;
    note_names(&attempt->in, names, line);
}

/* A whole message, of one or more lines. What is too long for that is a refusal, or of no interest. */
static void
note_message(struct attempt *attempt, const struct head *head, str rest, str line, int64_t time_us)
{
    bool is_error = !str_is(head->state, "00000"), is_startup = str_is(head->phase, "startup");
    bool is_before =
        head->phase.len == 0 || str_is(head->phase, "initializing") || str_is(head->phase, "authentication");
    struct names names;
    if (is_error && is_before) {
        attempt->refused_number = head->number;
        attempt->refused_us = time_us;
        attempt->is_silent = str_starts_with(head->state, STR("08")) &&
                             str_starts_with(rest, STR("[unknown]" BETWEEN "[unknown]" UNNAMED));
        note_names(&attempt->refused, refused_names(rest), line);
        snprintf(attempt->refused.reason, sizeof(attempt->refused.reason), "%s", reason_of(head->state, rest));
    } else if (is_startup && is_late_state(head->state) && rest.len < LATE_BYTES) {
        attempt->late_number = head->number;
        attempt->late_us = time_us;
        memcpy(attempt->late, rest.data, rest.len);
        attempt->late[rest.len] = '\0';
    } else if (!is_error && head->number > 1 && str_is(head->phase, "authentication") && is_authorized(rest, &names)) {
        note_authorized(attempt, head, names, line, time_us);
    }
}

void
logins_take(struct logins *logins, const struct journal_entry *entry)
{
    char message[MESSAGE_BYTES];
    str rest = entry->text;
    struct head head;
    tell_sure(logins, entry->time_us);
    if (entry->pid <= 0 || (entry->program.len > 0 && !str_is(entry->program, "postgres")))
        return;
    struct attempt *attempt = attempt_of(logins, entry->pid, entry->time_us);
    if (!read_head(&rest, entry->pid, &head)) {
        note_more(attempt, entry->text);
        return;
    }
    size_t bytes = rest.len < MESSAGE_BYTES - MORE_BYTES ? rest.len : MESSAGE_BYTES - MORE_BYTES;
    size_t more = attempt->more_bytes <= MORE_BYTES ? attempt->more_bytes : 0;
    memcpy(message, rest.data, bytes);
    memcpy(message + bytes, attempt->more + MORE_BYTES - more, more);
    attempt->more_bytes = 0;
    /* An earlier life of the number; or what was seen of it was in a name. */
    if (!str_is(head.session, attempt->session)) {
        *attempt = (struct attempt){ .pid = entry->pid, .seen_us = entry->time_us };
        memcpy(attempt->session, head.session.data, head.session.len);
    }
    if (is_beginning(&head, rest)) {
        note_beginning(logins, attempt, entry->time_us, head.address);
        return;
    }
    note_message(attempt, &head, (str){ message, bytes + more }, entry->text, entry->time_us);
}

int64_t
logins_told_since(const struct logins *logins, int64_t time_us)
{
    int64_t since_us = time_us + LOGIN_SURE_US;
    for (size_t i = 0; i < BUCKETS * PLACES; i++) {
        const struct attempt *attempt = &logins->attempts[i / PLACES][i % PLACES];
        /* Others have no beginning near, or none at all: background processes have errors, too. */
        bool is_client = attempt->began_us > 0 && strcmp(attempt->address, "[local]") != 0;
        int64_t decided_us = attempt->in_us > attempt->refused_us ? attempt->in_us : attempt->refused_us;
        since_us = is_client && decided_us > since_us ? decided_us : since_us;
    }
    return since_us;
}

void
logins_end(struct logins *logins)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (size_t k = 0; k < PLACES; k++)
            tell(logins, &logins->attempts[i][k]);
    }
}
