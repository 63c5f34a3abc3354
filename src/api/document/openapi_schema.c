/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of the OpenAPI document from the field tables. */
#include "api/document/openapi_parts.h"
#include "api/validate.h"

#define ID_PATTERN "^[0-9a-f]{24}$"

static bool
is_sent(enum variant variant)
{
    return variant == SENT || variant == REPLACEMENT || variant == UPDATE;
}

/* Whether the field is there at all when the schema is used this way. */
static bool
is_in_variant(const struct field *field, enum variant variant)
{
    if (!is_sent(variant))
        return (field->flags & WRITE_ONLY) == 0;
    if ((field->flags & READ_ONLY) != 0)
        return false;
    return variant == SENT || (field->flags & CREATE_ONLY) == 0;
}

/* As the validator does: nested objects in the mode of the whole, items of lists as created. */
static enum variant
variant_inside(const struct field *field, enum variant variant)
{
    if (!is_sent(variant))
        return PART;
    return field->type == TYPE_LIST ? SENT : variant;
}

static json_t *
json_of(const char *text)
{
    return json_loads(text, JSON_DECODE_ANY, NULL);
}

/* ECMA's patterns look anywhere in a text; ours speak about the whole. */
static void
put_pattern(struct openapi *o, json_t *schema, const char *pattern)
{
    size_t length = strlen(pattern);
    bool anchored = length > 1 && pattern[0] == '^' && pattern[length - 1] == '$' && pattern[length - 2] != '\\' &&
                    strchr(pattern, '|') == NULL;
    put_str(o, schema, "pattern", anchored ? str_from(pattern) : str_format(o->arena, "^(?:%s)$", pattern));
}

static void
put_bounds(struct openapi *o, json_t *schema, const struct field *field, const char *min, const char *max)
{
    if (field_has_min(field) && (field->min != 0 || field->type == TYPE_INTEGER || field->type == TYPE_NUMBER))
        put(o, schema, min, json_integer(field->min));
    if (field_has_max(field))
        put(o, schema, max, json_integer(field->max));
}

static const char *const json_types[] = {
    [TYPE_TEXT] = "string",     [TYPE_INTEGER] = "integer", [TYPE_NUMBER] = "number",
    [TYPE_BOOLEAN] = "boolean", [TYPE_DATE] = "string",     [TYPE_ID] = "string",
    [TYPE_CIDR] = "string",     [TYPE_OBJECT] = "object",   [TYPE_LIST] = "array",
};

/* A value that is neither an object with fields nor a list; `bounded` unless it is an item of one. */
static json_t *
scalar_schema(struct openapi *o, const struct field *field, enum field_type type, bool bounded)
{
    json_t *schema = json_object();
    put_text(o, schema, "type", json_types[type]);
    if (type == TYPE_INTEGER)
        put_text(o, schema, "format", "int64");
    if (type == TYPE_DATE)
        put_text(o, schema, "format", "date-time");
    if (type == TYPE_ID)
        put_text(o, schema, "pattern", ID_PATTERN);
    if (type == TYPE_OBJECT)
        put(o, schema, "additionalProperties", json_true());
    if (bounded && type == TYPE_TEXT)
        put_bounds(o, schema, field, "minLength", "maxLength");
    if (bounded && (type == TYPE_INTEGER || type == TYPE_NUMBER))
        put_bounds(o, schema, field, "minimum", "maximum");
    if (field->pattern != NULL)
        put_pattern(o, schema, field->pattern);
    if (field->one_of != NULL) {
        json_t *values = json_array();
        for (const char *const *one = field->one_of; *one != NULL; one++)
            push(o, values, json_string(*one));
        put(o, schema, "enum", values);
    }
    return schema;
}

static json_t *
value_schema(struct openapi *o, const struct field *field, enum variant variant)
{
    enum variant inside = variant_inside(field, variant);
    if (field->type == TYPE_OBJECT && field->of != NULL)
        return schema_ref(o, field->of, inside);
    if (field->type != TYPE_LIST)
        return scalar_schema(o, field, field->type, true);
    json_t *schema = json_object();
    put_text(o, schema, "type", "array");
    put(o, schema, "items",
        field->of != NULL ? schema_ref(o, field->of, inside) : scalar_schema(o, field, field->item, false));
    put_bounds(o, schema, field, "minItems", "maxItems");
    return schema;
}

/* In JSON Schema null is a type of its own. */
static json_t *
or_null(struct openapi *o, json_t *schema)
{
    json_t *type = json_object_get(schema, "type"), *values = json_object_get(schema, "enum");
    if (type == NULL) {
        json_t *either = json_object(), *choices = json_array();
        push(o, choices, schema);
        push(o, choices, json_pack("{s:s}", "type", "null"));
        put(o, either, "anyOf", choices);
        return either;
    }
    put(o, schema, "type", json_pack("[O,s]", type, "null"));
    if (values != NULL)
        push(o, values, json_null());
    return schema;
}

