-- One cluster as the API shows it; its revision is that of what is shown.
-- scope: project $1
SELECT d.document, text_revision(d.document) FROM cluster_document d WHERE d.scope = $1 AND d.kind = $2 AND d.name = $3
