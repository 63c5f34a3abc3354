/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/advisor/shape_text.h"

#include <ctype.h>

enum { MOST_TOKENS = 8192, MOST_DEPTH = 64 };

enum kind { NAME, QUOTED, VALUE, SIGN, OTHER };

struct token {
    enum kind kind;
    str text;
    bool is_apart; /* there was a space before it */
};

/* ---- Words ---- */
static bool
begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool
is_in_name(char c)
{
    return begins_name(c) || isdigit((unsigned char)c) || c == '$';
}

static bool
is_sign(char c)
{
    return c != '\0' && strchr("+-*/<>=~!@#%^&|`?", c) != NULL;
}

static char
at(str s, size_t i)
{
    return i < s.len ? s.data[i] : '\0';
}

/* A comment may hold comments. False when it does not end. */
static bool
skip_comment(str s, size_t *i)
{
    size_t depth = 0;
    do {
        if (at(s, *i) == '/' && at(s, *i + 1) == '*') {
            depth++;
            *i += 2;
        } else if (at(s, *i) == '*' && at(s, *i + 1) == '/') {
            depth--;
            *i += 2;
        } else {
            (*i)++;
        }
    } while (depth > 0 && *i < s.len);
    return depth == 0;
}

static bool
skip_space(str s, size_t *i)
{
    while (*i < s.len) {
        if (isspace((unsigned char)s.data[*i])) {
            (*i)++;
        } else if (s.data[*i] == '-' && at(s, *i + 1) == '-') {
            while (*i < s.len && s.data[*i] != '\n')
                (*i)++;
        } else if (s.data[*i] == '/' && at(s, *i + 1) == '*') {
            if (!skip_comment(s, i))
                return false;
        } else {
            break;
        }
    }
    return true;
}

/*
 * Behind the closing quote. Where a backslash means itself depends on a setting of the session that ran the statement, which nobody knows any more: a text
 * with one that is not marked (E'') cannot be read.
 */
static bool
skip_quoted(str s, size_t *i, char quote, bool has_escapes)
{
    for ((*i)++; *i < s.len; (*i)++) {
        if (s.data[*i] == '\\' && quote == '\'') {
            if (!has_escapes)
                return false;
            (*i)++;
        } else if (s.data[*i] == quote && at(s, *i + 1) == quote) {
            (*i)++;
        } else if (s.data[*i] == quote) {
            (*i)++;
            return true;
        }
    }
    return false;
}

/* $1, or $tag$ … $tag$ */
static bool
skip_dollar(str s, size_t *i)
{
    size_t from = *i, to = *i + 1;
    while (isdigit((unsigned char)at(s, to)))
        to++;
    if (to > from + 1) {
        *i = to;
        return true;
    }
    while (begins_name(at(s, to)) || isdigit((unsigned char)at(s, to)))
        to++;
    if (at(s, to) != '$')
        return false;
    str tag = str_slice(s, from, to + 1);
    for (to++; to + tag.len <= s.len; to++) {
        if (memcmp(s.data + to, tag.data, tag.len) == 0) {
            *i = to + tag.len;
            return true;
        }
    }
    return false;
}

static void
skip_number(str s, size_t *i)
{
    while (is_in_name(at(s, *i)) || at(s, *i) == '.' ||
           (strchr("+-", at(s, *i)) != NULL && at(s, *i) != '\0' && tolower((unsigned char)at(s, *i - 1)) == 'e'))
        (*i)++;
}

static void
skip_signs(str s, size_t *i)
{
    do
        (*i)++;
    while (is_sign(at(s, *i)) && !(at(s, *i) == '-' && at(s, *i + 1) == '-') &&
           !(at(s, *i) == '/' && at(s, *i + 1) == '*'));
}

