/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/body.h"
#include "cli/secret_service.h"

enum { MAX_FILE_BYTES = 1024 * 1024, TOKEN_MARGIN_S = 60 };

/* ---- The file ---- */
str
profiles_path(const struct cli *cli)
{
    const struct environment *e = &cli->environment;
    if (e->config_home != NULL && e->config_home[0] == '/')
        return str_format(cli->arena, "%s/reeve/profiles.json", e->config_home);
    return str_format(cli->arena, "%s/.config/reeve/profiles.json", e->home != NULL ? e->home : "");
}

static json_t *
no_profiles(struct cli *cli)
{
    return json_in(cli->arena, json_pack("{s:s, s:{}}", "current", "default", "profiles"));
}

/* Nobody else may read it, and it must be ours. */
static bool
is_private(struct cli *cli, int fd, const char *path)
{
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || (about.st_uid != geteuid() && geteuid() != 0)) {
        cli_say(cli, "%s is not a file that you own", path);
        return false;
    }
    if ((about.st_mode & 077) == 0)
        return true;
    cli_say(cli, "others can read %s, which contains secrets: chmod 600 %s, and replace the secrets", path, path);
    return false;
}

json_t *
profiles_read(struct cli *cli)
{
    str path = profiles_path(cli);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return no_profiles(cli);
    if (fd < 0) {
        cli_say(cli, "%s cannot be read: %s", path.data, strerror(errno));
        return NULL;
    }
    struct buf text = buf_in(cli->arena, MAX_FILE_BYTES);
    char piece[16384];
    ssize_t got = -1;
    bool good = is_private(cli, fd, path.data);
    while (good && (got = read(fd, piece, sizeof(piece))) > 0)
        buf_add(&text, (str){ piece, (size_t)got });
    close(fd);
    if (!good)
        return NULL;
    str all = buf_str(&text);
    json_t *json = got == 0 ? json_in(cli->arena, json_loadb(all.data, all.len, 0, NULL)) : NULL;
    if (!json_is_object(json_object_get(json, "profiles"))) {
        cli_say(cli, "%s is damaged: move it away, and `reeve login` makes a new one", path.data);
        return NULL;
    }
    return json;
}

