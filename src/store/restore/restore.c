/* SPDX-License-Identifier: Apache-2.0 */
#include "store/restore/restore.h"

const char *const restore_point_words[] = { "SNAPSHOT", "TIME", "LSN", "LATEST", NULL };
const char *const restore_state_words[] = { "RUNNING", "UNDOING", "DONE", "FAILED", "CANCELLED", NULL };
const char *const restore_phase_words[] = { "", "STOP", "BUILD", "UNDO", "CLEAN", NULL };

static str
text_or_empty(const struct rows *rows, int row, enum column column)
{
    return rows_is_null(rows, row, column) ? STR_EMPTY : rows_text(rows, row, column);
}

static id
id_or_none(const struct rows *rows, int row, enum column column)
{
    return rows_is_null(rows, row, column) ? (id){ 0 } : rows_id(rows, row, column);
}

static void
bind_restore(struct params *params, id organization, id restore)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_RESTORE, restore);
}

/* ---- What is wanted ---- */

static void
bind_moment(struct params *params, const struct restore_wish *wish)
{
    if (wish->point == RESTORE_TIME)
        params_int(params, P_MOMENT_MS, wish->moment_ms);
    else
        params_null(params, P_MOMENT_MS);
    params_text_or_null(params, P_LSN, wish->point == RESTORE_LSN ? wish->lsn : STR_EMPTY);
}

static void
bind_wish(struct params *params, const struct restore_wish *wish)
{
    params_text(params, P_POINT, str_from(restore_point_words[wish->point]));
    if (wish->point == RESTORE_SNAPSHOT)
        params_id(params, P_SNAPSHOT, wish->snapshot);
    else
        params_null(params, P_SNAPSHOT);
    bind_moment(params, wish);
}

error
store_backup_cluster(struct tx *tx, id project, str kind, str name, bool *ret_found, id *ret_cluster)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_BACKUP_CLUSTER_FIND, &params, &rows, NULL));
    *ret_found = rows.count > 0 && !rows_is_null(&rows, 0, C_CLUSTER);
    if (*ret_found)
        *ret_cluster = rows_id(&rows, 0, C_CLUSTER);
    return OK;
}

error
store_restore_find(struct tx *tx, id project, id cluster, const struct restore_wish *wish, bool *ret_found,
                   struct restore_source *ret_source)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CLUSTER, cluster);
    bind_wish(&params, wish);
    TRY(tx_query(tx, SQL_RESTORE_FIND, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_source = (struct restore_source){
            .seat = rows_id(&rows, 0, C_SEAT),
            .stanza = rows_text(&rows, 0, C_STANZA),
            .label = rows_text(&rows, 0, C_LABEL),
            .major_version = rows_text(&rows, 0, C_MAJOR_VERSION),
            .timeline = rows_is_null(&rows, 0, C_TIMELINE) ? 0 : rows_int(&rows, 0, C_TIMELINE),
            .size_bytes = rows_is_null(&rows, 0, C_SIZE_BYTES) ? 0 : rows_int(&rows, 0, C_SIZE_BYTES),
            .is_silent = rows_bool(&rows, 0, C_IS_SILENT),
        };
    return OK;
}

error
store_restore_nearest(struct tx *tx, id project, id cluster, const struct restore_wish *wish, str *ret_nearest)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CLUSTER, cluster);
    bind_moment(&params, wish);
    TRY(tx_query(tx, SQL_RESTORE_NEAREST, &params, &rows, NULL));
    *ret_nearest = rows.count > 0 ? text_or_empty(&rows, 0, C_NEAREST) : STR_EMPTY;
    return OK;
}

static void
bind_source(struct params *params, const struct restore_source *source)
{
    params_id(params, P_SEAT, source->seat);
    params_text(params, P_LABEL, source->label);
    if (source->timeline == 0)
        params_null(params, P_TIMELINE);
    else
        params_int(params, P_TIMELINE, source->timeline);
}

error
store_restore_add(struct tx *tx, const struct restore_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, draft->organization, draft->id);
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_CLUSTER, draft->cluster);
    bind_wish(&params, &draft->wish);
    bind_source(&params, &draft->source);
    params_bool(&params, P_IS_LAST, draft->wish.point != RESTORE_SNAPSHOT);
    params_id(&params, P_TARGET_PROJECT, draft->target_project);
    params_id(&params, P_TARGET, draft->target);
    params_text(&params, P_TARGET_NAME, draft->target_name);
    TRY(tx_query(tx, SQL_RESTORE_ADD, &params, &rows, NULL));
    return rows.count == 1 ? OK : fail(tx_arena(tx), CONCURRENT_CHANGE, V("restores"));
}

