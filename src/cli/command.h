/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of `reeve`: a table made from the catalog by script/generate-commands. A command is an operation under a
 * name of words. Texts are offsets into one pool, so that the program starts without reading the whole table.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdint.h>

#include "base/str.h"

typedef uint32_t text_place;
extern const char command_texts[];
#define TEXT_AT(place) (command_texts + (place))

/* In the order of the catalog's own types. */
enum command_type {
    FLAG_TEXT,
    FLAG_INTEGER,
    FLAG_NUMBER,
    FLAG_BOOLEAN,
    FLAG_DATE,
    FLAG_ID,
    FLAG_CIDR,
    FLAG_OBJECT,
    FLAG_LIST
};
enum command_method { METHOD_GET, METHOD_POST, METHOD_PUT, METHOD_PATCH, METHOD_DELETE };
enum command_shape { ANSWER_ENTITY, ANSWER_LIST, ANSWER_NOTHING, ANSWER_FILE };
enum command_field_flag {
    FIELD_REQUIRED = 1,
    FIELD_SECRET = 2,
    FIELD_NULLABLE = 4,
    FIELD_DEPRECATED = 8,
    FIELD_JSON = 16,     /* its flag takes JSON: an object, or a list of objects */
    FIELD_USUAL = 128,   /* inside of a list that must be sent, and must be given itself */
    FIELD_ARGUMENT = 64, /* names what is made, so that it can stand behind the command */
    FIELD_SCOPE = 32,    /* a parameter of the path, or a required field, that the profile can provide: project, org */
};
enum command_flag {
    COMMAND_HAS_BODY = 1,
    COMMAND_BODY_IS_LIST = 2,
    COMMAND_DEPRECATED = 4,
    COMMAND_LOSES_DATA = 16, /* cannot be undone */
    COMMAND_OPERATORS = 8,   /* of the operator's API: another address, other credentials */
};

struct command_field {
    text_place flag;
    text_place path; /* in the body, or its name in path or query; [*] is every item of a list, | is between places */
    text_place doc, one_of /* a line each */, fallback, example, bounds;
    text_place form; /* how people write an item of a list of objects: "roleName@databaseName" */
    uint8_t type, item;
    uint16_t flags;
};
struct command_list {
    uint32_t at, count; /* in command_fields */
};
struct command {
    text_place words, operation, path, summary, description, version, who, waits_for, refuses;
    text_place columns; /* separated by spaces */
    text_place example;
    struct command_list parameters, query, body;
    uint16_t family;
    uint8_t method, shape;
    uint16_t flags, success;
};
/* In the order of help: what people use every day, what else there is, and what there is not yet. */
enum command_level { LEVEL_CORE, LEVEL_MORE, LEVEL_NOT_YET };
struct command_family {
    text_place name, title, doc;
    uint32_t at, count;   /* in commands, sorted by their words */
    uint8_t level, order; /* among those of the first level */
};
extern const struct command_field command_fields[];
extern const struct command commands[];
extern const size_t command_count;
extern const struct command_family command_families[];
extern const size_t command_family_count;
extern const char *const command_methods[];

const struct command_family *command_family_find(const char *name);
/* "clusters create" */
str command_name(struct arena *arena, const struct command *command);

/*
 * Reads the name of a command from the front of `words`. If there is no such command, the result still has what was
 * understood: the family, and the words with which some command begins.
 */
struct command_match {
    const struct command_family *family;
    const struct command *command; /* NULL: not yet, or none */
    size_t used;                   /* of the words, the family's name included */
};
struct command_match command_match(const char *const *words, size_t count);
/* Whether the command's words begin with these, each as a whole. */
bool command_begins_with(const struct command *command, const char *const *words, size_t count);
/* The command that reads what this one changes: GET of the same path; NULL when there is none. */
const struct command *command_reading(const struct command *command);
const struct command *command_of_operation(const char *operation);

#define API_PREFIX      "/api/svc/v2"
#define OPERATOR_PREFIX "/operator/v1"
/* The prefix of its path. */
const char *command_prefix(const struct command *command);
bool command_is_operators(const struct command *command); /* NULL is not */

/* How many letters differ between the two; for "did you mean". */
size_t command_distance(const char *a, const char *b);
/* The names nearest to `word` among those that can follow `before`; at most `max`, best first. */
size_t command_suggest(struct arena *arena, const char *const *before, size_t count, const char *word, str *ret_names,
                       size_t max);

/* Whether the path ends with the parameter: then it names what the command works on. */
bool command_ends_with(const struct command *command, const struct command_field *parameter);
/*
 * Whether it can be given as an argument: what the profile cannot provide, and the project or organization that the
 * command works on.
 */
bool command_takes_argument(const struct command *command, const struct command_field *parameter);

/* The field of the body that can stand behind the command, because it names what is made; NULL: none. */
const struct command_field *command_naming_field(const struct command *command);

/*
 * Whether it takes a project ("groupId") or an organization ("orgId"): in its path, or in its body where the profile
 * can provide it.
 */
bool command_has_scope(const struct command *command, const char *name);

/* The field whose flag is `name` (without dashes in front), or whose name in the API it is; NULL: none. */
const struct command_field *command_field_find(const struct command_list *list, str name);

#endif
