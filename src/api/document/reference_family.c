/* SPDX-License-Identifier: Apache-2.0 */
/* The page of one family: each operation with who may call it, its fields, its answer, and how to try it. */
#include <inttypes.h>

#include "api/document/openapi.h"
#include "api/document/reference.h"
#include "api/media.h"
#include "api/render.h"
#include "api/validate.h"

static const char *const type_words[] = {
    [TYPE_TEXT] = "text",       [TYPE_INTEGER] = "integer", [TYPE_NUMBER] = "number",
    [TYPE_BOOLEAN] = "boolean", [TYPE_DATE] = "date",       [TYPE_ID] = "identifier",
    [TYPE_CIDR] = "CIDR block", [TYPE_OBJECT] = "object",   [TYPE_LIST] = "list",
};

/* In a cell of a table a bar would end the cell. */
static void
print_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void
print_type(FILE *out, const struct field *f)
{
    if (f->type == TYPE_LIST)
        fprintf(out, "list of %ss", f->of != NULL ? "object" : type_words[f->item]);
    else
        fprintf(out, "%s", type_words[f->type]);
}

static void
print_limits(FILE *out, const struct field *f)
{
    const char *unit = f->type == TYPE_TEXT ? " characters" : f->type == TYPE_LIST ? " items" : "";
    bool has_min = field_has_min(f) && (f->min != 0 || f->type == TYPE_INTEGER || f->type == TYPE_NUMBER);
    if (has_min && field_has_max(f))
        fprintf(out, " From %" PRId64 " to %" PRId64 "%s.", f->min, f->max, unit);
    else if (has_min)
        fprintf(out, " At least %" PRId64 "%s.", f->min, unit);
    else if (field_has_max(f))
        fprintf(out, " At most %" PRId64 "%s.", f->max, unit);
    if (f->one_of != NULL) {
        fprintf(out, " One of");
        for (const char *const *one = f->one_of; *one != NULL; one++)
            fprintf(out, "%s `%s`", one == f->one_of ? "" : ",", *one);
        fprintf(out, ".");
    }
    if (f->pattern != NULL) {
        fprintf(out, " Pattern `");
        print_cell(out, f->pattern);
        fprintf(out, "`.");
    }
    if (f->fallback != NULL)
        fprintf(out, " Default `%s`.", f->fallback);
}

static bool
is_shown(const struct field *f, const struct endpoint *e, bool sent)
{
    if (!sent)
        return (f->flags & WRITE_ONLY) == 0;
    return (f->flags & READ_ONLY) == 0 && ((f->flags & CREATE_ONLY) == 0 || e->method == POST);
}

enum { DEEPEST_SCHEMA = 6 };

static void print_variants(FILE *out, const struct endpoint *e, const struct field *decides, bool sent,
                           const char *inside, int depth);

/* Nested fields follow their object, with its name in front; those of one kind only follow those of all kinds. `kind` is what
 * the sentence of each field begins with. */
static void
print_fields(FILE *out, const struct endpoint *e, const struct field *fields, bool sent, const char *inside,
             const char *kind, int depth)
{
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        if (!is_shown(f, e, sent))
            continue;
        bool required = sent && (f->flags & REQUIRED) != 0 && (e->method != PATCH || depth > 0);
        fprintf(out, "| `%s%s` | ", inside, f->name);
        print_type(out, f);
        fprintf(out, "%s | %s", required ? ", required" : "", kind);
        print_cell(out, f->doc);
        print_limits(out, f);
        fprintf(out, "%s |\n", (f->flags & DEPRECATED_FIELD) != 0 ? " Deprecated." : "");
        if (f->of != NULL && depth < DEEPEST_SCHEMA) {
            char path[512];
            snprintf(path, sizeof(path), "%s%s%s.", inside, f->name, f->type == TYPE_LIST ? "[]" : "");
            print_fields(out, e, f->of->fields, sent, path, "", depth + 1);
        }
    }
    const struct field *decides = field_that_decides(fields);
    if (decides != NULL)
        print_variants(out, e, decides, sent, inside, depth);
}