static bool
make_folder(const struct cli *cli, str path)
{
    for (size_t i = 1; i < path.len; i++) {
        if (path.data[i] != '/')
            continue;
        str folder = str_dup(cli->arena, str_slice(path, 0, i));
        if (mkdir(folder.data, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

int
profiles_lock(struct cli *cli)
{
    str path = profiles_path(cli);
    str name = str_format(cli->arena, "%s.lock", path.data);
    int lock = make_folder(cli, path) ? open(name.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        ;
    return lock;
}

void
profiles_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

/* Beside it and renamed, so that it is always whole; never readable by others, not for a moment. */
bool
profiles_write(struct cli *cli, json_t *all)
{
    str path = profiles_path(cli), text = json_pretty(cli->arena, json_text(cli->arena, all));
    char *fresh = (char *)(uintptr_t)str_format(cli->arena, "%s.XXXXXX", path.data).data;
    int fd = make_folder(cli, path) ? mkostemp(fresh, O_CLOEXEC) : -1;
    bool written = fd >= 0 && fchmod(fd, 0600) == 0;
    for (size_t at = 0; written && at < text.len;) {
        ssize_t put = write(fd, text.data + at, text.len - at);
        written = put > 0;
        at += written ? (size_t)put : 0;
    }
    written = written && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    if (written && rename(fresh, path.data) == 0)
        return true;
    cli_say(cli, "%s cannot be written: %s", path.data, strerror(errno));
    if (fd >= 0)
        unlink(fresh);
    return false;
}

json_t *
profiles_entry(json_t *all, const char *name, bool make)
{
    json_t *profiles = json_object_get(all, "profiles"), *entry = json_object_get(profiles, name);
    if (entry == NULL && make && json_object_set_new(profiles, name, json_object()) == 0)
        entry = json_object_get(profiles, name);
    return entry;
}

const char *
profile_name(const struct cli *cli, const json_t *all)
{
    if (cli->call.values[OPTION_PROFILE] != NULL)
        return cli->call.values[OPTION_PROFILE];
    if (cli->environment.profile != NULL)
        return cli->environment.profile;
    const char *current = json_string_value(json_object_get(all, "current"));
    return current != NULL ? current : "default";
}

bool
profiles_keep(struct cli *cli, json_t *all)
{
    json_t *profiles = json_object_get(all, "profiles");
    if (json_object_size(profiles) == 1)
        json_object_set_new(all, "current", json_string(json_object_iter_key(json_object_iter(profiles))));
    return profiles_write(cli, all);
}

json_t *
profiles_take(struct cli *cli, json_t **ret_all, const char **ret_name)
{
    profiles_lock(cli);
    *ret_all = profiles_read(cli);
    if (*ret_all == NULL)
        return NULL;
    *ret_name = profile_name(cli, *ret_all);
    json_t *entry = profiles_entry(*ret_all, *ret_name, false);
    if (entry == NULL)
        cli_say(cli, "there is no profile %s", *ret_name);
    return entry;
}

/* ---- One of them ---- */
static const char *
first_of(const char *a, const char *b, const json_t *c)
{
    return a != NULL ? a : b != NULL ? b : json_string_value(c);
}

static void
take_credentials(struct profile *p, const struct environment *e, const json_t *entry)
{
    bool account = e->client_id != NULL && (e->client_secret != NULL || e->client_token_file != NULL);
    p->from_environment = account || (e->public_key != NULL && e->private_key != NULL);
    if (p->from_environment) {
        p->client_id = account ? e->client_id : NULL;
        p->client_secret = account ? e->client_secret : NULL;
        p->client_token_file = account && e->client_secret == NULL ? e->client_token_file : NULL;
        p->public_key = account ? NULL : e->public_key;
        p->private_key = account ? NULL : e->private_key;
        return;
    }
    p->client_id = json_string_value(json_object_get(entry, "clientId"));
    p->client_secret = json_string_value(json_object_get(entry, "clientSecret"));
    p->public_key = json_string_value(json_object_get(entry, "publicKey"));
    p->private_key = json_string_value(json_object_get(entry, "privateKey"));
    p->has_session = json_is_true(json_object_get(entry, "hasSession"));
    p->session_token = json_string_value(json_object_get(entry, "sessionToken"));
    p->username = json_string_value(json_object_get(entry, "username"));
    p->in_secret_service = json_is_true(json_object_get(entry, "inSecretService"));
    if (json_integer_value(json_object_get(entry, "tokenExpiresAt")) > time(NULL) + TOKEN_MARGIN_S)
        p->token = json_string_value(json_object_get(entry, "token"));
}

bool
profile_is_logged_in(const struct profile *profile)
{
    return profile->client_id != NULL || profile->public_key != NULL || profile->has_session;
}

str
profile_operator_name(const struct cli *cli, const char *profile)
{
    return str_format(cli->arena, "%s, operator", profile);
}

/* Commands of the operator's API go to another address, with a token of its own; nothing of the tenant's is sent there. */
static void
take_operator(struct cli *cli, struct profile *p, const json_t *entry)
{
    const struct environment *e = &cli->environment;
    p->for_operators = true;
    p->server = first_of(cli->call.values[OPTION_SERVER], e->operator_url, json_object_get(entry, "operatorUrl"));
    p->ca_file = first_of(cli->call.values[OPTION_CA_FILE], e->ca_file, json_object_get(entry, "operatorCaFile"));
    p->client_id = p->client_secret = p->client_token_file = p->public_key = p->private_key = p->token = NULL;
    p->has_session = false;
    p->operator_token = first_of(e->operator_token, NULL, json_object_get(entry, "operatorToken"));
    p->in_secret_service = e->operator_token == NULL && json_is_true(json_object_get(entry, "operatorInSecretService"));
}

int
profile_load(struct cli *cli)
{
    const struct environment *e = &cli->environment;
    const char *const *values = cli->call.values;
    json_t *all = profiles_read(cli);
    struct profile *p = cli->profile = ARENA_NEW(cli->arena, struct profile);
    if (all == NULL || p == NULL)
        return EXIT_USAGE;
    p->name = profile_name(cli, all);
    json_t *entry = profiles_entry(all, p->name, false);
    if (entry == NULL && values[OPTION_PROFILE] != NULL && cli->call.command != NULL) {
        cli_say(cli, "there is no profile %s; `reeve profiles list` shows them", p->name);
        return EXIT_USAGE;
    }
    p->server = first_of(values[OPTION_SERVER], e->server, json_object_get(entry, "server"));
    p->ca_file = first_of(values[OPTION_CA_FILE], e->ca_file, json_object_get(entry, "caFile"));
    p->project = first_of(values[OPTION_PROJECT], e->project, json_object_get(entry, "project"));
    p->org = first_of(values[OPTION_ORG], e->org, json_object_get(entry, "org"));
    p->docs = first_of(e->docs, NULL, json_object_get(entry, "docs"));
    if (command_is_operators(cli->call.command) || (cli->call.builtin != NULL && cli->call.builtin->for_operators)) {
        take_operator(cli, p, entry);
        return EXIT_SUCCESS;
    }
    take_credentials(p, e, entry);
    /* A token, of an account or of a session, is good at the server that gave it, and nowhere else. */
    const char *own = json_string_value(json_object_get(entry, "server"));
    if (own == NULL || p->server == NULL || strcmp(own, p->server) != 0) {
        p->token = NULL;
        p->has_session = false;
    }
    return EXIT_SUCCESS;
}

bool
profile_fetch_secret(struct cli *cli)
{
    struct profile *p = cli->profile;
    const char **secret = p->for_operators       ? &p->operator_token
                          : p->client_id != NULL ? &p->client_secret
                          : p->has_session       ? &p->session_token
                                                 : &p->private_key;
    str text;
    if (!p->in_secret_service || *secret != NULL)
        return true;
    if (!secret_service_look_up(cli, p->for_operators ? profile_operator_name(cli, p->name).data : p->name, &text))
        return false;
    *secret = text.data;
    return true;
}

static void
put_token(json_t *entry, const char *token, int64_t lifetime_s)
{
    if (token == NULL) {
        json_object_del(entry, "token");
        json_object_del(entry, "tokenExpiresAt");
    } else {
        json_object_set_new(entry, "token", json_string(token));
        json_object_set_new(entry, "tokenExpiresAt", json_integer((json_int_t)time(NULL) + lifetime_s));
    }
}

void
profile_keep_token(struct cli *cli, const char *token, int64_t lifetime_s)
{
    cli->profile->token = token;
    if (cli->profile->from_environment)
        return;
    int lock = profiles_lock(cli);
    json_t *all = profiles_read(cli), *entry = all == NULL ? NULL : profiles_entry(all, cli->profile->name, false);
    const char *own = json_string_value(json_object_get(entry, "server"));
    if (own != NULL && strcmp(own, cli->profile->server) == 0) {
        put_token(entry, token, lifetime_s);
        if (!profiles_write(cli, all))
            cli_note(cli, "the token cannot be kept; the next command asks for another one");
    }
    profiles_unlock(lock);
}
