/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/key/member_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"

/* A key that is taken back is gone after: one time of waiting, an answer, and the stop of the unit (unit_file.c). */
enum { ASK_AGAIN_MS = 10 * 1000, ANSWER_MS = 5 * 1000, FILE_BYTES = 8 * 1024 };

static const struct disk_owner root = { 0, 0 };

/* ---- What is on the disk ---- */
struct kept {
    str wrapping; /* name of the service's key */
    str wrapped;
    struct folder_key_name name;
    bool is_refused; /* since it was given last: also for an agent that was started since */
};

static str
path_of(struct arena *arena, const struct state *state, id member)
{
    return str_format(arena, "%s/key-%s", state->folder.data, id_text(arena, member).data);
}

static bool
read_kept(struct arena *arena, const struct state *state, id member, struct kept *ret_kept)
{
    str text;
    if (!disk_read(arena, path_of(arena, state, member).data, FILE_BYTES, &text))
        return false;
    ret_kept->wrapping = str_dup(arena, str_cut(&text, '\n'));
    bool is_whole = str_bytes_from_hex(arena, str_cut(&text, '\n'), &ret_kept->wrapped) &&
                    str_from_hex(str_cut(&text, '\n'), ret_kept->name.bytes, sizeof(ret_kept->name.bytes));
    ret_kept->is_refused = str_is(str_cut(&text, '\n'), "refused");
    return is_whole;
}

static error
write_kept(struct arena *arena, const struct member_key *key, const struct kept *kept)
{
    str text = str_format(arena, "%.*s\n%s\n%s\n%s\n", STR_ARG(kept->wrapping),
                          str_hex(arena, kept->wrapped.data, kept->wrapped.len).data,
                          str_hex(arena, kept->name.bytes, sizeof(kept->name.bytes)).data,
                          kept->is_refused ? "refused" : "given");
    str path = path_of(arena, key->state, key->member);
    failpoint("agent:key:write:before");
    if (text.len == 0 || !disk_replace(path.data, text, 0600, root))
        return problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}

bool
member_key_is_known(struct arena *arena, const struct state *state, id member)
{
    return disk_exists(path_of(arena, state, member).data);
}

/* ---- Asking ---- */
struct question {
    struct arena *arena;
    const struct member_key *key;
    struct egress_allowed allowed;
    struct kmip_service service;
};

static error
question_of(struct arena *arena, const struct member_key *key, struct question *ret_question)
{
    const struct goal_keys *said = key->service;
    struct net_block *blocks = ARENA_ARRAY(arena, struct net_block, said->networks.count + 1);
    *ret_question = (struct question){ .arena = arena, .key = key };
    for (size_t i = 0; blocks != NULL && i < said->networks.count; i++) {
        if (net_parse_block(said->networks.items[i], &blocks[ret_question->allowed.count]))
            ret_question->allowed.count++;
    }
    ret_question->allowed.blocks = blocks;
    ret_question->service = (struct kmip_service){
        .host = said->hostname,
        .port = (int)said->port,
        .authority = said->authority,
        .certificate = said->certificate,
        .key = said->client_key,
    };
    return blocks == NULL ? fail(arena, OVERLOADED) : OK;
}

static enum kmip_outcome
wrap(struct question *question, str plain, struct kept *kept, str *ret_why)
{
    str name = question->key->service->key_identifier;
    enum kmip_outcome outcome = kmip_wrap(question->arena, &question->allowed, &question->service, name, plain,
                                          ANSWER_MS, &kept->wrapped, ret_why);
    if (outcome == KMIP_GIVEN)
        kept->wrapping = name;
    return outcome;
}

static error
make(struct question *question, struct kept *kept, enum kmip_outcome *ret_outcome, str *ret_why)
{
    uint8_t bytes[FOLDER_KEY_BYTES];
    error why = OK;
    crypto_random(bytes, sizeof(bytes));
    *ret_outcome = wrap(question, (str){ (const char *)bytes, sizeof(bytes) }, kept, ret_why);
    if (*ret_outcome == KMIP_GIVEN)
        why = folder_key_give(question->arena, STR(VOLUMES_FOLDER), bytes, &kept->name);
    crypto_wipe(bytes, sizeof(bytes));
    TRY(why);
    if (*ret_outcome != KMIP_GIVEN)
        return OK;
    why = write_kept(question->arena, question->key, kept);
    if (why != OK) /* nobody would have it after the host's next start */
        TRY(folder_key_take(question->arena, STR(VOLUMES_FOLDER), &kept->name));
    return why;
}

