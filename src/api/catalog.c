/* SPDX-License-Identifier: Apache-2.0 */
#include "api/catalog.h"

#include <stdlib.h>

#include "api/pattern.h"
#include "api/router.h"
#include "api/validate.h"
#include "base/date.h"

struct entry {
    const struct endpoint *endpoint;
    const struct family *family;
};

struct place {
    const struct endpoint *endpoint;
    size_t index;
};

struct catalog {
    struct arena *arena;
    const struct family *const *families;
    size_t count;
    struct entry *entries;
    struct router *router;
    struct place *places; /* of the endpoints in `entries`, by address */
    /* One links entry for each entity template that has any, found by comparing the template's text. */
    size_t template_count;
    struct template_links {
        const char *template;
        struct links links[LINK_CHOICES];
    } * templates;
};

/* ---- Checks: what is wrong with the tables is said at the start, in sentences, all at once ---- */

static bool
names_parameter(const struct endpoint *endpoint, const char *parameter)
{
    return strstr(endpoint->path, parameter) != NULL;
}

static bool
has_context(const struct endpoint *endpoint)
{
    return names_parameter(endpoint, "{groupId}") || names_parameter(endpoint, "{orgId}") ||
           names_parameter(endpoint, "{federationSettingsId}");
}

static bool
versions_are_dates(const char *since)
{
    str rest = str_from(since);
    int last = 0, day;
    while (rest.len > 0) {
        if (!date_parse_day(str_cut(&rest, ' '), &day) || day <= last)
            return false;
        last = day;
    }
    return last > 0;
}

static bool
forms_are_of_parameters(const struct endpoint *e)
{
    for (const struct field *f = e->path_fields; f != NULL && f->name != NULL; f++) {
        char parameter[128];
        snprintf(parameter, sizeof(parameter), "{%s}", f->name); /* a word of the path may begin with its name */
        if (!names_parameter(e, parameter))
            return false;
    }
    return true;
}

/* The first thing that is wrong with this row, or NULL. */
static const char *
find_mistake(const struct endpoint *e)
{
    if (e->path == NULL || e->method >= METHOD_COUNT || e->set >= SET_COUNT)
        return "has no path, method or set";
    if (e->access.rule == ACCESS_UNDECLARED)
        return "declares no access: who may call it must be said";
    if ((e->access.rule == ACCESS_ROLES || e->access.rule == ACCESS_ANYWHERE) && e->access.roles == 0)
        return "asks for a role but names none";
    if (e->access.rule == ACCESS_ROLES && !has_context(e))
        return "asks for a role in a context, but its path names none";
    if (e->operation == NULL || e->operation[0] == '\0')
        return "has no operation id";
    if (e->summary == NULL || e->summary[0] == '\0' || e->description == NULL || e->description[0] == '\0')
        return "has no summary or no description";
    if (e->read != NULL && e->run != NULL)
        return "has both a read and a handler";
    if (e->refuses != 0 && (e->read != NULL || e->run != NULL || e->waits_for != NULL))
        return "is refused by design, so it has no behaviour and waits for nothing";
    if (e->refuses != 0 && strstr(error_rows[e->refuses].detail, "{}") != NULL)
        return "is refused with an error whose sentence has something to fill in: its reason is shown as it stands in the table";
    if (e->read != NULL && e->method != GET)
        return "is a read, but not a GET";
    if (!endpoint_is_complete(e) && (e->waits_for == NULL || e->waits_for[0] == '\0'))
        return "has no behaviour and does not say what it waits for";
    if (e->since != NULL && !versions_are_dates(e->since))
        return "has versions that are not dates in ascending order";
    if (!forms_are_of_parameters(e))
        return "gives a form to a parameter that its path does not name";
    if (e->access.rule == ACCESS_OPERATOR)
        return NULL; /* operators have no buckets */
    if (set_rows[e->set].scope == SCOPE_PROJECT && !names_parameter(e, "{groupId}"))
        return "shares a bucket of a project, but its path names none";
    if (set_rows[e->set].scope == SCOPE_ORGANIZATION && !names_parameter(e, "{orgId}"))
        return "shares a bucket of an organization, but its path names none";
    if (set_rows[e->set].scope == SCOPE_USER && e->access.rule == ACCESS_PUBLIC)
        return "shares a bucket of a user, but has none: it is public";
    return NULL;
}

static bool
is_one_of(const char *const *texts, const char *text)
{
    for (; texts != NULL && *texts != NULL; texts++) {
        if (strcmp(*texts, text) == 0)
            return true;
    }
    return false;
}

