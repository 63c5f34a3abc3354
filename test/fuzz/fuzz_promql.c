/* SPDX-License-Identifier: Apache-2.0 */
/* What tenants ask stores: whatever is passed on has the project right behind every brace, and is read as an expression again. */
#include "fuzz.h"

#include "monitor/promql.h"
#include "monitor/tool_question.h"

#define PROJECT "650000000000000000000001"
#define MATCHER "project=\"" PROJECT "\""

static const id project = { { 0x65, [11] = 1 }, true };

/* Written apart from the reader: a text ends at its quote, and behind a backslash nothing does. */
static void
must_be_confined(str text)
{
    char quote = '\0';
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (quote != '\0') {
            if (c == '\\')
                i++;
            else if (c == quote)
                quote = '\0';
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '{') {
            MUST(str_starts_with(str_slice(text, i + 1, text.len), STR(MATCHER)));
        } else {
            MUST(c != '`' && c != '#' && c != '$' && c != ';');
        }
    }
    MUST(quote == '\0');
}

static void
confine(struct arena *arena, str sent)
{
    const struct promql_span span = { 3600 * 1000, 60 * 1000 };
    str text, again, why = STR_EMPTY;
    if (!promql_confine(arena, sent, span, project, &text, &why)) {
        MUST(why.len > 0);
        return;
    }
    must_be_confined(text);
    MUST(text.len > PROMQL_MOST_BYTES || promql_confine(arena, text, span, project, &again, &why));
    if (promql_confine_selector(arena, sent, project, &text, &why))
        must_be_confined(text);
}

static void
ask(struct arena *arena, str sent)
{
    static const str paths[] = {
        { "/api/v1/query", 13 }, { "/api/v1/query_range", 19 }, { "/api/v1/labels", 14 }, { "/api/v1/series", 14 }
    };
    struct tool_parameters given = { 0 };
    struct tool_question question;
    str why;
    if (!tool_parameters_add(arena, sent, &given))
        return;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        enum tool_verdict verdict =
            tool_question_make(arena, paths[i], &given, project, 1794938400123, &question, &why);
        MUST(verdict == TOOL_FINE || (verdict == TOOL_REFUSED && why.len > 0));
        const char *filter = verdict == TOOL_FINE ? strstr(question.form.data, "&extra_") : NULL;
        MUST(verdict != TOOL_FINE ||
             (filter != NULL &&
              str_starts_with(str_from(filter), STR("&extra_filters%5B%5D=%7Bproject%3D%22" PROJECT
                                                    "%22%7D&extra_label=project%3D" PROJECT "&nocache=1"))));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(16 << 20);
    confine(arena, input(data, size));
    ask(arena, input(data, size));
    arena_free(arena);
    return 0;
}
