-- An index that exists for this session's planner only: its number and its size.
SELECT i.indexrelid::text, COALESCE(reeve_advisor.hypopg_relation_size(i.indexrelid), 0)::text FROM reeve_advisor.hypopg_create_index($1) i