/* What is wrong with a field that decides about further ones, or NULL. */
static const char *
find_variant_mistake(const struct schema *schema, const struct field *decides)
{
    if (field_that_decides(schema->fields) != decides)
        return "decides about further fields, and another one does already";
    if (decides->type != TYPE_TEXT || decides->one_of == NULL || (decides->flags & NULLABLE) != 0)
        return "decides about further fields, so it must be one of several texts";
    if ((decides->flags & (REQUIRED | READ_ONLY)) == 0 && decides->fallback == NULL)
        return "decides about further fields, so it must be required or have a default";
    for (const char *const *one = decides->one_of; *one != NULL; one++) {
        if (field_variant(decides, str_from(*one)) == NULL)
            return "has a value without a variant";
    }
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        if (!is_one_of(decides->one_of, v->value))
            return "has a variant for a value that it cannot have";
        if (field_that_decides(v->further->fields) != NULL)
            return "has a variant that decides about further fields itself";
        for (const struct field *f = v->further->fields; f->name != NULL; f++) {
            if (field_find(schema->fields, str_from(f->name)) != NULL)
                return "has a variant with a field that all of them have";
        }
    }
    return NULL;
}

/* Every field says in a sentence what it is, and every kind of object is described. */
static bool
check_schema(const struct schema *schema, FILE *problems, int depth)
{
    bool good = true;
    if (schema == NULL || depth > 16)
        return true;
    for (const struct field *f = schema->fields; f->name != NULL; f++) {
        const char *mistake = f->doc == NULL || f->doc[0] == '\0' ? "has no sentence"
                              : f->variants != NULL               ? find_variant_mistake(schema, f)
                                                                  : NULL;
        if (mistake != NULL) {
            fprintf(problems, "schema %s: field %s %s\n", schema->name, f->name, mistake);
            good = false;
        }
        good &= check_schema(f->of, problems, depth + 1);
        for (const struct field_variant *v = f->variants; v != NULL && v->value != NULL; v++)
            good &= check_schema(v->further, problems, depth + 1);
    }
    return good;
}

static bool
check_endpoint(const struct catalog *catalog, size_t index, FILE *problems)
{
    const struct endpoint *e = catalog->entries[index].endpoint;
    const char *mistake = find_mistake(e);
    if (mistake != NULL) {
        fprintf(problems, "%s %s %s\n", e->method < METHOD_COUNT ? method_names[e->method] : "?",
                e->path != NULL ? e->path : "?", mistake);
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < index; i++) {
        if (strcmp(catalog->entries[i].endpoint->operation, e->operation) == 0) {
            fprintf(problems, "%s %s: the operation id %s is used twice\n", method_names[e->method], e->path,
                    e->operation);
            good = false;
        }
    }
    if (!router_add(catalog->router, e)) {
        fprintf(problems, "%s %s cannot be routed: it is there twice, or its path is malformed\n",
                method_names[e->method], e->path);
        good = false;
    }
    good &= pattern_check_all(e, problems);
    good &= check_schema(e->request, problems, 0);
    good = check_schema(e->tried, problems, 0) && good;
    return check_schema(e->response, problems, 0) && good;
}

/* ---- Building ---- */

/* By set, and within a set in the order of the tables, which is the specification's. */
static void
sort_by_set(struct entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct entry moved = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1].endpoint->set > moved.endpoint->set; at--)
            entries[at] = entries[at - 1];
        entries[at] = moved;
    }
}

static int
compare_places(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const struct place *)a)->endpoint,
              right = (uintptr_t)((const struct place *)b)->endpoint;
    return (left > right) - (left < right);
}

static bool
collect(struct catalog *catalog)
{
    for (const struct family *const *f = catalog->families; *f != NULL; f++)
        catalog->count += (*f)->count;
    catalog->entries = ARENA_ARRAY(catalog->arena, struct entry, catalog->count);
    if (catalog->entries == NULL)
        return false;
    size_t next = 0;
    for (const struct family *const *f = catalog->families; *f != NULL; f++) {
        for (size_t i = 0; i < (*f)->count; i++)
            catalog->entries[next++] = (struct entry){ &(*f)->endpoints[i], *f };
    }
    sort_by_set(catalog->entries, catalog->count);
    catalog->places = ARENA_ARRAY(catalog->arena, struct place, catalog->count);
    if (catalog->places == NULL)
        return false;
    for (size_t i = 0; i < catalog->count; i++)
        catalog->places[i] = (struct place){ catalog->entries[i].endpoint, i };
    qsort(catalog->places, catalog->count, sizeof(*catalog->places), compare_places);
    return true;
}