/* Rows of the table that describe the same further fields are one kind. */
static void
print_variants(FILE *out, const struct endpoint *e, const struct field *decides, bool sent, const char *inside,
               int depth)
{
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        const struct field_variant *first = decides->variants;
        while (first->further != v->further)
            first++;
        if (first != v)
            continue;
        char kind[512];
        int length = snprintf(kind, sizeof(kind), "With `%s`", decides->name);
        for (const struct field_variant *same = v; same->value != NULL; same++) {
            if (same->further == v->further && length < (int)sizeof(kind))
                length += snprintf(kind + length, sizeof(kind) - (size_t)length, "%s `%s`", same == v ? "" : ",",
                                   same->value);
        }
        if (length < (int)sizeof(kind))
            snprintf(kind + length, sizeof(kind) - (size_t)length, ": ");
        print_fields(out, e, v->further->fields, sent, inside, kind, depth);
    }
}

static void
print_field_table(FILE *out, const char *heading, const struct endpoint *e, const struct field *fields, bool sent)
{
    if (fields == NULL || fields->name == NULL)
        return;
    fprintf(out, "**%s**\n\n| Name | Type | Meaning |\n|---|---|---|\n", heading);
    print_fields(out, e, fields, sent, "", "", 0);
    fputc('\n', out);
}

/* "groupId" as "GROUP_ID" */
static void
print_variable(FILE *out, str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (c >= 'A' && c <= 'Z')
            fputc('_', out);
        fputc(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c, out);
    }
}

static void
print_path(FILE *out, const char *path)
{
    for (const char *c = path; *c != '\0'; c++) {
        if (*c != '{') {
            fputc(*c, out);
            continue;
        }
        const char *end = strchr(c, '}');
        fprintf(out, "${");
        print_variable(out, (str){ c + 1, (size_t)(end - c - 1) });
        fputc('}', out);
        c = end;
    }
}

/* "?granularity=PT1H": what must be asked for, as its example has it. */
static void
print_needed_query(FILE *out, const struct endpoint *e)
{
    char separator = '?';
    for (const struct field *f = e->query; f != NULL && f->name != NULL; f++) {
        if ((f->flags & REQUIRED) == 0 || f->example == NULL)
            continue;
        json_t *example = json_loads(f->example, JSON_DECODE_ANY, NULL);
        const json_t *value = json_is_array(example) ? json_array_get(example, 0) : example;
        if (json_is_string(value))
            fprintf(out, "%c%s=%s", separator, f->name, json_string_value(value));
        json_decref(example);
        separator = '&';
    }
}

static bool
is_operators(const struct endpoint *e)
{
    return e->access.rule == ACCESS_OPERATOR;
}

void
reference_curl(const struct endpoint *e, FILE *out)
{
    str version = media_newest(e);
    fprintf(out, "curl --fail-with-body");
    if (e->method != GET)
        fprintf(out, " --request %s", method_names[e->method]);
    if (e->access.rule != ACCESS_PUBLIC)
        fprintf(out, " --header \"Authorization: Bearer ${%s}\"", is_operators(e) ? "REEVE_OPERATOR_TOKEN" : "TOKEN");
    if (is_operators(e))
        fprintf(out, " \\\n");
    else
        fprintf(out, " \\\n    --header \"Accept: application/vnd.svc.%.*s+json\" \\\n", STR_ARG(version));
    if (e->example != NULL) {
        fprintf(out, "    --header \"Content-Type: application/json\" \\\n    --data '");
        for (const char *c = e->example; *c != '\0'; c++) {
            if (*c == '\'')
                fputs("'\\''", out); /* the shell's way to write a quote inside quotes */
            else
                fputc(*c, out);
        }
        fprintf(out, "' \\\n");
    }
    fprintf(out, "    \"${%s}", is_operators(e) ? "REEVE_OPERATOR_URL" : "REEVE");
    fputs(is_operators(e) ? OPERATOR_PREFIX : API_PREFIX, out);
    print_path(out, e->path);
    print_needed_query(out, e);
    fprintf(out, "\"\n");
}

static void
print_path_parameters(FILE *out, struct arena *arena, const struct endpoint *e)
{
    str rest = str_from(e->path), name;
    if (strchr(e->path, '{') == NULL)
        return;
    fprintf(out, "**Path**\n\n| Name | Meaning |\n|---|---|\n");
    while (path_next_parameter(&rest, &name)) {
        str doc = path_parameter_doc(arena, e, name);
        fprintf(out, "| `%.*s` | %.*s |\n", STR_ARG(name), STR_ARG(doc));
    }
    fputc('\n', out);
}

