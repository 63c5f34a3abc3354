/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract is in tables: families declare endpoints and fields with the types of this header. Routing, access
 * control, rate limits, validation, links, OpenAPI, documentation and the test matrices are made from them.
 */
#ifndef API_CONTRACT_H
#define API_CONTRACT_H

#include "auth/project_switch.h"
#include "auth/role.h"
#include "base/error.h"
#include "limit/set_table.h"
#include "store/event/event.h"
#include "store/store.h"

struct request;

enum method { GET, POST, PUT, PATCH, DELETE, METHOD_COUNT }; /* HEAD is GET without its body */
extern const char *const method_names[METHOD_COUNT];

/* ---- Access: a column of every row. A row without it does not start. ---- */
enum access_rule {
    ACCESS_UNDECLARED,
    ACCESS_PUBLIC,     /* no credentials needed */
    ACCESS_ANY_CALLER, /* any valid credentials */
    ACCESS_ROLES,      /* one of the roles, in the organization or project that the path names */
    ACCESS_ANYWHERE,   /* one of the roles, in any organization or project: the path names none */
    ACCESS_OPERATOR,   /* callers with an operator's token; only in the operator's API (operator/) */
};
struct access {
    enum access_rule rule;
    role_set roles;
};
#define PUBLIC           \
    {                    \
        ACCESS_PUBLIC, 0 \
    }
#define ANY_CALLER           \
    {                        \
        ACCESS_ANY_CALLER, 0 \
    }
#define ANY_OF(roles)         \
    {                         \
        ACCESS_ROLES, (roles) \
    }
#define FOR_OPERATORS      \
    {                      \
        ACCESS_OPERATOR, 0 \
    }
#define ANYWHERE(roles)          \
    {                            \
        ACCESS_ANYWHERE, (roles) \
    }

/* ---- Fields ---- */
enum field_type {
    TYPE_TEXT,
    TYPE_INTEGER,
    TYPE_NUMBER,
    TYPE_BOOLEAN,
    TYPE_DATE,   /* ISO 8601, as in RFC 3339 */
    TYPE_ID,     /* 24 hexadecimal digits */
    TYPE_CIDR,   /* an address or a block */
    TYPE_OBJECT, /* fields: .of; without it any object */
    TYPE_LIST,   /* .of: objects with these fields; without it scalars of type .item */
};
enum field_flag {
    REQUIRED = 1,    /* must be sent on create and replace */
    READ_ONLY = 2,   /* the service decides it; sending it is an error */
    CREATE_ONLY = 4, /* may be sent on create, not on update */
    WRITE_ONLY = 8,  /* a secret: accepted, never returned */
    NULLABLE = 16,
    DEPRECATED_FIELD = 32,
    ALWAYS = 64, /* present in every answer */
};
struct field {
    const char *name;
    const char *doc; /* one sentence, in our words */
    enum field_type type;
    unsigned flags;
    /* Bounds: length of a text in characters, value of a number, number of items of a list. 0 and 0: none. */
    int64_t min, max;
    const char *pattern;       /* a regular expression for the whole text; PCRE2 and ECMA 262 both read it */
    const char *const *one_of; /* allowed texts, NULL at the end */
    const char *fallback;      /* JSON text used when the field is not sent */
    const struct schema *of;
    enum field_type item;   /* of a list of scalars */
    const char *example;    /* JSON text */
    const char *unit;       /* of a number whose name does not say it; empty or NULL: it has none */
    const char *short_flag; /* flags of the command line for a field in lists, as words: "size" */
    const char *short_form; /* of a list of objects: how people write one of them there: "roleName@databaseName" */
    /*
     * The field decides which other fields the object has: one row for each text of .one_of, ended by a row without
     * value.
     */
    const struct field_variant *variants;
};
struct field_variant {
    const char *value;
    const struct schema *further; /* the additional fields of an object of this kind; its name goes before theirs */
};
struct schema {
    const char *name; /* as in the OpenAPI document */
    const char *doc;
    const struct field *fields; /* name == NULL at the end */
};
/* After the sentence come the flags, then anything else by name: TEXT("name", "Label.", REQUIRED, .max = 64) */
#define TEXT(field_name, sentence, ...)                                              \
    {                                                                                \
        .name = field_name, .doc = sentence, .type = TYPE_TEXT, .flags = __VA_ARGS__ \
    }
