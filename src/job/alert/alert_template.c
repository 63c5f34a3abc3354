/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_template.h"

#include "base/json.h"

enum { MOST_PLACES = 64, BODY_MAX_BYTES = 64 * 1024 };

#define FACT_NAME(name) #name,
static const char *const fact_names[] = { ALERT_TEMPLATE_FACTS(FACT_NAME) NULL };

static str
fill(struct arena *arena, str text, const str facts[ALERT_TEMPLATE_FACT_COUNT], const char **ret_problem)
{
    struct buf out = buf_in(arena, BODY_MAX_BYTES);
    size_t places = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (i + 1 == text.len || text.data[i] != '{' || text.data[i + 1] != '{') {
            buf_add_char(&out, text.data[i]);
            continue;
        }
        size_t from = i + 2, to = from;
        while (to < text.len && text.data[to] != '}')
            to++;
        int fact = str_word(str_trim((str){ text.data + from, to - from }), fact_names);
        if (fact < 0 || to + 1 >= text.len || text.data[to + 1] != '}') {
            *ret_problem = "what stands between {{ and }} must be the name of a fact";
            return STR_EMPTY;
        }
        if (++places > MOST_PLACES) {
            *ret_problem = "it has more than 64 places to fill";
            return STR_EMPTY;
        }
        buf_add_json_inside(&out, facts[fact]); /* of the quotes that it stands between */
        i = to + 1;
    }
    return buf_str(&out);
}

/* Filled with what can stand between quotes and nowhere else, but for the one number, it must be what a receiver can read. */
str
alert_template_problem(struct arena *arena, str text)
{
    const char *problem = NULL;
    str facts[ALERT_TEMPLATE_FACT_COUNT];
    for (int i = 0; i < ALERT_TEMPLATE_FACT_COUNT; i++)
        facts[i] = i == TEMPLATE_value ? STR("0") : STR("x");
    str filled = fill(arena, text, facts, &problem);
    if (problem != NULL)
        return str_from(problem);
    json_t *body = filled.len == 0 ? NULL : json_loadb(filled.data, filled.len, JSON_REJECT_DUPLICATES, NULL);
    bool is_object = json_is_object(body);
    json_decref(body);
    return is_object ? STR_EMPTY : STR("it must be a JSON object, with facts between quotes");
}

str
alert_template_fill(struct arena *arena, str text, const str facts[ALERT_TEMPLATE_FACT_COUNT])
{
    const char *problem = NULL;
    return fill(arena, text, facts, &problem);
}