json_t *
parameter_schema(struct openapi *o, const struct field *field)
{
    json_t *schema = value_schema(o, field, SENT);
    if (field->fallback != NULL)
        put(o, schema, "default", json_of(field->fallback));
    return schema;
}

json_t *
field_schema(struct openapi *o, const struct field *field, enum variant variant)
{
    json_t *schema = value_schema(o, field, variant);
    if ((field->flags & NULLABLE) != 0)
        schema = or_null(o, schema);
    put_text(o, schema, "description", field->doc);
    if (field->unit != NULL && field->unit[0] != '\0')
        put_text(o, schema, "x-unit", field->unit);
    if ((field->flags & READ_ONLY) != 0)
        put(o, schema, "readOnly", json_true());
    if ((field->flags & WRITE_ONLY) != 0)
        put(o, schema, "writeOnly", json_true());
    if ((field->flags & DEPRECATED_FIELD) != 0)
        put(o, schema, "deprecated", json_true());
    if (is_sent(variant) && variant != UPDATE && field->fallback != NULL)
        put(o, schema, "default", json_of(field->fallback));
    if (field->example != NULL)
        put(o, schema, "examples", json_pack("[o]", json_of(field->example)));
    return schema;
}

/* ---- Named schemas ---- */
static bool
is_an_entity(const struct openapi *o, const struct schema *schema)
{
    for (size_t i = 0; i < catalog_count(o->catalog); i++) {
        const struct endpoint *e = catalog_at(o->catalog, i);
        if (e->tried == schema)
            return true;
        if (e->response == schema && (e->shape == SHAPE_ENTITY || e->shape == SHAPE_LIST))
            return true;
    }
    return false;
}

/* The name of a kind stands before that of the whole. */
static str
variant_name(struct openapi *o, const struct schema *schema, const struct schema *further, enum variant variant)
{
    static const char *const suffixes[] = {
        [RETURNED] = "", [PART] = "Part", [SENT] = "Input", [REPLACEMENT] = "Replacement", [UPDATE] = "Update",
    };
    bool plain = variant == PART && !is_an_entity(o, schema);
    return str_format(o->arena, "%s%s%s", further == NULL ? "" : further->name, schema->name,
                      plain ? "" : suffixes[variant]);
}

/* Of the field that decides, only the values that lead here. */
static void
narrow(struct openapi *o, const struct field *decides, const struct schema *further, enum variant variant,
       json_t *property, bool *needed)
{
    json_t *values = json_array();
    const json_t *fallback = json_object_get(property, "default");
    bool is_fallback = false;
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        if (v->further != further)
            continue;
        push(o, values, json_string(v->value));
        is_fallback |= fallback != NULL && strcmp(json_string_value(fallback), v->value) == 0;
    }
    put(o, property, "enum", values);
    if (!is_fallback)
        json_object_del(property, "default");
    /* Without it nobody could tell the kinds apart, except in a change. */
    *needed = variant != UPDATE && !is_fallback;
}

static void
put_fields(struct openapi *o, const struct field *fields, const struct schema *further, enum variant variant,
           json_t *properties, json_t *required)
{
    for (const struct field *f = fields; f->name != NULL; f++) {
        if (!is_in_variant(f, variant))
            continue;
        json_t *property = field_schema(o, f, variant);
        bool needed = is_sent(variant) ? variant != UPDATE && (f->flags & REQUIRED) != 0 : (f->flags & ALWAYS) != 0;
        if (f->variants != NULL)
            narrow(o, f, further, variant, property, &needed);
        put(o, properties, f->name, property);
        if (needed)
            push(o, required, json_string(f->name));
    }
}

static json_t *
object_schema(struct openapi *o, const struct schema *schema, const struct schema *further, enum variant variant)
{
    json_t *object = json_object(), *properties = json_object(), *required = json_array();
    const char *doc = further != NULL ? further->doc : schema->doc;
    put_text(o, object, "type", "object");
    if (doc != NULL)
        put_text(o, object, "description", doc);
    put_fields(o, schema->fields, further, variant, properties, required);
    if (further != NULL)
        put_fields(o, further->fields, NULL, variant, properties, required);
    if (variant == RETURNED) {
        put(o, properties, "links", ref(o, "schemas", "Links"));
        push(o, required, json_string("links"));
    }
    if (json_array_size(required) > 0)
        put(o, object, "required", json_incref(required));
    json_decref(required);
    put(o, object, "properties", properties);
    if (is_sent(variant))
        put(o, object, "additionalProperties", json_false());
    return object;
}

