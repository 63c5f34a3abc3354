/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent: path, query and body, made from flags, arguments and files. */
#ifndef CLI_BODY_H
#define CLI_BODY_H

#include <jansson.h>

#include "cli/cli.h"

enum { MAX_PARAMETERS = 16 };

struct outgoing {
    str path;  /* below /api/svc/v2, parameters filled in and encoded */
    str query; /* without the question mark; may be empty */
    json_t *body;
    str text;                           /* of the body; empty: none */
    const char *named;                  /* the last parameter of the path, as it was given; NULL: there is none */
    const char *values[MAX_PARAMETERS]; /* of the path's parameters, names made ids */
};

/* EXIT_SUCCESS; otherwise the mistake was printed and the result is the exit status. */
MUST_USE int body_make(struct cli *cli, struct outgoing *ret);

/* The JSON value of a flag's text; NULL when the field does not accept it, and then *ret_why says what it accepts. */
MUST_USE json_t *body_value(struct arena *arena, const struct command_field *field, const char *text, str *ret_why);

/* A file, or standard input for "-". */
MUST_USE bool body_read_file(struct cli *cli, const char *name, str *ret_text);
/* One line that is not shown while it is typed. */
MUST_USE bool body_read_secret(struct cli *cli, const char *prompt, str *ret_text);

#endif
