-- Where names without a schema are looked for: which of them a client had set is not known, so all, with the usual one first.
SELECT string_agg(quote_ident(nspname), ', ' ORDER BY nspname <> 'public', nspname)
FROM (SELECT nspname FROM pg_namespace WHERE NOT starts_with(nspname, 'pg_') AND nspname NOT IN ('information_schema', 'reeve_advisor')
      ORDER BY nspname <> 'public', nspname LIMIT 20) s