/* Two tables may use one name. The second then gets a number, which a test reports. */
static const char *
free_name(struct openapi *o, str wanted)
{
    str name = wanted;
    for (int i = 2; json_object_get(o->schemas, name.data) != NULL; i++)
        name = str_format(o->arena, "%.*s%d", STR_ARG(wanted), i);
    return name.data;
}

static json_t *kinds_schema(struct openapi *o, const struct schema *schema, enum variant variant);

/* `further` NULL: the whole, which is either an object or a choice among its kinds. */
static json_t *
kind_ref(struct openapi *o, const struct schema *schema, const struct schema *further, enum variant variant)
{
    for (size_t i = 0; i < o->made_count; i++) {
        if (o->made[i].schema == schema && o->made[i].further == further && o->made[i].variant == variant)
            return ref(o, "schemas", o->made[i].name);
    }
    if (o->made_count == OPENAPI_MAX_SCHEMAS) {
        o->failed = true;
        return NULL;
    }
    const char *name = free_name(o, variant_name(o, schema, further, variant));
    o->made[o->made_count++] = (struct made){ schema, further, variant, name };
    /* Taken before it is filled: a schema may contain itself. */
    put(o, o->schemas, name, json_object());
    bool is_choice = further == NULL && field_that_decides(schema->fields) != NULL;
    put(o, o->schemas, name, is_choice ? kinds_schema(o, schema, variant) : object_schema(o, schema, further, variant));
    return ref(o, "schemas", name);
}

/* A choice: exactly one kind, named by the field that decides. A discriminator must be there; a change may leave the field
 * out, and so may a body when it has a default. */
static json_t *
kinds_schema(struct openapi *o, const struct schema *schema, enum variant variant)
{
    const struct field *decides = field_that_decides(schema->fields);
    bool may_be_missing = variant == UPDATE || (is_sent(variant) && decides->fallback != NULL);
    bool is_named = !may_be_missing && is_in_variant(decides, variant);
    json_t *choice = json_object(), *kinds = json_array(), *mapping = json_object();
    if (schema->doc != NULL)
        put_text(o, choice, "description", schema->doc);
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        json_t *kind = kind_ref(o, schema, v->further, variant);
        put(o, mapping, v->value, json_incref(json_object_get(kind, "$ref")));
        bool is_there = false;
        for (size_t i = 0; i < json_array_size(kinds); i++)
            is_there |= json_equal(json_array_get(kinds, i), kind);
        if (is_there)
            json_decref(kind);
        else
            push(o, kinds, kind);
    }
    put(o, choice, is_named ? "oneOf" : "anyOf", kinds);
    if (is_named)
        put(o, choice, "discriminator", json_pack("{s:s,s:O}", "propertyName", decides->name, "mapping", mapping));
    json_decref(mapping);
    return choice;
}

json_t *
schema_ref(struct openapi *o, const struct schema *schema, enum variant variant)
{
    return kind_ref(o, schema, NULL, variant);
}

json_t *
undescribed_ref(struct openapi *o)
{
    if (json_object_get(o->schemas, "Entity") == NULL)
        put(o, o->schemas, "Entity",
            json_pack("{s:s,s:s,s:{s:o},s:b}", "type", "object", "description", "The fields are not described yet.",
                      "properties", "links", ref(o, "schemas", "Links"), "additionalProperties", 1));
    return ref(o, "schemas", "Entity");
}

json_t *
list_ref(struct openapi *o, const struct schema *schema)
{
    const char *name = "List";
    json_t *item = schema == NULL ? undescribed_ref(o) : schema_ref(o, schema, RETURNED);
    if (schema != NULL) {
        const char *item_name = strrchr(json_string_value(json_object_get(item, "$ref")), '/') + 1;
        name = str_format(o->arena, "%sList", item_name).data;
    }
    if (json_object_get(o->schemas, name) != NULL) {
        json_decref(item);
        return ref(o, "schemas", name);
    }
    json_t *properties = json_object();
    put(o, properties, "totalCount",
        json_pack("{s:s,s:s,s:i,s:s}", "type", "integer", "format", "int64", "minimum", 0, "description",
                  "Number of items on all pages; only with includeCount."));
    put(o, properties, "results",
        json_pack("{s:s,s:o,s:s}", "type", "array", "items", item, "description", "The items of this page."));
    put(o, properties, "links", ref(o, "schemas", "Links"));
    put(o, o->schemas, name,
        json_pack("{s:s,s:s,s:[s,s],s:o}", "type", "object", "description", "One page of a list.", "required",
                  "results", "links", "properties", properties));
    return ref(o, "schemas", name);
}
