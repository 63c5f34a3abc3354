/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OpenAPI document share. Nobody else includes it. */
#ifndef API_DOCUMENT_OPENAPI_PARTS_H
#define API_DOCUMENT_OPENAPI_PARTS_H

#include <jansson.h>

#include "api/catalog.h"

/* One struct schema becomes several schemas of the document: what is sent is not what is returned. */
enum variant {
    RETURNED,    /* with links: an entity of its own */
    PART,        /* without links: inside another one */
    SENT,        /* on create: without what is read-only */
    REPLACEMENT, /* on replace: also without what is fixed at creation */
    UPDATE,      /* on update: as a replacement, nothing required */
};

enum { OPENAPI_MAX_SCHEMAS = 2048 };

struct openapi {
    struct arena *arena;
    const struct catalog *catalog;
    str base_url;
    json_t *schemas; /* components.schemas */
    size_t made_count;
    struct made {
        const struct schema *schema;
        const struct schema *further; /* of one of its kinds, when it has several */
        enum variant variant;
        const char *name;
    } made[OPENAPI_MAX_SCHEMAS];
    bool failed; /* something could not be allocated: no document rather than half of one */
};

/* Sets a member and takes `value` over; NULL as value marks the document as failed. */
void put(struct openapi *o, json_t *object, const char *key, json_t *value);
void put_text(struct openapi *o, json_t *object, const char *key, const char *text);
void put_str(struct openapi *o, json_t *object, const char *key, str text);
/* Appends and takes over. */
void push(struct openapi *o, json_t *array, json_t *value);
json_t *ref(struct openapi *o, const char *section, const char *name);

/* A reference to the schema in that variant, which is added to the components when it is new. */
json_t *schema_ref(struct openapi *o, const struct schema *schema, enum variant variant);
/* One for an endpoint without a table: any object. Added when it is first needed, because linters count what nobody uses. */
json_t *undescribed_ref(struct openapi *o);
/* The schema of a page of them. Without a schema: of any objects. */
json_t *list_ref(struct openapi *o, const struct schema *schema);
/* The schema of one field's value, with its sentence. */
json_t *field_schema(struct openapi *o, const struct field *field, enum variant variant);
/* The same, for a parameter, whose sentence is outside of the schema. */
json_t *parameter_schema(struct openapi *o, const struct field *field);

/* Of a parameter of the path, and of the answer of an operation whose fields are described. */
json_t *openapi_path_example(const struct endpoint *endpoint, str name);
json_t *openapi_answer_example(struct openapi *o, const struct endpoint *endpoint);
/* One of the errors that have the status. */
json_t *openapi_error_example(struct openapi *o, unsigned status);

/* components.parameters, headers and responses that operations refer to. */
/* `path` is its key: the endpoint's path, but with other names of parameters. */
json_t *openapi_operation(struct openapi *o, const struct endpoint *endpoint, const char *path);
json_t *openapi_parameters(struct openapi *o);
json_t *openapi_headers(struct openapi *o);
json_t *openapi_error_responses(struct openapi *o);

#endif
