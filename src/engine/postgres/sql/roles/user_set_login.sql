-- What a user logs in with, until when, and what else they may make. The statement is put together inside of the server.
DO $$
BEGIN
    EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %s VALID UNTIL %L %s', current_setting('reeve.role'),
        CASE current_setting('reeve.verifier') WHEN '' THEN 'NULL' ELSE quote_literal(current_setting('reeve.verifier')) END,
        current_setting('reeve.until'), current_setting('reeve.attributes'));
END $$
