/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs: lines of the servers of a cluster. Every answer ends with the position of its last line, and the next question begins behind it. One that broke off has
 * none: the same question is asked again, and as many lines left out as were shown. Lines have one order, so none is lost, and none shown twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/member_hosts.h"
#include "cli/options.h"
#include "cli/output/output.h"
#include "cli/profile.h"
#include "cli/short/names.h"

#define ACCEPT   "application/vnd.svc.2023-02-01+gzip"
#define POSITION "position="

enum {
    MOST_MEMBERS = 64,
    POSITION_BYTES = 64,
    PLAIN_BYTES = 64 * 1024,
    LONGEST_LINE_BYTES = 256 * 1024,
    GZIP_WINDOW = 15 + 16,
    FOLLOW_MS = 1000,
    TRIES = 5,
    DEFAULT_SINCE_S = 3600,
    ROUND_BYTES = 16 * 1024 * 1024,
};

struct source {
    const char *host;              /* as connection strings have it */
    const char *label;             /* before each line; NULL: there is only one */
    char position[POSITION_BYTES]; /* of the last answer that was whole; empty: none yet */
    size_t shown;                  /* lines since then */
    int failures;                  /* of followed ones: in a row */
    int64_t again_ms;              /* not before */
};

struct reading {
    struct cli *cli;
    struct source *source;
    z_stream stream;
    gz_header header;
    char comment[POSITION_BYTES];
    char line[LONGEST_LINE_BYTES];
    size_t line_len;
    size_t left_out; /* lines that were shown before */
    bool is_broken, is_whole;
};

/* ---- Lines ---- */
/* What others wrote must not steer a terminal. */
static void
show_line(struct reading *reading)
{
    struct source *source = reading->source;
    if (reading->left_out > 0) {
        reading->left_out--;
        return;
    }
    for (size_t i = 0; reading->cli->terminal.out && i < reading->line_len; i++) {
        unsigned char c = (unsigned char)reading->line[i];
        if ((c < ' ' && c != '\t') || c == 0x7F)
            reading->line[i] = '?';
    }
    if (source->label != NULL)
        printf("%s: ", source->label);
    printf("%.*s\n", (int)reading->line_len, reading->line);
    source->shown++;
}

static void
take_plain(struct reading *reading, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            show_line(reading);
            reading->line_len = 0;
        } else if (reading->line_len < LONGEST_LINE_BYTES) {
            reading->line[reading->line_len++] = bytes[i];
        }
    }
}

/* ---- gzip ---- */
static void
expect_part(struct reading *reading)
{
    reading->comment[0] = '\0';
    reading->header = (gz_header){ .comment = (Bytef *)reading->comment, .comm_max = POSITION_BYTES - 1 };
    inflateGetHeader(&reading->stream, &reading->header);
}

/* The last part is empty, and says where the next question begins. */
static void
end_part(struct reading *reading)
{
    str comment = str_from(reading->comment);
    if (str_starts_with(comment, STR(POSITION))) {
        snprintf(reading->source->position, POSITION_BYTES, "%s", comment.data + strlen(POSITION));
        reading->source->shown = 0;
        reading->is_whole = true;
    }
    inflateReset(&reading->stream);
    expect_part(reading);
}

static bool
take_piece(void *context, str piece)
{
    struct reading *reading = context;
    z_stream *stream = &reading->stream;
    char plain[PLAIN_BYTES];
    stream->next_in = (Bytef *)(uintptr_t)piece.data;
    stream->avail_in = (uInt)piece.len;
    do {
        stream->next_out = (Bytef *)plain;
        stream->avail_out = sizeof(plain);
        int result = inflate(stream, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            reading->is_broken = true;
            return false;
        }
        take_plain(reading, plain, sizeof(plain) - stream->avail_out);
        if (result == Z_STREAM_END)
            end_part(reading);
        else if (result == Z_BUF_ERROR)
            break;
    } while (stream->avail_in > 0 || stream->avail_out == 0);
    return true;
}

/* ---- One question ---- */
static str
target_of(struct cli *cli, const struct source *source, int64_t since_s)
{
    const char *log = call_option(&cli->call, "log");
    str begin = source->position[0] != '\0' ? str_format(cli->arena, "after=%s", source->position)
                                            : str_format(cli->arena, "startDate=%lld", (long long)since_s);
    return str_format(cli->arena, "%s/groups/%s/clusters/%s/logs/%s.gz?%s", API_PREFIX,
                      str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                      str_percent_encode(cli->arena, str_from(source->host)).data,
                      str_percent_encode(cli->arena, str_from(log != NULL ? log : "postgres")).data, begin.data);
}

enum result {
    WHOLE,  /* all lines until now were shown */
    BROKEN, /* some of them */
    SILENT, /* there may be an answer later */
    REFUSED,
};

