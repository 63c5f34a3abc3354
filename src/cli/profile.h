/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: which server, which credentials, which project. They are in one file that only its owner may read; that is
 * checked each time. The environment and the command line override a profile.
 */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include <jansson.h>

#include "cli/cli.h"

struct profile {
    const char *name;
    const char *server, *ca_file, *project, *org, *docs;
    const char *client_id, *client_secret; /* a service account … */
    const char *client_token_file;         /* … with the token of a provider that it trusts instead of a secret … */
    const char *public_key, *private_key;  /* … or an API key … */
    bool has_session;                      /* … or a session of a person, who let this program in with a browser */
    const char *session_token, *username;  /* of that person */
    const char *token;                     /* NULL: none, or it is about to expire */
    const char *operator_token;            /* on the operator's address, instead of all these */
    bool for_operators;                    /* server and ca_file are those of the operator's address */
    bool in_secret_service;                /* the secret is not in the file */
    bool from_environment;                 /* the credentials are, and nothing is kept */
};

/* Whether there are credentials of any kind. */
bool profile_is_logged_in(const struct profile *profile);
/* The name under which the desktop's service keeps the operator's token of a profile. */
str profile_operator_name(const struct cli *cli, const char *profile);

/* Fills cli->profile; EXIT_SUCCESS also when there is no profile at all. */
MUST_USE int profile_load(struct cli *cli);
/* The secret from the desktop's service, read when it is needed. False: the reason was printed. */
MUST_USE bool profile_fetch_secret(struct cli *cli);
/* Stores a token until it expires; `token` NULL removes it. A failure is ignored. */
void profile_keep_token(struct cli *cli, const char *token, int64_t lifetime_s);

/*
 * The whole file: {"current": NAME, "profiles": {NAME: {…}}}; an empty one when there is none. NULL: the reason was
 * printed.
 */
MUST_USE json_t *profiles_read(struct cli *cli);
MUST_USE bool profiles_write(struct cli *cli, json_t *all);
/*
 * Call it before reading the file for a change, so that two runs change it one after the other. The lock ends with the
 * process, or with unlock.
 */
int profiles_lock(struct cli *cli);
void profiles_unlock(int lock);
/* The profile of that name in it, made when `make`. */
json_t *profiles_entry(json_t *all, const char *name, bool make);
/* Writes the file; a profile that is the only one is the current one. */
MUST_USE bool profiles_keep(struct cli *cli, json_t *all);
/* The current profile for a change, with its file and its name. NULL: the reason was printed. */
MUST_USE json_t *profiles_take(struct cli *cli, json_t **ret_all, const char **ret_name);
/* The name of the current profile. */
const char *profile_name(const struct cli *cli, const json_t *all);
/* ---- For logging in (login.c) ---- */
/* Asks for it on a terminal unless it is set already; false: it is missing, and that was printed. */
MUST_USE bool profile_ask(struct cli *cli, const char *what, const char **value);
/* A path that is still right in another folder. */
const char *profile_whole_path(struct cli *cli, const char *path);

str profiles_path(const struct cli *cli);

#endif