#define INTEGER(field_name, sentence, ...)                                              \
    {                                                                                   \
        .name = field_name, .doc = sentence, .type = TYPE_INTEGER, .flags = __VA_ARGS__ \
    }
#define NUMBER(field_name, sentence, ...)                                              \
    {                                                                                  \
        .name = field_name, .doc = sentence, .type = TYPE_NUMBER, .flags = __VA_ARGS__ \
    }
#define BOOL(field_name, sentence, ...)                                                 \
    {                                                                                   \
        .name = field_name, .doc = sentence, .type = TYPE_BOOLEAN, .flags = __VA_ARGS__ \
    }
#define DATE(field_name, sentence, ...)                                              \
    {                                                                                \
        .name = field_name, .doc = sentence, .type = TYPE_DATE, .flags = __VA_ARGS__ \
    }
#define ID(field_name, sentence, ...)                                              \
    {                                                                              \
        .name = field_name, .doc = sentence, .type = TYPE_ID, .flags = __VA_ARGS__ \
    }
#define CIDR(field_name, sentence, ...)                                              \
    {                                                                                \
        .name = field_name, .doc = sentence, .type = TYPE_CIDR, .flags = __VA_ARGS__ \
    }
#define OBJECT(field_name, sentence, ...)                                              \
    {                                                                                  \
        .name = field_name, .doc = sentence, .type = TYPE_OBJECT, .flags = __VA_ARGS__ \
    }
#define LIST(field_name, sentence, ...)                                              \
    {                                                                                \
        .name = field_name, .doc = sentence, .type = TYPE_LIST, .flags = __VA_ARGS__ \
    }
#define END_OF_FIELDS \
    {                 \
        .name = NULL  \
    }
#define END_OF_VARIANTS \
    {                   \
        .value = NULL   \
    }

/* ---- Behaviour ---- */
/*
 * A handler is straight-line, blocking code on a thread. It reads with store_read(req->api->store, …), changes through
 * req->tx (other stages open and commit it), and answers with answer_*() of api/request.h.
 */
typedef error handler(struct request *req);

/*
 * A read of one statement is data instead: it can then run from the event loop without a thread. `bind` fills the
 * parameters from the path and query and must not block; `answer` turns the rows into an answer.
 */
struct read {
    enum sql statement;
    error (*bind)(struct request *req, struct params *params);
    error (*answer)(struct request *req, const struct rows *rows);
};

/*
 * A list that can also be followed: asked for with `Accept: text/event-stream`, its new items are sent as they come.
 * `open` runs on a thread and finds out where to start. `bind` and `text` run in the event loop whenever there may be
 * something new, and must not block. `text` turns rows into messages, moves req->stream.after past them and says
 * whether there may be more.
 */
struct feed {
    enum sql statement;
    error (*open)(struct request *req);
    void (*bind)(struct request *req, struct params *params);
    str (*text)(struct request *req, struct arena *arena, const struct rows *rows, bool *ret_more);
};

/*
 * A kind of configuration resource, for the generic behaviour of api/crud.h. Its document is stored as it is shown,
 * except for one field that may be hidden. A project (or organization) has either one resource of a kind, which is the
 * fallback until somebody changes it, or any number of named ones.
 */
struct change;
struct kind {
    const char *name;      /* in the resource table */
    const char *fallback;  /* of a kind of which there is one: the document before it was ever set */
    const char *parameter; /* of a kind with names: the parameter of the path that is the name */
    const char *field;     /* the field that is the name; NULL: it is the resource's own id, and shown as `id` */
    const char *also;      /* another parameter of the path, which must equal the document's field of that name */
    const char *hidden;    /* the field that is never shown, neither in answers nor in events */
    bool decides_access;   /* who may connect to clusters depends on it: members must apply a change */
    enum event_type created, changed, deleted;
    /* The stored form of a name that was sent or is in the path; false when it is not a valid name. */
    bool (*canonical)(struct arena *arena, str given, str *ret_name);
    /* Before a change is stored: refuses it, or completes `after`. */
    error (*check)(struct request *req, struct change *change);
};

