/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: which server, which credentials, which project. They are in one file that only its owner may read, which is checked
 * each time. What the environment or the command line says goes before what a profile says.
 */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include <jansson.h>

#include "cli/cli.h"

struct profile {
    const char *name;
    const char *server, *ca_file, *project, *org, *docs;
    const char *client_id, *client_secret; /* a service account … */
    const char *public_key, *private_key;  /* … or an API key */
    const char *token;                     /* NULL: none, or it is about to expire */
    const char *operator_token;            /* on the operator's address, instead of all these */
    bool for_operators;                    /* server and ca_file are those of the operator's address */
    bool in_secret_service;                /* the secret is not in the file */
    bool from_environment;                 /* the credentials are, and nothing is kept */
};

/* Under which name the desktop's service keeps the operator's token of a profile. */
str profile_operator_name(const struct cli *cli, const char *profile);

/* Fills cli->profile; EXIT_SUCCESS also when there is no profile at all. */
MUST_USE int profile_load(struct cli *cli);
/* The secret of the desktop's service, asked for when it is needed. False: said why. */
MUST_USE bool profile_fetch_secret(struct cli *cli);
/* Keeps a token until it expires; `token` NULL forgets it. Not being able to is no reason to fail. */
void profile_keep_token(struct cli *cli, const char *token, int64_t lifetime_s);

/* The whole file: {"current": NAME, "profiles": {NAME: {…}}}; an empty one when there is none. NULL: said why. */
MUST_USE json_t *profiles_read(struct cli *cli);
MUST_USE bool profiles_write(struct cli *cli, json_t *all);
/* Before it is read to be changed: two runs at once change it one after the other. The lock ends with the process, or with unlock. */
int profiles_lock(struct cli *cli);
void profiles_unlock(int lock);
/* The profile of that name in it, made when `make`. */
json_t *profiles_entry(json_t *all, const char *name, bool make);
/* Writes the file; a profile that is the only one is the current one. */
MUST_USE bool profiles_keep(struct cli *cli, json_t *all);
/* The profile that is meant now, to be changed, with the file that it is in and its name. NULL: said why. */
MUST_USE json_t *profiles_take(struct cli *cli, json_t **ret_all, const char **ret_name);
/* The name that is meant now. */
const char *profile_name(const struct cli *cli, const json_t *all);
/* ---- For logging in (login.c) ---- */
/* Asks for it on a terminal unless it is there already; false: it is missing, which was said. */
MUST_USE bool profile_ask(struct cli *cli, const char *what, const char **value);
/* A path that is still right in another folder. */
const char *profile_whole_path(struct cli *cli, const char *path);

str profiles_path(const struct cli *cli);

#endif