/* E'…', B'…', X'…', N'…', U&'…': the letter belongs to the text. */
static size_t
mark_before_text(str s, size_t i)
{
    char c = (char)tolower((unsigned char)at(s, i));
    if (c == 'u' && at(s, i + 1) == '&' && (at(s, i + 2) == '\'' || at(s, i + 2) == '"'))
        return 2;
    return c != '\0' && strchr("ebxn", c) != NULL && at(s, i + 1) == '\'' ? 1 : 0;
}

static bool
read_token(str s, size_t *i, struct token *ret_token)
{
    size_t from = *i, mark = mark_before_text(s, *i);
    char c = s.data[from];
    *i += mark;
    char quote = at(s, *i);
    bool ok = true;
    if (quote == '\'' || quote == '"') {
        ret_token->kind = quote == '"' ? QUOTED : VALUE;
        ok = skip_quoted(s, i, quote, mark == 1 && tolower((unsigned char)c) == 'e');
    } else if (c == '$') {
        ret_token->kind = VALUE;
        ok = skip_dollar(s, i);
    } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)at(s, from + 1)))) {
        ret_token->kind = VALUE;
        skip_number(s, i);
    } else if (begins_name(c)) {
        ret_token->kind = NAME;
        while (is_in_name(at(s, *i)))
            (*i)++;
    } else if (is_sign(c)) {
        ret_token->kind = SIGN;
        skip_signs(s, i);
    } else {
        ret_token->kind = OTHER;
        *i += c == ':' && at(s, from + 1) == ':' ? 2 : 1;
        ok = !iscntrl((unsigned char)c);
    }
    ret_token->text = str_slice(s, from, *i);
    return ok;
}

static bool
read_tokens(str s, struct token *tokens, size_t *ret_count)
{
    size_t i = 0;
    *ret_count = 0;
    for (;;) {
        size_t before = i;
        if (!skip_space(s, &i) || *ret_count + 1 == MOST_TOKENS)
            return false;
        if (i == s.len)
            return true;
        tokens[*ret_count].is_apart = i > before;
        if (!read_token(s, &i, &tokens[*ret_count]))
            return false;
        (*ret_count)++;
    }
}

/* ---- What it is about ---- */
static bool
is_word(const struct token *token, const char *word)
{
    return token->kind == NAME && str_eq_nocase(token->text, str_from(word));
}

static bool
is_one_of(const struct token *token, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (is_word(token, *words))
            return true;
    }
    return false;
}

static bool
is_char(const struct token *token, char c)
{
    return token->kind == OTHER && token->text.len == 1 && token->text.data[0] == c;
}

static const char *const commands[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", NULL };

static const char *
command_of(const struct token *tokens, size_t count)
{
    int depth = 0;
    size_t i = 0;
    while (i < count && is_char(&tokens[i], '('))
        i++;
    if (i < count && (is_word(&tokens[i], "VALUES") || is_word(&tokens[i], "TABLE")))
        return "SELECT";
    bool is_with = i < count && is_word(&tokens[i], "WITH");
    for (; i < count; i++) {
        depth += is_char(&tokens[i], '(') ? 1 : is_char(&tokens[i], ')') ? -1 : 0;
        for (size_t k = 0; depth == 0 && commands[k] != NULL; k++) {
            if (is_word(&tokens[i], commands[k]))
                return commands[k];
        }
        if (!is_with)
            break;
    }
    return NULL;
}

/* Whoever plans the text as one statement must not run another. */
static bool
has_several(const struct token *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_char(&tokens[i], ';'))
            return true;
    }
    return false;
}

/* As PostgreSQL folds it. */
static str
name_of(struct arena *arena, const struct token *token)
{
    str text = token->text;
    if (token->kind == QUOTED)
        return text.data[0] == '"' && text.len > 2 ? str_dup(arena, str_slice(text, 1, text.len - 1)) : STR_EMPTY;
    str copy = str_dup(arena, text);
    for (size_t i = 0; i < copy.len; i++)
        ((char *)copy.data)[i] = (char)tolower((unsigned char)copy.data[i]);
    return copy;
}

