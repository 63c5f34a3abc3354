-- Drops an extension that nothing depends on.
DO $do$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    IF current_setting('server_version_num')::int >= 170000 THEN
        PERFORM set_config('event_triggers', 'off', true);
    END IF;
    DROP EXTENSION :"extension" RESTRICT;
END
$do$