/* Another key of the project than the one that it was wrapped with: the data stay as they are, only their key is wrapped anew. The old one serves until
 * then, and for as long as the new one does not give back what it wrapped. */
static error
rewrap(struct question *question, str plain, struct kept *kept, str *ret_why)
{
    str before = kept->wrapping, why;
    if (str_eq(before, question->key->service->key_identifier))
        return OK;
    if (wrap(question, plain, kept, &why) != KMIP_GIVEN) {
        *ret_why = str_format(question->arena, "It stays under key %.*s: %.*s", STR_ARG(before), STR_ARG(why));
        return OK;
    }
    TRY(write_kept(question->arena, question->key, kept));
    log_line(LOG_INFO, "key", "The key of member %s is under %.*s now, and no more under %.*s.",
             id_text(question->arena, question->key->member).data, STR_ARG(kept->wrapping), STR_ARG(before));
    return OK;
}

/* What comes back must be what was there: whoever changed the file or the service does not make us encrypt with another one. */
static error
give(struct question *question, str plain, const struct kept *kept)
{
    struct folder_key_name name;
    if (plain.len != FOLDER_KEY_BYTES)
        return problem(question->arena, "The key service gave back something that is no key of this service.");
    TRY(folder_key_give(question->arena, STR(VOLUMES_FOLDER), (const uint8_t *)plain.data, &name));
    if (crypto_equal(&name, &kept->name, sizeof(name)))
        return OK;
    TRY(folder_key_take(question->arena, STR(VOLUMES_FOLDER), &name));
    return problem(question->arena, "The key service gave back another key than it was given.");
}

/* A refusal that cannot be written counts all the same; that it was given again counts only when it is written. */
static error
note(struct question *question, struct member_key_memory *memory, struct kept *kept, bool is_refused)
{
    bool is_written = kept->is_refused, was_refused = is_written || memory->is_refused;
    kept->is_refused = is_refused;
    error why = is_written == is_refused ? OK : write_kept(question->arena, question->key, kept);
    kept->is_refused = memory->is_refused = is_refused || why != OK;
    if (was_refused != memory->is_refused)
        log_line(memory->is_refused ? LOG_WARNING : LOG_INFO, "key", "The key of member %s was %s.",
                 id_text(question->arena, question->key->member).data,
                 memory->is_refused ? "taken back" : "given again");
    return why;
}

static error
unwrap(struct question *question, struct member_key_memory *memory, struct kept *kept, enum kmip_outcome *ret_outcome,
       str *ret_why)
{
    str plain = STR_EMPTY;
    *ret_outcome = kmip_unwrap(question->arena, &question->allowed, &question->service, kept->wrapping, kept->wrapped,
                               ANSWER_MS, &plain, ret_why);
    error why = *ret_outcome == KMIP_GIVEN ? give(question, plain, kept) : OK;
    bool was_refused = kept->is_refused || memory->is_refused;
    if (why == OK)
        why = note(question, memory, kept, *ret_outcome == KMIP_REFUSED || (was_refused && *ret_outcome != KMIP_GIVEN));
    if (why == OK && *ret_outcome == KMIP_GIVEN)
        why = rewrap(question, plain, kept, ret_why);
    crypto_wipe((char *)(uintptr_t)plain.data, plain.len);
    return why;
}

static error
ask(struct arena *arena, const struct member_key *key, struct member_key_memory *memory, bool is_known,
    struct kept *kept)
{
    struct question question;
    enum kmip_outcome outcome;
    str why = STR_EMPTY;
    TRY(question_of(arena, key, &question));
    error problem_of_ours =
        is_known ? unwrap(&question, memory, kept, &outcome, &why) : make(&question, kept, &outcome, &why);
    memory->asked_ms = clock_steady_ms();
    if (problem_of_ours != OK)
        why = problem_of_ours->detail;
    snprintf(memory->why, sizeof(memory->why), "%.*s", STR_ARG(why));
    return OK;
}

