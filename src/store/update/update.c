/* SPDX-License-Identifier: Apache-2.0 */
#include "store/update/update.h"

/* ---- Operators ---- */
error
store_update_begin(struct tx *tx, id update, str operator_name, str wish, enum update_begun *ret_begun, str *ret_word)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    params_text(&params, P_OPERATOR_NAME, operator_name);
    params_text(&params, P_WISH, wish);
    TRY(tx_query(tx, SQL_FLEET_UPDATE_BEGIN, &params, &rows, NULL));
    str rest = rows_text(&rows, 0, C_OUTCOME), word = str_cut(&rest, ' ');
    *ret_word = rest;
    *ret_begun = str_is(word, "OK")        ? UPDATE_BEGUN
                 : str_is(word, "RUNNING") ? UPDATE_OTHER_RUNS
                 : str_is(word, "NOTHING") ? UPDATE_NOTHING_TO_DO
                                           : UPDATE_UNKNOWN_WORD;
    return OK;
}

error
store_update_set_job(struct tx *tx, id update, id job)
{
    struct params params = { 0 };
    params_id(&params, P_UPDATE, update);
    params_id(&params, P_JOB, job);
    return tx_query(tx, SQL_FLEET_UPDATE_SET_JOB, &params, NULL, NULL);
}

error
store_update_document(struct tx *tx, id update, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    TRY(tx_query(tx, SQL_FLEET_UPDATE_GET, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_update_read(struct store *store, struct arena *arena, id update, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    TRY(store_read(store, arena, SQL_FLEET_UPDATE_GET, &params, &rows));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_update_decide(struct tx *tx, id update, bool goes_on, bool skip_failed, enum update_decision *ret_decision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    params_bool(&params, P_GOES_ON, goes_on);
    params_bool(&params, P_SKIP_FAILED, skip_failed);
    TRY(tx_query(tx, SQL_FLEET_UPDATE_DECIDE, &params, &rows, NULL));
    str outcome = rows_text(&rows, 0, C_OUTCOME);
    *ret_decision = str_is(outcome, "OK") ? UPDATE_DECIDED : str_is(outcome, "GONE") ? UPDATE_GONE : UPDATE_REFUSED;
    return OK;
}

/* ---- The job of a rollout ---- */
error
store_update_advance(struct tx *tx, id update, bool is_canary, str kind, str first_step, int step_count,
                     struct update_view *ret_view)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    params_bool(&params, P_IS_CANARY, is_canary);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_FIRST_STEP, first_step);
    params_int(&params, P_STEP_COUNT, step_count);
    TRY(tx_query(tx, SQL_FLEET_UPDATE_ADVANCE, &params, &rows, NULL));
    *ret_view = (struct update_view){ .is_running = str_is(rows_text(&rows, 0, C_UPDATE_STATE), "RUNNING"),
                                      .problem = rows_text(&rows, 0, C_PROBLEM),
                                      .left = rows_int(&rows, 0, C_CLUSTERS_LEFT),
                                      .done = rows_int(&rows, 0, C_CLUSTERS_DONE) };
    return OK;
}

error
store_update_done(struct tx *tx, id update)
{
    struct params params = { 0 };
    params_id(&params, P_UPDATE, update);
    return tx_query(tx, SQL_FLEET_UPDATE_DONE, &params, NULL, NULL);
}

/* ---- The job of a cluster ---- */
error
store_update_gate(struct tx *tx, id update, id cluster, bool may_begin, enum update_gate *ret_gate)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    params_id(&params, P_CLUSTER, cluster);
    params_bool(&params, P_MAY_BEGIN, may_begin);
    TRY(tx_query(tx, SQL_FLEET_UPDATE_GATE, &params, &rows, NULL));
    str outcome = rows_text(&rows, 0, C_OUTCOME);
    *ret_gate = str_is(outcome, "GO")      ? GATE_GO
                : str_is(outcome, "FULL")  ? GATE_FULL
                : str_is(outcome, "LATER") ? GATE_LATER
                                           : GATE_OVER;
    return OK;
}

error
store_update_note(struct tx *tx, id update, id cluster, struct update_note note, struct update_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_UPDATE, update);
    params_id(&params, P_CLUSTER, cluster);
    params_text_or_null(&params, P_MEMBERS_DONE,
                        note.members_done < 0 ? STR_EMPTY : str_from_int(tx_arena(tx), note.members_done));
    params_text_or_null(&params, P_GOAL, note.goal < 0 ? STR_EMPTY : str_from_int(tx_arena(tx), note.goal));
    params_text_or_null(&params, P_STATE, note.state == NULL ? STR_EMPTY : str_from(note.state));
    params_text_or_null(&params, P_PROBLEM, note.problem);
    TRY(tx_query(tx, SQL_FLEET_UPDATE_NOTE, &params, &rows, NULL));
    *ret_row = (struct update_row){ .is_running = rows.count > 0 };
    if (rows.count > 0)
        *ret_row = (struct update_row){ true, rows_text(&rows, 0, C_TO_VERSION), rows_int(&rows, 0, C_GOAL),
                                        rows_int(&rows, 0, C_IDLE_S), rows_int(&rows, 0, C_PATIENCE_S) };
    return OK;
}
