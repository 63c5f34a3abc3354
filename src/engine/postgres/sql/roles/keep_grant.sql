-- Hands over to group_grant: to whom, on which collection (empty: on all), and the words for tables, sequences and schemas.
SELECT set_config('reeve.grantee', $1, false), set_config('reeve.collection', $2, false),
       set_config('reeve.tables', $3, false), set_config('reeve.sequences', $4, false),
       set_config('reeve.schemas', $5, false)