static bool
is_name(const struct token *tokens, size_t count, size_t i)
{
    return i < count && (tokens[i].kind == NAME || tokens[i].kind == QUOTED);
}

/* "orders", or "sales.orders"; empty for a function, and what is no name at all. */
static str
table_at(struct arena *arena, const struct token *tokens, size_t count, size_t i)
{
    static const char *const no_tables[] = { "SELECT", "LATERAL", "VALUES", "ROWS", "UNNEST", NULL };
    if (i < count && is_word(&tokens[i], "ONLY"))
        i++;
    if (!is_name(tokens, count, i) || is_one_of(&tokens[i], no_tables))
        return STR_EMPTY;
    str name = name_of(arena, &tokens[i]);
    if (i + 1 < count && is_char(&tokens[i + 1], '.') && is_name(tokens, count, i + 2)) {
        str table = name_of(arena, &tokens[i + 2]);
        i += 2;
        name = str_is(name, "public") ? table : str_format(arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(table));
    }
    return i + 1 < count && is_char(&tokens[i + 1], '(') && !tokens[i + 1].is_apart ? STR_EMPTY : name;
}

/* extract(year FROM moment) reads no table. */
static str
table_of(struct arena *arena, const struct token *tokens, size_t count)
{
    static const char *const befores[] = { "FROM", "INTO", "UPDATE", "JOIN", NULL };
    static const char *const other_froms[] = { "EXTRACT", "SUBSTRING", "TRIM", "OVERLAY", "POSITION", NULL };
    bool is_other[MOST_DEPTH] = { false };
    size_t depth = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        if (is_char(&tokens[i], '(') && depth + 1 < MOST_DEPTH)
            is_other[++depth] = i > 0 && is_one_of(&tokens[i - 1], other_froms);
        else if (is_char(&tokens[i], ')') && depth > 0)
            depth--;
        if (is_other[depth] || !is_one_of(&tokens[i], befores))
            continue;
        str table = table_at(arena, tokens, count, i + 1);
        if (table.len > 0)
            return table;
    }
    return STR_EMPTY;
}

static void
add_once(str *words, size_t *count, str word)
{
    for (size_t i = 0; i < *count; i++) {
        if (str_eq(words[i], word))
            return;
    }
    if (*count < SHAPE_MOST_WORDS && word.len > 0 && word.len < 64)
        words[(*count)++] = word;
}

static void
collect_words(struct arena *arena, const struct token *tokens, size_t count, struct shape *shape)
{
    static const char *const search_begins[] = { "WHERE", "ON", "USING", "BY", NULL };
    bool is_search = false;
    for (size_t i = 0; i < count; i++) {
        if (is_one_of(&tokens[i], search_begins)) {
            is_search = true;
            continue;
        }
        if (!is_name(tokens, count, i))
            continue;
        str word = name_of(arena, &tokens[i]);
        add_once(shape->words, &shape->word_count, word);
        if (is_search)
            add_once(shape->searched, &shape->searched_count, word);
    }
}

static bool
has_case_ignored(const struct token *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_word(&tokens[i], "ILIKE") ||
            (tokens[i].kind == SIGN && (str_is(tokens[i].text, "~*") || str_is(tokens[i].text, "!~*") ||
                                        str_is(tokens[i].text, "~~*") || str_is(tokens[i].text, "!~~*"))))
            return true;
    }
    return false;
}

/* ---- The text ---- */
static bool
is_rest(const struct token *token)
{
    return token->kind == OTHER && str_is(token->text, "...");
}

/* The place of the bracket that opens a list of nothing but values, which ends with the last token; -1: it is none. */
static ptrdiff_t
opens_values(const struct token *tokens, size_t count)
{
    ptrdiff_t i = (ptrdiff_t)count - 2;
    while (i >= 0 && (tokens[i].kind == VALUE || is_char(&tokens[i], ',') || is_rest(&tokens[i])))
        i--;
    return i >= 0 && is_char(&tokens[i], '(') ? i : -1;
}