error
member_key_keep(struct arena *arena, const struct member_key *key, struct member_key_memory *memory,
                enum member_key_state *ret_state, error *ret_trouble)
{
    struct kept kept = { 0 };
    str folder = STR(VOLUMES_FOLDER);
    bool is_known = member_key_is_known(arena, key->state, key->member), has_service = key->service->hostname.len > 0;
    *ret_state = MEMBER_KEY_NONE;
    *ret_trouble = OK;
    if (!is_known && !key->service->is_required)
        return OK;
    if (!disk_make_folder(folder.data, 0700, root) || !folder_key_is_possible(folder))
        return problem(
            arena,
            "The file system with %s cannot encrypt: it must be ext4 with the feature `encrypt` (tune2fs -O encrypt).",
            folder.data);
    if (is_known && !read_kept(arena, key->state, key->member, &kept))
        return problem(arena, "%s cannot be read: without it nobody has this member's key.",
                       path_of(arena, key->state, key->member).data);
    bool is_due = memory->asked_ms == 0 || clock_steady_ms() - memory->asked_ms >= ASK_AGAIN_MS;
    if (has_service && is_due)
        TRY(ask(arena, key, memory, is_known, &kept));
    if (kept.is_refused || memory->is_refused) {
        *ret_state = MEMBER_KEY_SHUT;
        return OK;
    }
    if (!folder_key_is_given(folder, &kept.name)) {
        memory->asked_ms =
            has_service && memory->why[0] == '\0' ? 0 : memory->asked_ms; /* somebody else took it from the kernel */
        return problem(arena, "Its data cannot be opened: %s",
                       memory->why[0] != '\0' ? memory->why
                                              : "this host has no settings of its project's key service.");
    }
    *ret_state = MEMBER_KEY_OPEN;
    if (memory->why[0] != '\0')
        *ret_trouble = problem(arena, "Its key cannot be asked for, and what is open stays open: %s", memory->why);
    return OK;
}

error
member_key_set(struct arena *arena, const struct state *state, id member, str folder)
{
    struct kept kept;
    if (!member_key_is_known(arena, state, member))
        return OK;
    if (!read_kept(arena, state, member, &kept))
        return problem(arena, "%s cannot be read.", path_of(arena, state, member).data);
    return folder_key_set(arena, folder, &kept.name);
}

error
member_key_take(struct arena *arena, const struct state *state, id member)
{
    struct kept kept;
    if (!read_kept(arena, state, member, &kept))
        return OK;
    failpoint("agent:key:take:before");
    return folder_key_take(arena, STR(VOLUMES_FOLDER), &kept.name);
}

/* The best that can be done: a disk may keep a copy of what is overwritten. */
static void
overwrite(const char *path)
{
    static const char nothing[FILE_BYTES];
    int file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    off_t bytes = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    if (bytes > 0 && bytes <= FILE_BYTES && pwrite(file, nothing, (size_t)bytes, 0) == bytes)
        (void)fsync(file);
    if (file >= 0)
        close(file);
}

error
member_key_drop(struct arena *arena, const struct state *state, id member)
{
    str path = path_of(arena, state, member);
    TRY(member_key_take(arena, state, member));
    overwrite(path.data);
    return disk_remove(path.data) ? OK : problem(arena, "%s cannot be removed: %s.", path.data, strerror(errno));
}

struct wire_texts
member_key_names(struct arena *arena, const struct state *state, const struct goal *goal)
{
    struct wire_texts names = { .items = ARENA_ARRAY(arena, str, goal->members.count + 1) };
    struct kept kept;
    for (size_t i = 0; names.items != NULL && i < goal->members.count; i++) {
        id member = goal->members.items[i].id;
        if (read_kept(arena, state, member, &kept))
            names.items[names.count++] =
                str_format(arena, "%s=%.*s", id_text(arena, member).data, STR_ARG(kept.wrapping));
    }
    return names;
}
