-- Other tables of a cluster are pinned.
-- scope: project :project
UPDATE cluster c SET pinned_tables = :tables::jsonb WHERE c.project_id = :project AND c.id = :cluster
RETURNING pinned_tables_document(c.id, c.project_id, c.pinned_tables) AS document,
          text_revision(pinned_tables_document(c.id, c.project_id, c.pinned_tables)) AS revision
