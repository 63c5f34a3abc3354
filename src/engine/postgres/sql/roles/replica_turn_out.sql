-- On a replica: ends sessions of users that are gone; and when WAL waits for sessions here, which it may for an hour on members for analytics, transactions that are older than $3 seconds, if more
-- than $4 bytes wait, or a user is not yet what they should be. $1: who is wanted, a JSON list of names, verifiers (empty for those who show something else), ends and groups. $2: the role of
-- whom Reeve made. $5: whether who may come in has changed so lately that this replica may not have it yet. $6: the fleet's own roles, a JSON list, whose sessions stay.
-- Answers how many users are not yet what they should be: they are more than they ought to be, or come in with what is no longer theirs.
WITH wanted AS (
    SELECT name, nullif(verifier, '') AS verifier, until::timestamptz AS until, groups
    FROM json_to_recordset($1::json) AS one (name text, verifier text, until text, groups json)),
here AS (
    SELECT u.oid, u.rolname::text AS name, u.rolcanlogin, u.rolpassword, u.rolvaliduntil
    FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_authid u ON u.oid = m.member WHERE g.rolname = $2),
stale AS (
    SELECT FROM here LEFT JOIN wanted USING (name)
    WHERE here.rolcanlogin
      AND (wanted.name IS NULL OR here.rolpassword IS DISTINCT FROM wanted.verifier OR here.rolvaliduntil IS DISTINCT FROM wanted.until
           OR EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
                      WHERE m.member = here.oid AND g.rolname::text NOT IN (SELECT json_array_elements_text(wanted.groups))))),
replay AS (
    SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'startup' AND (wait_event LIKE 'RecoveryConflict%' OR wait_event_type IN ('Lock', 'BufferPin'))) AS is_held,
           pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) > $4::bigint AS is_too_much)
SELECT (SELECT count(*) FROM stale), count(pg_terminate_backend(s.pid))
FROM pg_stat_activity s, replay
WHERE pg_is_in_recovery() AND s.backend_type = 'client backend' AND s.usesysid IS NOT NULL -- who has not said yet who they are is nobody
  AND (s.usename IS NULL -- the role is gone already
       OR ($5::bool AND s.usesysid IN (SELECT oid FROM here) AND s.usename::text NOT IN (SELECT name FROM wanted))
       OR (replay.is_held AND s.xact_start < clock_timestamp() - make_interval(secs => $3::int) AND s.usename::text NOT IN (SELECT json_array_elements_text($6::json))
           AND (replay.is_too_much OR ($5::bool AND EXISTS (SELECT FROM stale)))))