error
store_restore_is_under_way(struct tx *tx, id organization, id target, bool *ret_is_under_way)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CLUSTER, target);
    TRY(tx_query(tx, SQL_RESTORE_UNDER_WAY, &params, &rows, NULL));
    *ret_is_under_way = rows_bool(&rows, 0, C_IS_UNDER_WAY);
    return OK;
}

/* ---- What is shown ---- */

static void
bind_place(struct params *params, const struct restore_place *place)
{
    params_id(params, P_PROJECT, place->project);
    params_id(params, P_RESTORE, place->restore);
    params_text(params, P_KIND, place->kind);
    params_text(params, P_NAME, place->cluster);
}

error
store_restore_document(struct tx *tx, const struct restore_place *place, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place);
    params_text(&params, P_FORM, place->form);
    TRY(tx_query(tx, SQL_RESTORE_GET, &params, &rows, NULL));
    *ret_document = rows.count > 0 ? rows_text(&rows, 0, C_DOCUMENT) : STR_EMPTY;
    *ret_revision = rows.count > 0 ? rows_int(&rows, 0, C_REVISION) : 0;
    return OK;
}

error
store_restore_target(struct tx *tx, const struct restore_place *place, bool *ret_found, id *ret_target_project,
                     id *ret_target)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place);
    TRY(tx_query(tx, SQL_RESTORE_PLACE, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (*ret_found) {
        *ret_target_project = id_or_none(&rows, 0, C_TARGET_PROJECT);
        *ret_target = id_or_none(&rows, 0, C_TARGET);
    }
    return OK;
}

/* ---- How it goes on ---- */

error
store_restore_lock(struct tx *tx, id organization, id restore, bool *ret_found, struct restore *ret_restore)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, organization, restore);
    TRY(tx_query(tx, SQL_RESTORE_LOCK, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (!*ret_found)
        return OK;
    *ret_restore = (struct restore){
        .id = restore,
        .organization = organization,
        .state = (enum restore_state)str_word(rows_text(&rows, 0, C_STATE), restore_state_words),
        .phase = (enum restore_phase)str_word(text_or_empty(&rows, 0, C_PHASE), restore_phase_words),
        .problem = text_or_empty(&rows, 0, C_PROBLEM),
        .gate_state = text_or_empty(&rows, 0, C_GATE_STATE),
        .gate_problem = text_or_empty(&rows, 0, C_GATE_PROBLEM),
        .first = id_or_none(&rows, 0, C_FIRST),
        .next_stanza = id_or_none(&rows, 0, C_NEXT_STANZA),
        .has_gate = rows_bool(&rows, 0, C_HAS_GATE),
        .has_seat = rows_bool(&rows, 0, C_HAS_SEAT),
        .keeps_before = rows_bool(&rows, 0, C_KEEPS_BEFORE),
        .is_restored = rows_bool(&rows, 0, C_IS_RESTORED),
        .is_cancelled = rows_bool(&rows, 0, C_IS_CANCELLED),
    };
    return OK;
}

error
store_restore_open_gate(struct tx *tx, id restore, bool *ret_opened)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_RESTORE, restore);
    TRY(tx_query(tx, SQL_RESTORE_GATE_OPEN, &params, &rows, NULL));
    *ret_opened = rows.count > 0 && !rows_is_null(&rows, 0, C_PORT);
    return OK;
}

static struct restore_wish
read_wish(const struct rows *rows)
{
    return (struct restore_wish){
        .point = (enum restore_point)str_word(rows_text(rows, 0, C_POINT), restore_point_words),
        .snapshot = id_or_none(rows, 0, C_SNAPSHOT),
        .moment_ms = rows_is_null(rows, 0, C_MOMENT_MS) ? 0 : rows_int(rows, 0, C_MOMENT_MS),
        .lsn = text_or_empty(rows, 0, C_LSN),
    };
}

