/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: parsed, then held against a schema that has every type of field, in each mode. */
#include "fuzz.h"

#include "api/validate.h"

static const char *const colours[] = { "RED", "GREEN", NULL };

// clang-format off
static const struct field tag_fields[] = {
    TEXT("key",   "Key.",   REQUIRED, .min = 1, .max = 5),
    TEXT("value", "Value.", 0, .fallback = "\"none\""),
    END_OF_FIELDS,
};
static const struct schema tag = { "Tag", "Tag.", tag_fields };

static const struct schema condition; /* contains itself */
static const struct field condition_fields[] = {
    TEXT("field", "Field.",  0, .pattern = "^[a-z]+(\\.[a-z]+)*$"),
    LIST("all",   "Nested.", 0, .of = &condition),
    END_OF_FIELDS,
};
static const struct schema condition = { "Condition", "Condition.", condition_fields };

static const char *const kinds[] = { "CIRCLE", "PATH", NULL };
static const struct field circle_fields[] = { INTEGER("size", "Size.", REQUIRED, .min = 1), END_OF_FIELDS };
static const struct field path_fields[] = {
    LIST("size",  "Sizes.", REQUIRED, .of = &tag),
    BOOL("open",  "Open.",  0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema circle = { "Circle", "Circle.", circle_fields }, path = { "Path", "Path.", path_fields };
static const struct field_variant shapes[] = { { "CIRCLE", &circle }, { "PATH", &path }, END_OF_VARIANTS };
static const struct field shape_fields[] = {
    TEXT("kind", "Kind.", REQUIRED, .one_of = kinds, .variants = shapes),
    TEXT("note", "Note.", 0, .max = 9),
    END_OF_FIELDS,
};
static const struct schema shape = { "Shape", "One of two kinds.", shape_fields };

static const struct field every_fields[] = {
    TEXT("text",     "Text.",     REQUIRED, .min = 1, .max = 4),
    TEXT("slug",     "Slug.",     0, .pattern = "([a-z0-9]+-)*[a-z0-9]+"),
    TEXT("colour",   "Colour.",   0, .one_of = colours),
    TEXT("fixed",    "Fixed.",    CREATE_ONLY),
    TEXT("state",    "State.",    READ_ONLY),
    TEXT("secret",   "Secret.",   WRITE_ONLY | NULLABLE),
    INTEGER("size",  "Size.",     0, .min = 1, .max = 10, .fallback = "3"),
    NUMBER("ratio",  "Ratio.",    0, .max = 1),
    BOOL("on",       "On.",       0, .fallback = "false"),
    DATE("date",     "Date.",     NULLABLE),
    ID("id",         "Id.",       0),
    CIDR("block",    "Block.",    0),
    OBJECT("tag",    "Nested.",   0, .of = &tag),
    OBJECT("any",    "Anything.", 0),
    LIST("tags",     "Tags.",     0, .of = &tag, .max = 2),
    LIST("colours",  "Colours.",  0, .one_of = colours, .min = 1),
    LIST("ids",      "Ids.",      0, .item = TYPE_ID),
    OBJECT("when",   "Deep.",     0, .of = &condition),
    OBJECT("shape",  "Shape.",    0, .of = &shape),
    LIST("shapes",   "Shapes.",   0, .of = &shape, .max = 9),
    END_OF_FIELDS,
};
static const struct schema every = { "Every", "Every type.", every_fields };
// clang-format on

static void
must_validate_again(struct arena *arena, enum validate_mode mode, json_t *body)
{
    error e = validate_body(arena, &every, mode, body);
    if (e != OK) {
        must_be_presentable(arena, e);
        return;
    }
    /* What was accepted is accepted again, now with its defaults, after it went through text. */
    json_t *again = json_parse_own(arena, json_text(arena, body));
    MUST(again != NULL && json_equal(again, body));
    MUST(validate_body(arena, &every, mode, again) == OK);
    MUST(json_equal(again, body));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum validate_mode modes[] = { VALIDATE_CREATE, VALIDATE_REPLACE, VALIDATE_UPDATE };
    struct arena *arena = arena_new(16 << 20);
    json_t *body = NULL;
    error e = json_parse(arena, input(data, size), &body);
    if (e != OK) {
        must_be_presentable(arena, e);
        MUST(body == NULL);
    }
    if (body != NULL)
        must_validate_again(arena, modes[way_of(data, size, LENGTH(modes))], body);
    MUST(!arena_is_exhausted(arena));
    arena_free(arena);
    return 0;
}