/* What stands behind `template` in `path` when that needs no further parameter, else NULL. */
static const char *
link_suffix(const char *template, const char *path)
{
    size_t length = strlen(template);
    if (strncmp(path, template, length) != 0 || (path[length] != '/' && path[length] != ':'))
        return NULL;
    return strchr(path + length, '{') == NULL ? path + length : NULL;
}

/* Whether whoever follows a link to it gets an answer: there is behaviour, it is there, and nothing must be added. */
static bool
can_be_followed(const struct endpoint *e)
{
    if (e->method != GET || !endpoint_is_complete(e) || (e->flags & NOT_ALWAYS_THERE))
        return false;
    for (const struct field *field = e->query; field != NULL && field->name != NULL; field++) {
        if (field->flags & REQUIRED)
            return false;
    }
    return true;
}

/* The template of the entity that this endpoint answers with. */
static const char *
entity_template(const struct endpoint *e)
{
    if (e->below != NULL)
        return e->below;
    return e->method == POST && e->item != NULL ? e->item : e->path;
}

#define LINKS_BEGIN "\"links\":[{\"rel\":\"self\",\"href\":\""
#define LINKS_END   "\"}]"

/* An entity that links to nothing but itself. */
static const str self_only[] = { { LINKS_BEGIN, sizeof(LINKS_BEGIN) - 1 }, { LINKS_END, sizeof(LINKS_END) - 1 } };
static const struct links no_links = { .pieces = self_only, .bytes = sizeof(LINKS_BEGIN) + sizeof(LINKS_END) - 2 };

static bool
build_pieces(struct arena *arena, struct links *links)
{
    str *pieces = ARENA_ARRAY(arena, str, links->count + 2);
    if (pieces == NULL)
        return false;
    pieces[0] = self_only[0];
    const char *before = "";
    for (size_t i = 0; i < links->count; before = links->suffixes[i++]) {
        bool leads_to_all = strcmp(links->suffixes[i], ALL_LINKS_SUFFIX) == 0;
        pieces[i + 1] = str_format(arena, "%s\"},{\"rel\":\"" RELATION_PREFIX "%s\",\"href\":\"", before,
                                   leads_to_all ? ALL_LINKS_RELATION : links->suffixes[i]);
    }
    pieces[links->count + 1] = str_format(arena, "%s" LINKS_END, before);
    for (size_t i = 0; i < links->count + 2; i++)
        links->bytes += pieces[i].len;
    links->pieces = pieces;
    return !arena_is_exhausted(arena);
}

/* The suffixes of what is below `template`; of the main ones only, and then with the one that leads to all. */
static bool
choose_links(const struct catalog *catalog, const char *template, bool only_main, struct links *ret_links)
{
    const char **suffixes = ARENA_ARRAY(catalog->arena, const char *, catalog->count + 1);
    if (suffixes == NULL)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < catalog->count; i++) {
        const struct endpoint *child = catalog->entries[i].endpoint;
        const char *suffix = can_be_followed(child) ? link_suffix(template, child->path) : NULL;
        if (suffix != NULL && (!only_main || (child->flags & MAIN_LINK) != 0))
            suffixes[count++] = suffix;
    }
    if (only_main)
        suffixes[count++] = ALL_LINKS_SUFFIX;
    *ret_links = (struct links){ .count = count, .suffixes = suffixes };
    return build_pieces(catalog->arena, ret_links);
}

static bool
build_links(struct catalog *catalog)
{
    catalog->templates = ARENA_ARRAY(catalog->arena, struct template_links, catalog->count);
    if (catalog->templates == NULL)
        return false;
    for (size_t i = 0; i < catalog->count; i++) {
        const struct endpoint *e = catalog->entries[i].endpoint;
        const char *template = entity_template(e);
        if (e->shape != SHAPE_ENTITY || catalog_links(catalog, template, LINKS_ALL).count > 0)
            continue;
        struct template_links known = { .template = template };
        if (!choose_links(catalog, template, false, &known.links[LINKS_ALL]))
            return false;
        if (known.links[LINKS_ALL].count == 0)
            continue;
        known.links[LINKS_MAIN] = known.links[LINKS_ALL];
        if (known.links[LINKS_ALL].count > FEW_LINKS &&
            !choose_links(catalog, template, true, &known.links[LINKS_MAIN]))
            return false;
        catalog->templates[catalog->template_count++] = known;
    }
    return true;
}