/* What goes behind a comma when the same stands before it: "..." once, and nothing more. */
static size_t
put_rest(struct token *tokens, size_t count)
{
    if (is_rest(&tokens[count - 2]))
        return count - 1;
    tokens[count] = (struct token){ OTHER, STR("..."), true };
    return count + 1;
}

/* A value behind a value, neither of them a part of something longer. */
static bool
is_further_value(const struct token *kept, size_t count, const struct token *token, const struct token *next)
{
    if (count < 2 || token->kind != VALUE || !is_char(&kept[count - 1], ',') ||
        (next != NULL && !is_char(next, ',') && !is_char(next, ')')))
        return false;
    return is_rest(&kept[count - 2]) || (kept[count - 2].kind == VALUE && count > 2 &&
                                         (is_char(&kept[count - 3], '(') || is_char(&kept[count - 3], ',')));
}

/* Lists are the same whatever their length: "(?, ?, ?)" becomes "(?, ...)", and "(?), (?), (?)" becomes "(?), ...". */
static size_t
shorten_lists(struct token *tokens, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_further_value(tokens, kept, &tokens[i], i + 1 < count ? &tokens[i + 1] : NULL)) {
            kept = put_rest(tokens, kept);
            continue;
        }
        tokens[kept++] = tokens[i];
        ptrdiff_t open = is_char(&tokens[i], ')') ? opens_values(tokens, kept) : -1;
        if (open >= 2 && is_char(&tokens[open - 1], ',') &&
            (is_rest(&tokens[open - 2]) ||
             (is_char(&tokens[open - 2], ')') && opens_values(tokens, (size_t)open - 1) >= 0)))
            kept = put_rest(tokens, (size_t)open);
    }
    return kept;
}

static bool
is_tight(const struct token *token, const char *chars)
{
    return token->kind == OTHER &&
           (str_is(token->text, "::") || (token->text.len == 1 && strchr(chars, token->text.data[0]) != NULL));
}

static bool
needs_space(const struct token *before, const struct token *token)
{
    if (is_tight(before, "(.[") || is_tight(token, "),.;[]"))
        return false;
    return is_char(token, '(') ? token->is_apart || before->kind == SIGN : true;
}

static str
write_text(struct arena *arena, const struct token *tokens, size_t count)
{
    struct buf out = buf_in(arena, SHAPE_QUERY_BYTES * 2);
    for (size_t i = 0; i < count && out.len <= SHAPE_TEXT_BYTES; i++) {
        if (i > 0 && needs_space(&tokens[i - 1], &tokens[i]))
            buf_add_char(&out, ' ');
        buf_add(&out, tokens[i].kind == VALUE ? STR("?") : tokens[i].text);
    }
    str text = buf_str(&out);
    if (text.len <= SHAPE_TEXT_BYTES)
        return text;
    size_t end = SHAPE_TEXT_BYTES - 3;
    while (end > 0 && ((unsigned char)text.data[end] & 0xC0) == 0x80)
        end--;
    return str_format(arena, "%.*s...", (int)end, text.data);
}

bool
shape_of(struct arena *arena, str query, struct shape *ret_shape)
{
    struct shape shape = { .text = STR_EMPTY };
    size_t count;
    if (query.len > SHAPE_QUERY_BYTES || !str_is_text(query))
        return false;
    struct token *tokens = ARENA_ARRAY(arena, struct token, MOST_TOKENS);
    if (tokens == NULL || !read_tokens(query, tokens, &count))
        return false;
    while (count > 0 && is_char(&tokens[count - 1], ';'))
        count--;
    shape.command = command_of(tokens, count);
    if (shape.command == NULL || has_several(tokens, count))
        return false;
    shape.table = table_of(arena, tokens, count);
    shape.ignores_case = has_case_ignored(tokens, count);
    collect_words(arena, tokens, count, &shape);
    count = shorten_lists(tokens, count);
    shape.text = write_text(arena, tokens, count);
    *ret_shape = shape;
    return shape.text.len > 0;
}
