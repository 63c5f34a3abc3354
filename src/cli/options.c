/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "cli/short/alias.h"

// clang-format off
const struct option_row common_options[OPTION_COUNT + 1] = {
    [OPTION_PROJECT] =         { "project", "NAME", "The project by its name or id, instead of the profile's (also --group).", FOR_CALLS, 'p' },
    [OPTION_ORG] =             { "org", "NAME", "The organization by its name or id, instead of the profile's.", FOR_CALLS },
    [OPTION_FILE] =            { "file", "FILE", "The whole body as JSON; - reads it from standard input. Flags of fields change it.", FOR_BODIES, 'f' },
    [OPTION_SET] =             { "set", "PATH=VALUE", "Set one place in the body, at any depth: replicationSpecs[0].zoneName=west. VALUE is JSON, else text.", FOR_BODIES },
    [OPTION_DRY_RUN] =         { "dry-run", NULL, "Check everything and show what would change, but change nothing.", FOR_CHANGES },
    [OPTION_YES] =             { "yes", NULL, "Do not ask before what cannot be undone. Only a terminal is asked.", FOR_LOSSES, 'y' },
    [OPTION_WAIT] =            { "wait", NULL, "Wait until the operation is done, and show its steps. Ctrl-C leaves it running.", FOR_CHANGES },
    [OPTION_ALL] =             { "all", NULL, "Show all pages of the list as one.", FOR_LISTS },
    [OPTION_PAGE_NUM] =        { "page-num", "N", "Number of the page, counted from 1.", FOR_LISTS },
    [OPTION_ITEMS_PER_PAGE] =  { "items-per-page", "N", "Number of items on a page, at most 500.", FOR_LISTS },
    [OPTION_NO_COUNT] =        { "no-count", NULL, "Do not count the items of all pages.", FOR_LISTS },
    [OPTION_IF_MATCH] =        { "if-match", "ETAG", "Change it only if it still has this ETag.", FOR_CHANGES },
    [OPTION_IDEMPOTENCY_KEY] = { "idempotency-key", "KEY", "A repeated command with the same key has one effect. Default: a new key for each run.", FOR_POSTS },
    [OPTION_QUERY] =           { "query", "EXPRESSION", "Pick fields: a part of JMESPath (`reeve help query`).", FOR_CALLS, 'q' },
    [OPTION_OUTPUT] =          { "output", "FORMAT", "table, json or text. Default: a table on a terminal, else the JSON that the API sent.", FOR_CALLS, 'o' },
    [OPTION_SAVE] =            { "save", "FILE", "Write the answer into a file.", FOR_CALLS },
    [OPTION_CURL] =            { "curl", NULL, "Show the request as a curl command, and do not send it.", FOR_CALLS },
    [OPTION_PROFILE] =         { "profile", "NAME", "Use this profile instead of the current one.", FOR_ALL },
    [OPTION_SERVER] =          { "server", "URL", "Where the API is: https://HOST[:PORT].", FOR_ALL },
    [OPTION_CA_FILE] =         { "ca-file", "FILE", "Certificate of the authority that signed the server's certificate.", FOR_ALL },
    [OPTION_RETRIES] =         { "retries", "N", "How often to try again after 429, 503 and lost connections (5).", FOR_CALLS },
    [OPTION_TIMEOUT] =         { "timeout", "SECONDS", "How long one try may take (60).", FOR_CALLS },
    [OPTION_NO_COLOR] =        { "no-color", NULL, "No colours, even on a terminal.", FOR_ALL },
    [OPTION_QUIET] =           { "quiet", NULL, "No progress and no hints, only answers and errors.", FOR_ALL },
    [OPTION_VERBOSE] =         { "verbose", NULL, "Show the requests that are sent, without secrets.", FOR_ALL, 'v' },
    [OPTION_HELP] =            { "help", NULL, "Show what the command does, its flags and an example.", FOR_ALL, 'h' },
    [OPTION_VERSION] =         { "version", NULL, "Show the version of this program.", FOR_ALL },
    [OPTION_COUNT] =           { .name = NULL },
};
// clang-format on

