/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/bucket_script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Fields: t tokens, s start of the period in ms, r room.
 *
 * Room is what keeps a refill exact while leases are out. Without leases an unused token would have been in the bucket
 * when the refill came, and what exceeded the capacity would have been lost. So tokens that come back from the period
 * before may fill at most the room that the refill left below the capacity; older ones are lost, like those of a
 * process that died.
 *
 * The key expires when enough refills have passed to fill the bucket: a bucket without a key is full.
 */
static const char script_text[] =
    "local capacity, refill, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])\n"
    "local need, want = tonumber(ARGV[4]), tonumber(ARGV[5])\n"
    "local returned, returned_start = tonumber(ARGV[6]), tonumber(ARGV[7])\n"
    "local part, floor, floor_part = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])\n"
    "local time = redis.call('TIME')\n"
    "local now = time[1] * 1000 + math.floor(time[2] / 1000)\n"
    "local stored = redis.pcall('HMGET', KEYS[1], 't', 's', 'r')\n"
    /* Somebody wrote something else under the name of a bucket. One bucket begins anew, rather than all being lost for good. */
    "if stored.err or stored[1] and not (tonumber(stored[1]) and tonumber(stored[2]) and tonumber(stored[3])) then\n"
    "  redis.call('DEL', KEYS[1])\n"
    "  stored = {}\n"
    "end\n"
    "local tokens, start, room, changed = capacity, now, 0, false\n"
    "if stored[1] then\n"
    "  tokens, start, room = tonumber(stored[1]), tonumber(stored[2]), tonumber(stored[3])\n"
    /* The clock was set back: a new period begins, rather than a wait that nobody can explain. */
    "  if now < start then start, changed = now, true end\n"
    "  local refills = math.floor((now - start) / period)\n"
    "  if refills > 0 then\n"
    "    start, changed = start + refills * period, true\n"
    "    tokens = math.min(capacity, tokens + refills * refill)\n"
    "    room = capacity - tokens\n"
    "  end\n"
    "  tokens = math.min(capacity, tokens)\n"
    "  if returned > 0 then\n"
    "    local accepted = 0\n"
    "    if returned_start == start then\n"
    "      accepted = returned\n"
    "    elseif returned_start == start - period then\n"
    "      accepted = math.min(returned, room)\n"
    "      room = room - accepted\n"
    "    end\n"
    "    tokens, changed = math.min(capacity, tokens + accepted), true\n"
    "  end\n"
    "end\n"
    "local block = need\n"
    "if need > 0 and want > need and tokens > floor and tokens * floor_part > capacity then\n"
    "  block = math.max(need, math.min(want, math.floor(tokens / part)))\n"
    "end\n"
    "local granted = math.min(tokens, block)\n"
    "tokens = tokens - granted\n"
    "if tokens >= capacity then\n"
    "  if stored[1] then redis.call('DEL', KEYS[1]) end\n"
    "elseif changed or granted > 0 then\n"
    "  local full_at = start + math.ceil((capacity - tokens) / refill) * period\n"
    "  redis.call('HSET', KEYS[1], 't', string.format('%.0f', tokens), 's', string.format('%.0f', start),\n"
    "             'r', string.format('%.0f', room))\n"
    "  redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', full_at))\n"
    "end\n"
    "return { granted, tokens, start + period - now, start }\n";

enum { NUMBER_COUNT = 10, WORD_COUNT = 4 + NUMBER_COUNT, NUMBER_BYTES = 24 };

struct command {
    const char *words[WORD_COUNT];
    size_t lengths[WORD_COUNT];
    char key[BUCKET_KEY_BYTES];
    char numbers[NUMBER_COUNT][NUMBER_BYTES];
};

void
bucket_key(const struct bucket_name *name, char ret_key[BUCKET_KEY_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    const struct set_row *row = &set_rows[name->set];
    size_t length = (size_t)snprintf(ret_key, BUCKET_KEY_BYTES, "reeve:b:%s:", row->label);
    size_t count = row->scope == SCOPE_IP ? sizeof(name->owner) : ID_BYTES;
    for (size_t i = 0; i < count; i++) {
        ret_key[length++] = digits[name->owner[i] >> 4];
        ret_key[length++] = digits[name->owner[i] & 15];
    }
    ret_key[length] = '\0';
}

static void
command_build(struct command *command, const char *verb, const char *script, const struct bucket_request *request)
{
    const int64_t numbers[NUMBER_COUNT] = {
        request->size.capacity, request->size.refill,    request->period_ms, request->need, request->want,
        request->returned,      request->returned_start, LEASE_PART,         LEASE_FLOOR,   LEASE_FLOOR_PART,
    };
    bucket_key(&request->name, command->key);
    command->words[0] = verb;
    command->words[1] = script;
    command->words[2] = "1";
    command->words[3] = command->key;
    for (int i = 0; i < NUMBER_COUNT; i++) {
        snprintf(command->numbers[i], NUMBER_BYTES, "%" PRId64, numbers[i]);
        command->words[4 + i] = command->numbers[i];
    }
    for (int i = 0; i < WORD_COUNT; i++)
        command->lengths[i] = strlen(command->words[i]);
}

static bool
is_missing_script(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "NOSCRIPT", 8) == 0;
}