enum shape { SHAPE_ENTITY, SHAPE_LIST, SHAPE_NOTHING, SHAPE_FILE };
enum endpoint_flag {
    DEPRECATED = 1,
    ALSO_V1 = 2,            /* also under /api/svc/v1.0 */
    NO_ETAG = 4,            /* an answer that is no stored entity */
    BODY_IS_LIST = 8,       /* the body is a list of what .request describes */
    EXTENSION = 16,         /* not of the specification: docs/extensions.md */
    WHILE_LOCKED = 32,      /* also in a locked organization: it changes nothing that costs */
    EVALUATES = 64,         /* evaluates what a tenant wrote: never where another tenant waits */
    ASKS_HOSTS = 256,       /* waits for hosts, which may be slow or gone: never where another tenant waits */
    LOSES_DATA = 512,       /* cannot be undone: people are asked to type the name first */
    MAIN_LINK = 1024,       /* where most go next: linked to also where not all collections are (catalog.h) */
    NOT_ALWAYS_THERE = 128, /* not every parent has one: a handler adds the link with answer_relate() */
};

/* `.query` of a waiting endpoint without parameters: without any table its requests would not be checked. */
extern const struct field no_parameters[];

struct endpoint {
    enum method method;
    const char *path; /* "/groups/{groupId}/clusters", relative to /api/svc/v2; "" is the root */
    enum set_label set;
    struct access access;
    const char *operation;   /* operationId: unique, lowerCamelCase */
    const char *summary;     /* one line without a full stop: "Return all clusters in one project" */
    const char *description; /* one to three sentences, in our words: what it does, what to know */

    enum shape shape;
    unsigned success; /* 0: 200, or 201 for a POST, or 204 for SHAPE_NOTHING */
    unsigned flags;
    const char *since; /* dates of the versions, oldest first, separated by spaces; NULL: "2023-01-01" */
    /*
     * What an endpoint without behaviour waits for: "clusters", "backups", … If it has tables, requests are checked
     * with them and then answered with 501.
     */
    const char *waits_for;
    /*
     * Refused by design, because it makes no sense on an operator's own hosts: a valid request gets this error. Its sentence in the
     * table of errors is the reason, wherever one is shown; so it needs no parameters. 0: it is not refused.
     */
    enum error_code refuses;
    enum project_switch needs; /* a project can switch it off: then a request is refused */

    const struct read *read; /* at most one of the two; neither: refused, or 501 */
    handler *run;
    const struct feed *feed; /* the list can be followed */
    const struct kind *kind; /* for the generic handlers */
    const struct schema *request, *response;
    const struct schema
        *tried; /* of SHAPE_NOTHING: what it answers, with 200, when it is only tried (dryRun); NULL: nothing */
    const struct field *query; /* its own query parameters, END_OF_FIELDS at the end */
    /* Parameters of the path with a form: an id, one of some texts. A value without that form is not found. */
    const struct field *path_fields;
    const char *file;    /* of SHAPE_FILE: the end of its media type, "csv"; NULL: "gzip" */
    const char *item;    /* template of one item, for links: of a list's items, of what a POST creates */
    const char *below;   /* template, for links: the path above the entity's collections, if it is another one */
    const char *example; /* of the request body, JSON */
};

struct family {
    const char *name; /* "projects": a command group and a page of the reference */
    const char *title;
    const char *doc;
    const struct endpoint *endpoints;
    size_t count;
};
#define FAMILY(variable, family_name, family_title, sentence, endpoint_array) \
    const struct family variable = { family_name, family_title, sentence, endpoint_array, LENGTH(endpoint_array) }

#endif