bool
option_applies(const struct option_row *row, const struct command *command)
{
    if (row == &common_options[OPTION_IF_MATCH] && command_is_operators(command))
        return false; /* nothing there has an ETag */
    if (row == &common_options[OPTION_PROJECT] || row == &common_options[OPTION_ORG])
        return command == NULL ||
               command_has_scope(command, row == &common_options[OPTION_PROJECT] ? "groupId" : "orgId");
    switch (row->scope) {
    case FOR_ALL:
    case FOR_CALLS: return true;
    case FOR_LISTS: return command != NULL && command->shape == ANSWER_LIST && command->method == METHOD_GET;
    case FOR_CHANGES: return command != NULL && command->method != METHOD_GET;
    case FOR_BODIES: return command != NULL && (command->flags & COMMAND_HAS_BODY) != 0;
    case FOR_LOSSES: return command != NULL && (command->flags & COMMAND_LOSES_DATA) != 0;
    case FOR_POSTS: return command != NULL && command->method == METHOD_POST;
    }
    return false;
}

const char *
call_option(const struct call *call, const char *name)
{
    for (size_t i = call->assignment_count; i > 0; i--) {
        const struct assignment *one = &call->assignments[i - 1];
        if (one->field == NULL && strcmp(one->name, name) == 0)
            return one->value;
    }
    return NULL;
}

/* ---- Reading ---- */
struct reader {
    struct arena *arena;
    struct call *call;
    int argc, at;
    const char *const *argv;
    str *why;
};

/* "--name=value" in two parts; `given` is NULL when the value, if there is any, is the next word. */
struct flag {
    str name; /* a copy, so that it ends; of "-p" the long one; empty: there is no such letter */
    const char *given;
};

/* "-p", "-pweb" and "-p=web": no value of such an option begins with "=". */
static struct flag
letter_at(const char *word)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (word[1] == common_options[i].letter && word[1] != '\0')
            return (struct flag){ str_from(common_options[i].name),
                                  word[2] == '\0' ? NULL : word + 2 + (word[2] == '=') };
    }
    return (struct flag){ STR_EMPTY, NULL };
}

static struct flag
flag_at(struct reader *r)
{
    str text = str_from(r->argv[r->at]);
    struct flag flag = { .given = NULL };
    if (text.data[1] != '-')
        return letter_at(text.data);
    text = str_slice(text, 2, text.len);
    ptrdiff_t equals = str_find(text, '=');
    if (equals >= 0)
        flag.given = text.data + equals + 1;
    flag.name = str_dup(r->arena, equals >= 0 ? str_slice(text, 0, (size_t)equals) : text);
    return flag;
}

static int
common_of(const struct flag *flag)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (str_is(flag->name, common_options[i].name))
            return i;
    }
    return str_is(flag->name, "group") ? OPTION_PROJECT : -1;
}

static bool
wrong(struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *r->why = str_vformat(r->arena, format, args);
    va_end(args);
    return false;
}

static bool
is_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* Whether the word may stand behind a flag as its value: "-" is standard input, and no flag begins with a digit. */
static bool
is_value(const char *word)
{
    return !is_flag(word) || (word[1] >= '0' && word[1] <= '9');
}

/* The value of the flag at r->at, which moves behind it. Never another flag: --name --dry-run would write what was to be tried. */
static bool
take_value(struct reader *r, const struct flag *flag, const char **ret_value)
{
    const char *word = r->argv[r->at], *next = r->at + 1 < r->argc ? r->argv[r->at + 1] : NULL;
    if (flag->given == NULL && next == NULL)
        return wrong(r, "%s needs a value", word);
    if (flag->given == NULL && !is_value(next))
        return wrong(r, "%s needs a value, but %s follows. Write a value that begins with a dash as --%.*s=%s", word,
                     next, STR_ARG(flag->name), next);
    *ret_value = flag->given != NULL ? flag->given : r->argv[++r->at];
    r->at++;
    return true;
}

static bool
assign(struct reader *r, struct assignment assignment)
{
    if (r->call->assignment_count == MAX_ASSIGNMENTS)
        return wrong(r, "there are more than %d flags: use --file", MAX_ASSIGNMENTS);
    r->call->assignments[r->call->assignment_count++] = assignment;
    return true;
}

