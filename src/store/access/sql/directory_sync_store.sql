-- Records who is in which group, [{"id", "members", "skipped", "isEmpty"}, …], how the directory answered as a whole, and gives it back until its next turn. Nobody who lost it can.
-- An answer is quick when it took less than two seconds; one that was not is remembered for an hour.
-- scope: none, because the worker serves all organizations
WITH held AS (
    UPDATE directory_sync SET lease_until = NULL, next_try_at = now() + :retry_ms::bigint * interval '1 millisecond',
        failures = CASE WHEN :why::text IS NULL THEN 0 ELSE failures + 1 END, last_error = :why,
        synced_at = CASE WHEN :why::text IS NULL THEN now() ELSE synced_at END,
        is_proven = :why::text IS NULL AND :took_ms::bigint < 2000 AND slow_until < now(),
        slow_until = CASE WHEN :took_ms::bigint < 2000 THEN slow_until ELSE now() + interval '1 hour' END
    WHERE project_id = :project AND lease_epoch = :epoch::bigint
    RETURNING project_id),
stored AS (
    INSERT INTO directory_group AS g (group_id, project_id, members, skipped, empty_since)
    SELECT decode(x.id, 'hex'), h.project_id, ARRAY(SELECT jsonb_array_elements_text(x.members)), x.skipped, CASE WHEN x."isEmpty" THEN now() END
    FROM held h, json_to_recordset(:groups::json) AS x(id text, members jsonb, skipped jsonb, "isEmpty" boolean)
    ON CONFLICT (group_id) DO UPDATE SET members = excluded.members, skipped = excluded.skipped,
        empty_since = CASE WHEN excluded.empty_since IS NULL THEN NULL ELSE coalesce(g.empty_since, excluded.empty_since) END
    RETURNING 1)
SELECT 1 FROM held