static void
print_operation(FILE *out, struct arena *arena, const struct endpoint *e)
{
    const struct set_row *set = &set_rows[e->set];
    str who = access_text(arena, &e->access), version = media_newest(e);
    fprintf(out, "%s %s\n\n`%s %s`\n\n", is_operators(e) ? "###" : "##", e->summary, method_names[e->method],
            e->path[0] == '\0' ? "/" : e->path);
    if ((e->flags & DEPRECATED) != 0)
        fprintf(out, "Deprecated. ");
    fprintf(out, "%s\n\n", e->description);
    if (!endpoint_is_complete(e))
        fprintf(out, "> Not implemented yet: the answer is 501. It waits for %s.\n\n", e->waits_for);
    if (e->refuses != 0)
        fprintf(out, "> Refused: %s The answer is %u [`%s`](../errors.md). %s\n\n", error_rows[e->refuses].detail,
                error_rows[e->refuses].status, error_rows[e->refuses].name, error_rows[e->refuses].remedy);
    fprintf(out, "| | |\n|---|---|\n| Operation | `%s` |\n", e->operation);
    if (!is_operators(e)) {
        fprintf(out, "| Who may call it | %.*s |\n", STR_ARG(who));
        fprintf(out, "| Rate limit | [%s](../rate-limits.md): %lld, refilled with %lld every %d s |\n", set->label,
                (long long)set->capacity, (long long)set->refill, REFILL_PERIOD_S);
    }
    fprintf(out, "| Success | %u %s |\n", endpoint_success_status(e), error_reason(endpoint_success_status(e)));
    if (!is_operators(e))
        fprintf(out, "| Newest version | %.*s |\n", STR_ARG(version));
    if ((e->flags & ALSO_V1) != 0)
        fprintf(out, "| Also at | `/api/svc/v1.0%s` |\n", e->path);
    fputc('\n', out);
    print_path_parameters(out, arena, e);
    print_field_table(out, "Query", e, e->query, true);
    print_field_table(out, "Body", e, e->request == NULL ? NULL : e->request->fields, true);
    print_field_table(out, e->shape == SHAPE_LIST ? "Each of the results" : "Answer", e,
                      e->response == NULL ? NULL : e->response->fields, false);
    fprintf(out, "```sh\n");
    reference_curl(e, out);
    fprintf(out, "```\n\n");
}

void
reference_family(const struct family *family, FILE *out)
{
    fprintf(out,
            "%s\n# %s\n\n%s\n\nAll paths are relative to `/api/svc/v2`. Every operation also takes `envelope` and "
            "`pretty`, lists take `pageNum`, `itemsPerPage` and `includeCount`, changes take `dryRun`.\n\n",
            REFERENCE_NOTE, family->title, family->doc);
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(8 * 1024 * 1024);
    if (arena == NULL)
        return;
    for (size_t i = 0; i < family->count; i++)
        print_operation(out, arena, &family->endpoints[i]);
}

void
reference_operator(const struct catalog *catalog, FILE *out)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(8 * 1024 * 1024);
    if (arena == NULL)
        return;
    fprintf(out,
            "%s\n# The operator's API\n\nHow operators manage hosts, places, jobs, limits and organizations. It is "
            "served on `operator_listen`, and `reeve fleet` has a command for each operation. "
            "[Operating](../operating.md) says how to begin.\n\nAll paths are relative to `" OPERATOR_PREFIX
            "`. Every request needs `Authorization: Bearer TOKEN` with a token that `reeved operator add` made; over "
            "plain HTTP only from the node itself. Errors are [the same documents](errors.md) as those of the tenants' "
            "API. Every operation also takes `envelope` and `pretty`, lists take `pageNum`, `itemsPerPage` and "
            "`includeCount`, changes take `dryRun`, and a POST may have an `Idempotency-Key`.\n\n",
            REFERENCE_NOTE);
    for (const struct family *const *f = catalog_families(catalog); *f != NULL; f++) {
        fprintf(out, "## %s\n\n%s\n\n", (*f)->title, (*f)->doc);
        for (size_t i = 0; i < (*f)->count; i++)
            print_operation(out, arena, &(*f)->endpoints[i]);
    }
}