static bool
read_answer(const redisReply *reply, struct bucket_answer *ret_answer, char ret_why[LINK_WHY_BYTES])
{
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 4) {
        snprintf(ret_why, LINK_WHY_BYTES, "it answered %.*s", LINK_WHY_BYTES - 32,
                 reply->type == REDIS_REPLY_ERROR ? reply->str : "what was not asked");
        return false;
    }
    *ret_answer = (struct bucket_answer){
        .granted = reply->element[0]->integer,
        .remaining = reply->element[1]->integer,
        .refill_in_ms = reply->element[2]->integer,
        .start = reply->element[3]->integer,
    };
    return true;
}

static bool
no_reply(const redisContext *context, char ret_why[LINK_WHY_BYTES])
{
    snprintf(ret_why, LINK_WHY_BYTES, "%s", redis_link_failure(context));
    return false;
}

bool
bucket_script_load(struct bucket_script *script, redisContext *context, char ret_why[LINK_WHY_BYTES])
{
    redisReply *reply = redisCommand(context, "SCRIPT LOAD %s", script_text);
    if (reply == NULL)
        return no_reply(context, ret_why);
    bool done = reply->type == REDIS_REPLY_STRING && reply->len == SCRIPT_SHA_BYTES - 1;
    if (!done)
        snprintf(ret_why, LINK_WHY_BYTES, "it does not take the script (%.*s)", LINK_WHY_BYTES - 40,
                 reply->str != NULL ? reply->str : "");
    else if (script->sha[0] == '\0')
        /* The name is made from the text and never changes: once it is there, requests read it without a lock. */
        memcpy(script->sha, reply->str, SCRIPT_SHA_BYTES);
    freeReplyObject(reply);
    return done;
}

static redisReply *
run_command(redisContext *context, const char *verb, const char *script, const struct bucket_request *request)
{
    struct command command;
    command_build(&command, verb, script, request);
    return redisCommandArgv(context, WORD_COUNT, command.words, command.lengths);
}

bool
bucket_script_run(const struct bucket_script *script, redisContext *context, const struct bucket_request *request,
                  struct bucket_answer *ret_answer, char ret_why[LINK_WHY_BYTES])
{
    redisReply *reply = run_command(context, "EVALSHA", script->sha, request);
    if (reply != NULL && is_missing_script(reply)) {
        /* Somebody emptied Redis's script cache; EVAL fills it again. */
        freeReplyObject(reply);
        reply = run_command(context, "EVAL", script_text, request);
    }
    if (reply == NULL)
        return no_reply(context, ret_why);
    bool done = read_answer(reply, ret_answer, ret_why);
    freeReplyObject(reply);
    return done;
}

bool
bucket_script_run_all(const struct bucket_script *script, redisContext *context, const struct bucket_request *requests,
                      size_t count, char ret_why[LINK_WHY_BYTES])
{
    bool is_missing[BUCKET_BATCH_MAX];
    for (size_t i = 0; i < count; i++) {
        struct command command;
        command_build(&command, "EVALSHA", script->sha, &requests[i]);
        if (redisAppendCommandArgv(context, WORD_COUNT, command.words, command.lengths) != REDIS_OK)
            return no_reply(context, ret_why);
    }
    for (size_t i = 0; i < count; i++) {
        void *answer = NULL;
        if (redisGetReply(context, &answer) != REDIS_OK)
            return no_reply(context, ret_why);
        is_missing[i] = is_missing_script(answer);
        freeReplyObject(answer);
    }
    /* Exactly those that did not run, since tokens that came back twice were never there. */
    struct bucket_answer unused;
    for (size_t i = 0; i < count; i++)
        if (is_missing[i] && !bucket_script_run(script, context, &requests[i], &unused, ret_why))
            return false;
    return true;
}
