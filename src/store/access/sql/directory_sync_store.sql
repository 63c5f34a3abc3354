-- Records who is in which group, [{"id", "members", "skipped", "isEmpty"}, …], how the directory answered as a whole, and gives it back until its next turn. Nobody who lost it can.
-- When something changed meanwhile, nothing is recorded of the groups, and it is asked again, unless groups are switched off by now.
-- An answer is quick when it took less than two seconds; one that was not is remembered for an hour.
-- scope: none, because the worker serves all organizations
WITH held AS (
    UPDATE directory_sync SET lease_until = NULL,
        next_try_at = CASE WHEN next_try_at = 'infinity' THEN next_try_at WHEN changes = :changes::bigint THEN now() + :retry_ms::bigint * interval '1 millisecond' ELSE now() END,
        failures = CASE WHEN :worked::boolean THEN 0 ELSE failures + 1 END, is_proven = :worked::boolean AND :took_ms::bigint < 2000 AND slow_until < now(),
        slow_until = CASE WHEN :took_ms::bigint < 2000 THEN slow_until ELSE now() + interval '1 hour' END,
        rest_until = CASE WHEN :took_ms::bigint < 2000 THEN '-infinity' ELSE now() + :rest_ms::bigint * interval '1 millisecond' END
    WHERE project_id = :project AND lease_epoch = :epoch::bigint
    RETURNING project_id, changes = :changes::bigint AS counts),
stored AS (
    INSERT INTO directory_group AS g (group_id, project_id, members, skipped, empty_since)
    SELECT decode(x.id, 'hex'), h.project_id, ARRAY(SELECT jsonb_array_elements_text(x.members)), x.skipped, CASE WHEN x."isEmpty" THEN now() END
    FROM held h, json_to_recordset(:groups::json) AS x(id text, members jsonb, skipped jsonb, "isEmpty" boolean)
    WHERE h.counts
    ON CONFLICT (group_id) DO UPDATE SET members = excluded.members, skipped = excluded.skipped,
        empty_since = CASE WHEN excluded.empty_since IS NULL THEN NULL ELSE coalesce(g.empty_since, excluded.empty_since) END
    RETURNING 1)
SELECT counts FROM held