const struct catalog *
catalog_new(const struct family *const *families, FILE *problems)
{
    struct arena *arena = arena_new(8 * 1024 * 1024);
    struct catalog *catalog = arena == NULL ? NULL : ARENA_NEW(arena, struct catalog);
    if (catalog == NULL) {
        arena_free(arena);
        return NULL;
    }
    catalog->arena = arena;
    catalog->families = families;
    catalog->router = router_new(arena);
    bool good = catalog->router != NULL && collect(catalog);
    for (size_t i = 0; good && i < catalog->count; i++) {
        /* Goes on behind a mistake, so that one start shows them all. */
        if (!check_endpoint(catalog, i, problems)) {
            for (i++; i < catalog->count; i++)
                check_endpoint(catalog, i, problems);
            good = false;
        }
    }
    if (!good || !build_links(catalog)) {
        arena_free(arena);
        return NULL;
    }
    return catalog;
}

void
catalog_free(const struct catalog *catalog)
{
    if (catalog != NULL)
        arena_free(catalog->arena);
}

/* ---- Use ---- */

size_t
catalog_count(const struct catalog *catalog)
{
    return catalog->count;
}

const struct endpoint *
catalog_at(const struct catalog *catalog, size_t index)
{
    return catalog->entries[index].endpoint;
}

size_t
catalog_index(const struct catalog *catalog, const struct endpoint *endpoint)
{
    const struct place wanted = { .endpoint = endpoint };
    const struct place *found = bsearch(&wanted, catalog->places, catalog->count, sizeof(wanted), compare_places);
    return found == NULL ? catalog->count : found->index;
}

const struct family *
catalog_family(const struct catalog *catalog, const struct endpoint *endpoint)
{
    size_t index = catalog_index(catalog, endpoint);
    return index < catalog->count ? catalog->entries[index].family : NULL;
}

const struct family *const *
catalog_families(const struct catalog *catalog)
{
    return catalog->families;
}

struct links
catalog_links(const struct catalog *catalog, const char *entity_template, enum link_choice choice)
{
    /* Mostly it is the very text that the table was made from. */
    for (size_t i = 0; i < catalog->template_count; i++) {
        if (catalog->templates[i].template == entity_template)
            return catalog->templates[i].links[choice];
    }
    for (size_t i = 0; i < catalog->template_count; i++) {
        if (strcmp(catalog->templates[i].template, entity_template) == 0)
            return catalog->templates[i].links[choice];
    }
    return no_links;
}

void
catalog_route(const struct catalog *catalog, enum method method, const str *segments, size_t count,
              struct route *ret_route)
{
    router_find(catalog->router, method, segments, count, ret_route);
}

/* ---- Listings ---- */

void
catalog_print_tsv(const struct catalog *catalog, FILE *out)
{
    fprintf(out, "set\ttitle\tscope\tcapacity\trefill_per_60s\tmethod\tpath\n");
    for (size_t i = 0; i < catalog->count; i++) {
        const struct endpoint *e = catalog->entries[i].endpoint;
        const struct set_row *set = &set_rows[e->set];
        if (e->flags & EXTENSION)
            continue;
        fprintf(out, "%s\t%s\t%s\t%lld\t%lld\t%s\t%s\n", set->label, set->title, scope_names[set->scope],
                (long long)set->capacity, (long long)set->refill, method_names[e->method], e->path);
    }
}

void
catalog_print_status(const struct catalog *catalog, FILE *out)
{
    size_t complete = 0, refused = 0, extensions = 0;
    for (size_t i = 0; i < catalog->count; i++) {
        const struct endpoint *e = catalog->entries[i].endpoint;
        if (e->flags & EXTENSION) {
            extensions++;
            fprintf(out, "%-6s %-100s extension\n", method_names[e->method], e->path);
        } else if (e->refuses != 0) {
            refused++;
            fprintf(out, "%-6s %-100s refused: %s\n", method_names[e->method], e->path, error_rows[e->refuses].detail);
        } else if (endpoint_is_complete(e)) {
            complete++;
            fprintf(out, "%-6s %-100s complete\n", method_names[e->method], e->path);
        } else {
            fprintf(out, "%-6s %-100s waiting for %s\n", method_names[e->method], e->path, e->waits_for);
        }
    }
    size_t specified = catalog->count - extensions;
    fprintf(out, "%zu operations: %zu complete, %zu refused, %zu waiting; %zu extensions\n", specified, complete,
            refused, specified - complete - refused, extensions);
}