/* What it takes is given back: whoever follows asks for days. */
static enum result
ask(struct cli *run, struct client *client, struct source *source, int64_t since_s, bool is_more, int *ret_status)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ROUND_BYTES);
    struct cli round = *run, *cli = &round;
    struct reading *reading = calloc(1, sizeof(*reading));
    struct answer answer;
    *ret_status = EXIT_NO_ANSWER;
    if (arena == NULL || reading == NULL || inflateInit2(&reading->stream, GZIP_WINDOW) != Z_OK) {
        free(reading);
        cli_say(cli, "out of memory");
        return REFUSED;
    }
    round.arena = arena;
    reading->cli = cli;
    reading->source = source;
    reading->left_out = source->shown;
    expect_part(reading);
    struct request_out request = { .method = "GET",
                                   .target = target_of(cli, source, since_s),
                                   .accept = ACCEPT,
                                   .piece = take_piece,
                                   .context = reading,
                                   .arena = arena,
                                   .is_tried_once = is_more };
    *ret_status = client_send(client, &request, &answer);
    bool is_whole = reading->is_whole;
    inflateEnd(&reading->stream);
    free(reading);
    fflush(stdout);
    if (*ret_status != EXIT_SUCCESS)
        return *ret_status == EXIT_NO_ANSWER ? SILENT : REFUSED;
    if (answer.status == 200)
        return is_whole ? WHOLE : BROKEN;
    *ret_status = output_error(cli, &answer);
    return answer.status >= 500 || answer.status == 429 ? SILENT : REFUSED;
}

static int
ask_until_whole(struct cli *cli, struct client *client, struct source *source, int64_t since_s)
{
    int status;
    for (int attempt = 1; attempt <= TRIES; attempt++) {
        if (ask(cli, client, source, since_s, false, &status) != BROKEN)
            return status;
        if (!client_pause(client_delay_ms(attempt, 0)))
            return EXIT_INTERRUPTED;
    }
    cli_say(cli, "the answer broke off %d times; what was shown is not all: try again, or with a shorter --since",
            TRIES);
    return EXIT_NO_ANSWER;
}

/* A member that does not answer any more is asked again later; lines of the others go on meanwhile. */
static int
ask_for_more(struct cli *cli, struct client *client, struct source *source, int64_t since_s)
{
    int status;
    if (clock_steady_ms() < source->again_ms)
        return EXIT_SUCCESS;
    enum result result = ask(cli, client, source, since_s, true, &status);
    if (result == REFUSED)
        return status;
    source->failures = result == WHOLE ? 0 : source->failures + 1;
    source->again_ms = result == WHOLE ? 0 : clock_steady_ms() + client_delay_ms(source->failures, 0);
    return EXIT_SUCCESS;
}

/* ---- Which members ---- */
static size_t
find_members(struct cli *cli, const json_t *cluster, struct source sources[MOST_MEMBERS])
{
    str list = member_hosts(cli->arena, cluster);
    size_t count = 0;
    while (list.len > 0 && count < MOST_MEMBERS) {
        str one = str_cut(&list, ','), host = str_cut(&one, ':'), label = host;
        sources[count++] = (struct source){ .host = str_dup(cli->arena, host).data,
                                            .label = str_dup(cli->arena, str_cut(&label, '.')).data };
    }
    return count;
}

static size_t
only_wanted(struct cli *cli, struct source sources[], size_t count)
{
    const char *wanted = call_option(&cli->call, "member");
    for (size_t i = 0; wanted != NULL && i < count; i++) {
        if (strcmp(sources[i].host, wanted) == 0 || strcmp(sources[i].label, wanted) == 0) {
            sources[0] = sources[i];
            return 1;
        }
    }
    if (wanted == NULL)
        return count;
    cli_say(cli, "the cluster has no member %s; it has:", wanted);
    for (size_t i = 0; i < count; i++)
        cli_note(cli, "%s", sources[i].label);
    return 0;
}

static int
find_sources(struct cli *cli, struct client *client, struct source sources[MOST_MEMBERS], size_t *ret_count)
{
    json_t *cluster;
    str target = str_format(cli->arena, "%s/groups/%s/clusters/%s", API_PREFIX,
                            str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                            str_percent_encode(cli->arena, str_from(cli->call.arguments[0])).data);
    int status = fetch_document(cli, client, target, &cluster);
    if (status != EXIT_SUCCESS)
        return status;
    size_t count = find_members(cli, cluster, sources);
    if (count == 0) {
        cli_say(cli, "the cluster has no members with a name yet");
        return EXIT_NOT_DONE;
    }
    *ret_count = only_wanted(cli, sources, count);
    if (*ret_count == 1)
        sources[0].label = NULL;
    return *ret_count > 0 ? EXIT_SUCCESS : EXIT_USAGE;
}

static bool
read_since(struct cli *cli, int64_t *ret_since_s)
{
    str given = str_from(call_option(&cli->call, "since"));
    int64_t back_s = given.len == 0 ? DEFAULT_SINCE_S : options_span_s(given);
    *ret_since_s = (int64_t)time(NULL) - back_s;
    if (back_s == 0)
        cli_say(cli, "--since takes a number and s, m, h or d, such as 15m, not `%s`", given.data);
    return back_s > 0;
}

int
builtin_logs(struct cli *cli)
{
    static struct source sources[MOST_MEMBERS];
    struct client *client CLEANUP(client_cleanup) = NULL;
    size_t count = 0;
    int64_t since_s;
    int status = names_need_project(cli);
    if (status != EXIT_SUCCESS)
        return status;
    if (!read_since(cli, &since_s) || (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    status = find_sources(cli, client, sources, &count);
    for (size_t i = 0; status == EXIT_SUCCESS && i < count; i++)
        status = ask_until_whole(cli, client, &sources[i], since_s);
    while (status == EXIT_SUCCESS && call_option(&cli->call, "follow") != NULL) {
        for (size_t i = 0; status == EXIT_SUCCESS && i < count; i++)
            status = ask_for_more(cli, client, &sources[i], since_s);
        if (!client_pause(FOLLOW_MS))
            return EXIT_INTERRUPTED;
    }
    return status;
}
