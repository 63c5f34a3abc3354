/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract lives in tables: families declare endpoints and fields in the words of this header, and routing,
 * access control, rate limits, validation, links, OpenAPI, documentation and the test matrices come from them.
 */
#ifndef API_CONTRACT_H
#define API_CONTRACT_H

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
    ACCESS_OPERATOR,   /* whoever has a token of an operator; not of this API, but of the operator's (operator/) */
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
    enum field_type item; /* of a list of scalars */
    const char *example;  /* JSON text */
    const char *unit;     /* of a number whose name does not say it; empty or NULL: it has none */
    /* The field decides which further fields stand beside it: one row for each text of .one_of, no value at the end. */
    const struct field_variant *variants;
};
struct field_variant {
    const char *value;
    const struct schema
        *further; /* what an object of this kind has besides the fields of all; its name stands before theirs */
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
 * req->tx (opened before it, committed after it by the pipeline), and answers with answer_*() of api/request.h.
 */
typedef error handler(struct request *req);

/*
 * A read of one statement is data instead: the pipeline may then run it from the event loop without a thread. `bind`
 * fills the parameters from the path and query and must not block; `answer` turns the rows into an answer.
 */
struct read {
    enum sql statement;
    error (*bind)(struct request *req, struct params *params);
    error (*answer)(struct request *req, const struct rows *rows);
};

/*
 * A list that can also be followed: asked for with `Accept: text/event-stream`, its new items are sent as they come.
 * `open` runs on a thread and finds out where to begin; `bind` and `text` run in the event loop each time that there may
 * be something new, and must not block. `text` turns rows into messages, moves req->stream.after behind them and says
 * whether there may be more.
 */
struct feed {
    enum sql statement;
    error (*open)(struct request *req);
    void (*bind)(struct request *req, struct params *params);
    str (*text)(struct request *req, struct arena *arena, const struct rows *rows, bool *ret_more);
};

/*
 * A kind of configuration resource, for the generic behaviour of api/crud.h. Its document is stored as it is shown, but for
 * one field that may be hidden. A project (or organization) has either one of a kind, which is the fallback until somebody
 * changes it, or any number with names of their own.
 */
struct change;
struct kind {
    const char *name;      /* in the resource table */
    const char *fallback;  /* of a kind of which there is one: the document before it was ever set */
    const char *parameter; /* of a kind with names: the parameter of the path that is the name */
    const char *field;     /* the field that is the name; NULL: it is the resource's own id, and shown as `id` */
    const char *also;      /* another parameter of the path, which must equal the document's field of that name */
    const char *hidden;    /* the field that is never shown, neither in answers nor in events */
    bool decides_access;   /* who may connect to clusters depends on it: members must take a change over */
    enum event_type created, changed, deleted;
    /* The name as it is stored, of one that was sent or is in the path; false when it cannot be one. */
    bool (*canonical)(struct arena *arena, str given, str *ret_name);
    /* Before a change is stored: refuses it, or completes `after`. */
    error (*check)(struct request *req, struct change *change);
};

enum shape { SHAPE_ENTITY, SHAPE_LIST, SHAPE_NOTHING, SHAPE_FILE };
enum endpoint_flag {
    DEPRECATED = 1,
    ALSO_V1 = 2,       /* also under /api/svc/v1.0 */
    NO_ETAG = 4,       /* an answer that is no stored entity */
    BODY_IS_LIST = 8,  /* the body is a list of what .request describes */
    EXTENSION = 16,    /* not of the specification: docs/extensions.md */
    WHILE_LOCKED = 32, /* also in a locked organization: it changes nothing that costs */
    EVALUATES = 64,    /* what a tenant wrote is evaluated: never where another tenant waits */
    NOT_ALWAYS_THERE =
        128, /* not every entity above it has one: whoever answers with one that has links to it, answer_relate() */
};

/* `.query` of an endpoint that waits and takes nothing at all: without any table it would not be judged. */
extern const struct field no_parameters[];

struct endpoint {
    enum method method;
    const char *path; /* "/groups/{groupId}/clusters", relative to /api/svc/v2; "" is the root */
    enum set_label set;
    struct access access;
    const char *operation;   /* operationId: unique, lowerCamelCase */
    const char *summary;     /* one line without a full stop: "Return all clusters in one project" */
    const char *description; /* a sentence or three, in our words: what it does, what to know */

    enum shape shape;
    unsigned success; /* 0: 200, or 201 for a POST, or 204 for SHAPE_NOTHING */
    unsigned flags;
    const char *since; /* dates of the versions, oldest first, separated by spaces; NULL: "2023-01-01" */
    /* What an endpoint without behaviour waits for: "clusters", "backups", … One with tables is judged by them all the same,
     * and answers 501 where its behaviour would begin. */
    const char *waits_for;
    /* By design there is nothing like it on hosts of an operator's own: a request with nothing wrong is answered with this error,
     * which needs no parameters and says what to do instead. 0: it is not refused. */
    enum error_code refuses;

    const struct read *read; /* at most one of the two; neither: refused, or 501 */
    handler *run;
    const struct feed *feed; /* the list can be followed */
    const struct kind *kind; /* for the generic handlers */
    const struct schema *request, *response;
    const struct field *query; /* its own query parameters, END_OF_FIELDS at the end */
    /* Those parameters of the path that have a form: an id, one of some texts. Whatever has not that form is not found. */
    const struct field *path_fields;
    const char *file; /* of SHAPE_FILE: the end of its media type, "csv"; NULL: "gzip" */
    const char *item; /* template of one item, for links: of a list's items, of what a POST creates */
    const char
        *below; /* template, for links: what the entity's collections are below, with its id, when that is elsewhere */
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
