/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/drill/drill_files.h"

#include <errno.h>

#include "base/clock.h"
#include "base/disk.h"
#include "engine/postgres/postgres.h"

enum { ORDER_BYTES = 1024 * 1024, SENTENCE_BYTES = 500 };

str
drill_program(struct arena *arena, str major_version, const char *name)
{
    return str_format(arena, "/usr/lib/postgresql/%.*s/bin/%s", STR_ARG(major_version), name);
}

const char *
drill_superuser(const json_t *order)
{
    str said = json_text_at(order, "superuser");
    return said.len > 0 ? said.data : SUPERUSER;
}

error
drill_order_read(struct arena *arena, str folder, json_t **ret_order)
{
    str path = str_format(arena, "%s/" DRILL_ORDER_FILE, folder.data), text;
    json_t *order = disk_read(arena, path.data, ORDER_BYTES, &text) ? json_parse_own(arena, text) : NULL;
    if (!json_is_object(order))
        return problem(arena, "%s cannot be understood.", path.data);
    *ret_order = order;
    return OK;
}

str
drill_sentence(str text)
{
    text.len = text.len > SENTENCE_BYTES ? SENTENCE_BYTES : text.len;
    while (text.len > 0 && !str_is_text(text)) /* cut in the middle of a character */
        text.len--;
    return text;
}

/* ---- What is said ---- */
error
drill_story_write(struct drill_story *story)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };
    str text = json_text(story->arena, story->said);
    if (text.len == 0 || !disk_replace(story->path.data, text, 0600, unchanged))
        return problem(story->arena, "%s cannot be written: %s.", story->path.data, strerror(errno));
    return OK;
}

error
drill_story_begin(struct arena *arena, str folder, const char *file, struct drill_story *ret_story)
{
    *ret_story =
        (struct drill_story){ .arena = arena,
                              .path = str_format(arena, "%s/%s", folder.data, file),
                              .said =
                                  json_in(arena, json_pack("{s:[], s:s, s:b}", "phases", "problem", "", "isDone", 0)) };
    return ret_story->said == NULL ? fail(arena, OVERLOADED) : OK;
}

static void
end_phase(struct drill_story *story)
{
    json_t *phases = json_object_get(story->said, "phases");
    if (story->phase_began_ms == 0)
        return;
    json_object_set_new(json_array_get(phases, json_array_size(phases) - 1), "ms",
                        json_integer(clock_steady_ms() - story->phase_began_ms));
    story->phase_began_ms = 0;
}

error
drill_story_phase(struct drill_story *story, const char *name)
{
    end_phase(story);
    json_array_append_new(
        json_object_get(story->said, "phases"),
        json_pack("{s:s, s:I, s:i}", "name", name, "startedMs", (json_int_t)clock_now_ms(), "ms", -1));
    story->phase_began_ms = clock_steady_ms();
    return drill_story_write(story);
}

error
drill_story_end(struct drill_story *story, error why)
{
    if (problem_is_of_moment(why)) /* without a word: it is tried again */
        return why;
    str sentence = drill_sentence(why == OK ? STR_EMPTY : why->detail);
    end_phase(story);
    json_object_set_new(story->said, "problem", json_stringn(sentence.data, sentence.len));
    json_object_set_new(story->said, "isDone", json_true());
    return drill_story_write(story);
}