static bool
take_common(struct reader *r, const struct flag *flag, int option)
{
    const char *value = "yes";
    if (common_options[option].value == NULL) {
        if (flag->given != NULL)
            return wrong(r, "--%s takes no value", common_options[option].name);
        r->at++;
    } else if (!take_value(r, flag, &value)) {
        return false;
    }
    if (!option_applies(&common_options[option], r->call->command) && r->call->command != NULL)
        return wrong(r, "`%.*s` takes no --%s", STR_ARG(command_name(r->arena, r->call->command)),
                     common_options[option].name);
    if (option == OPTION_SET)
        return assign(r, (struct assignment){ .name = "set", .value = value });
    r->call->values[option] = value;
    return true;
}

static const struct option_row *
builtin_option(const struct builtin *builtin, str name)
{
    for (const struct option_row *row = builtin->options; row != NULL && row->name != NULL; row++) {
        if (str_is(name, row->name))
            return row;
    }
    return NULL;
}

static const struct command_field *
field_of(const struct command *command, str name, bool *ret_is_query)
{
    const struct command_field *field = command_field_find(&command->parameters, name);
    *ret_is_query = false;
    if (field == NULL && (field = command_field_find(&command->query, name)) != NULL)
        *ret_is_query = true;
    return field != NULL ? field : command_field_find(&command->body, name);
}

/* The flag that comes nearest, for "did you mean". */
static str
nearest_flag(struct reader *r, str name)
{
    const struct command *command = r->call->command;
    const struct command_list *lists[] = { &command->parameters, &command->query, &command->body };
    str best = STR_EMPTY;
    size_t distance = name.len / 3 + 2;
    for (size_t l = 0; l < LENGTH(lists); l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const char *flag = TEXT_AT(command_fields[lists[l]->at + i].flag);
            size_t far = command_distance(name.data, flag);
            if (far < distance) {
                distance = far;
                best = str_from(flag);
            }
        }
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t far = command_distance(name.data, common_options[i].name);
        if (far < distance && option_applies(&common_options[i], command)) {
            distance = far;
            best = str_from(common_options[i].name);
        }
    }
    return best;
}

static bool
take_field(struct reader *r, const struct flag *flag)
{
    struct assignment assignment = { .name = flag->name.data };
    bool negated = false;
    assignment.field = field_of(r->call->command, flag->name, &assignment.is_query);
    if (assignment.field == NULL && str_starts_with(flag->name, STR("no-"))) {
        assignment.field = field_of(r->call->command, str_slice(flag->name, 3, flag->name.len), &assignment.is_query);
        negated = true;
        if (assignment.field != NULL && assignment.field->type != FLAG_BOOLEAN)
            assignment.field = NULL;
    }
    if (assignment.field == NULL) {
        str nearest = nearest_flag(r, flag->name);
        return nearest.len > 0
                   ? wrong(r, "there is no flag --%s; did you mean --%.*s?", flag->name.data, STR_ARG(nearest))
                   : wrong(r, "there is no flag --%s", flag->name.data);
    }
    if (assignment.field->type == FLAG_BOOLEAN) {
        r->at++;
        if (negated && flag->given != NULL)
            return wrong(r, "--%s takes no value", flag->name.data);
        assignment.value = negated ? "false" : flag->given != NULL ? flag->given : "true";
    } else if (!take_value(r, flag, &assignment.value)) {
        return false;
    }
    return assign(r, assignment);
}

static bool
take_flag(struct reader *r)
{
    struct flag flag = flag_at(r);
    const struct call *call = r->call;
    int option = common_of(&flag);
    bool is_query;
    if (flag.name.len == 0)
        return wrong(r, "there is no option %s here", r->argv[r->at]);
    /* A builtin's own option and a field go before what is common: a webhook has an address of its own. */
    if (call->builtin != NULL) {
        const struct option_row *row = builtin_option(call->builtin, flag.name);
        const char *value = "yes";
        if (row != NULL) {
            if (row->value != NULL ? !take_value(r, &flag, &value) : (r->at++, false))
                return false;
            return assign(r, (struct assignment){ .name = row->name, .value = value });
        }
    }
    if (option >= 0 && !(call->command != NULL && field_of(call->command, flag.name, &is_query) != NULL))
        return take_common(r, &flag, option);
    if (call->command != NULL)
        return take_field(r, &flag);
    return wrong(r, "there is no option %s here", r->argv[r->at]);
}

