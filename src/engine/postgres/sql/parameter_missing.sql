-- The first of the parameters $1 (a JSON object) that is not as it should be: neither in the file as it was loaded, nor on the server's command
-- line, which is how Patroni hands on what must be equal on all members. $2: a restart is pending, which is reported, and does not count as missing. $3: those
-- that are this member's own: nobody restarts it for them unless it says that it must, so they are missing until it does.
SELECT w.key FROM json_each_text($1::json) AS w
WHERE (NOT EXISTS (SELECT FROM pg_file_settings f WHERE lower(f.name) = lower(w.key) AND f.setting = w.value AND f.error IS NULL)
  AND NOT EXISTS (SELECT FROM pg_file_settings f JOIN pg_settings s ON s.name = lower(f.name)
                  WHERE s.name = lower(w.key) AND f.setting = w.value AND s.context = 'postmaster')
  AND NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = lower(w.key) AND s.source = 'command line'
                  AND (lower(s.setting) = lower(w.value) OR $2::bool)))
   OR (NOT $2::bool AND ($3::json ->> w.key) IS NOT NULL AND EXISTS (SELECT FROM pg_settings s WHERE s.name = lower(w.key) AND s.pending_restart))
ORDER BY 1 LIMIT 1