static error
move_to(struct tx *tx, id organization, id restore, const struct restore_source *source)
{
    struct params params = { 0 };
    bind_restore(&params, organization, restore);
    bind_source(&params, source);
    return tx_query(tx, SQL_RESTORE_MOVE, &params, NULL, NULL);
}

error
store_restore_move(struct tx *tx, id organization, id restore, bool *ret_moved)
{
    struct params params = { 0 };
    struct rows rows;
    struct restore_source source;
    bool found;
    *ret_moved = false;
    bind_restore(&params, organization, restore);
    TRY(tx_query(tx, SQL_RESTORE_WISH, &params, &rows, NULL));
    if (rows.count == 0 || !rows_bool(&rows, 0, C_IS_SILENT))
        return OK;
    struct restore_wish wish = read_wish(&rows);
    TRY(store_restore_find(tx, rows_id(&rows, 0, C_PROJECT), rows_id(&rows, 0, C_CLUSTER), &wish, &found, &source));
    if (!found || source.is_silent)
        return OK;
    *ret_moved = true;
    return move_to(tx, organization, restore, &source);
}

error
store_restore_tell(struct tx *tx, const struct restore *restore)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, restore->organization, restore->id);
    params_text_or_null(&params, P_PHASE, str_from(restore_phase_words[restore->phase]));
    if (id_is_there(restore->first))
        params_id(&params, P_FIRST, restore->first);
    else
        params_null(&params, P_FIRST);
    params_bool(&params, P_KEEPS_BEFORE, restore->keeps_before);
    return tx_query(tx, SQL_RESTORE_SET_PHASE, &params, &rows, NULL);
}

error
store_restore_turn_back(struct tx *tx, id organization, id restore, str problem, bool is_cancelled, bool *ret_turned)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, organization, restore);
    params_text(&params, P_PROBLEM, problem);
    params_bool(&params, P_IS_CANCELLED, is_cancelled);
    TRY(tx_query(tx, SQL_RESTORE_TURN_BACK, &params, &rows, NULL));
    *ret_turned = rows.count > 0;
    return OK;
}

error
store_restore_reached(struct tx *tx, const struct restore *restore)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, restore->organization, restore->id);
    return tx_query(tx, SQL_RESTORE_REACHED, &params, &rows, NULL);
}

error
store_restore_set_next(struct tx *tx, const struct restore *restore, id stanza)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, restore->organization, restore->id);
    params_id(&params, P_STANZA, stanza);
    return tx_query(tx, SQL_RESTORE_SET_NEXT, &params, &rows, NULL);
}

error
store_restore_end(struct tx *tx, const struct restore *restore, enum restore_state state, bool stays_stopped)
{
    struct params params = { 0 };
    struct rows rows;
    bind_restore(&params, restore->organization, restore->id);
    params_text(&params, P_STATE, str_from(restore_state_words[state]));
    params_bool(&params, P_STAYS_STOPPED, stays_stopped);
    return tx_query(tx, SQL_RESTORE_END, &params, &rows, NULL);
}

error
store_restore_members(struct tx *tx, id restore, size_t *ret_count,
                      struct restore_member ret_members[RESTORE_MAX_MEMBERS])
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_RESTORE, restore);
    TRY(tx_query(tx, SQL_RESTORE_MEMBERS, &params, &rows, NULL));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < RESTORE_MAX_MEMBERS; i++) {
        ret_members[(*ret_count)++] = (struct restore_member){
            .member = rows_id(&rows, i, C_MEMBER),
            .phase = text_or_empty(&rows, i, C_PHASE),
            .state = text_or_empty(&rows, i, C_STATE),
            .problem = text_or_empty(&rows, i, C_PROBLEM),
            .has_access = rows_bool(&rows, i, C_HAS_ACCESS),
        };
    }
    return OK;
}

/* ---- For agents ---- */

error
store_host_gate(struct store *store, struct arena *arena, id host, id restore, struct host_gate *ret_gate)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_id(&params, P_RESTORE, restore);
    TRY(store_read(store, arena, SQL_HOST_GATE_FIND, &params, &rows));
    *ret_gate = (struct host_gate){ .scope = STR_EMPTY };
    if (rows.count > 0)
        *ret_gate = (struct host_gate){ rows_id(&rows, 0, C_CLUSTER), rows_text(&rows, 0, C_SET_NAME),
                                        text_or_empty(&rows, 0, C_ADDRESS) };
    return OK;
}