/* How many of the words name the builtin; 0: they do not. */
static size_t
builtin_words(const struct builtin *builtin, const char *const *words, size_t count)
{
    size_t n = 0;
    str rest = str_from(builtin->words);
    for (; rest.len > 0; n++) {
        if (n == count || !str_is(str_cut(&rest, ' '), words[n]))
            return 0;
    }
    return n;
}

/* The one that most of the words name, and how many those are; 0: none. */
static size_t
find_builtin(const struct builtin *builtins, size_t builtin_count, const char *const *words, size_t count,
             const struct builtin **ret_builtin)
{
    size_t used = 0;
    for (size_t i = 0; i < builtin_count; i++) {
        size_t n = builtin_words(&builtins[i], words, count);
        if (n > used) {
            used = n;
            *ret_builtin = &builtins[i];
        }
    }
    return used;
}

/* Words may have options of every command between them; the first other flag ends them. */
static size_t
find_words(struct reader *r, const char **words, size_t max)
{
    size_t count = 0;
    for (r->at = 1; r->at < r->argc && count < max;) {
        if (!is_flag(r->argv[r->at])) {
            words[count++] = r->argv[r->at++];
            continue;
        }
        struct flag flag = flag_at(r);
        int option = common_of(&flag);
        if (option < 0)
            break;
        bool value_follows = common_options[option].value != NULL && flag.given == NULL;
        r->at += value_follows && r->at + 1 < r->argc && is_value(r->argv[r->at + 1]) ? 2 : 1;
    }
    return count;
}

static bool
take_rest(struct reader *r, size_t words)
{
    struct call *call = r->call;
    bool only_arguments = false;
    for (r->at = 1; r->at < r->argc;) {
        const char *word = r->argv[r->at];
        if (!only_arguments && strcmp(word, "--") == 0) {
            only_arguments = true;
            r->at++;
        } else if (!only_arguments && is_flag(word)) {
            if (!take_flag(r))
                return false;
        } else if (words > 0) {
            words--;
            r->at++;
        } else if (call->argument_count == MAX_ARGUMENTS) {
            return wrong(r, "there are too many arguments: --help shows what the command takes");
        } else {
            call->arguments[call->argument_count++] = word;
            r->at++;
        }
    }
    return true;
}

bool
options_read(struct arena *arena, const struct builtin *builtins, size_t builtin_count, int argc,
             const char *const *argv, struct call *call, str *ret_why)
{
    struct reader r = { .arena = arena, .call = call, .argc = argc, .argv = argv, .why = ret_why };
    const char *words[MAX_ARGUMENTS];
    size_t count = find_words(&r, words, MAX_ARGUMENTS), typed = 0, meant = 0;
    const char *flag = NULL;
    size_t used = find_builtin(builtins, builtin_count, words, count, &call->builtin);
    if (used == 0) {
        alias_expand(arena, words, &count, MAX_ARGUMENTS, &typed, &meant, &flag);
        used = find_builtin(builtins, builtin_count, words, count, &call->builtin);
    }
    /* `logs download` is a command, although `logs` is a builtin that takes any name. */
    struct command_match match = command_match(words, count);
    if (match.command != NULL && match.used > used)
        call->builtin = NULL;
    if (call->builtin == NULL) {
        call->match = match;
        call->command = match.command;
        used = match.used;
    }
    if (flag != NULL && call->command != NULL) {
        struct reader own = {
            .arena = arena, .call = call, .argc = 2, .argv = (const char *const[]){ "", flag }, .why = ret_why
        };
        if (!take_rest(&own, 0))
            return false;
    }
    return take_rest(&r, used >= meant ? used - meant + typed : used);
}

int64_t
options_span_s(str text)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
    int64_t count;
    for (size_t i = 0; text.len > 1 && i < LENGTH(units); i++) {
        if (text.data[text.len - 1] == units[i].unit && str_to_int(str_slice(text, 0, text.len - 1), 1, 100000, &count))
            return count * units[i].seconds;
    }
    return 0;
}
