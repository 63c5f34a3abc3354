-- One of the projects that a JSON list of ids names in which a member :member has no role yet and which has as many people as it may,
-- with that number: its limit :name, or :fallback by default. Lock the projects first.
-- scope: organization :organization
SELECT encode(p.id, 'hex'), room.value
FROM project p
CROSS JOIN LATERAL (SELECT coalesce((SELECT l.value FROM project_limit l
                                     WHERE l.org_id = :organization AND l.project_id = p.id AND l.name = :name::text), :fallback::bigint) AS value) room
WHERE p.org_id = :organization
  AND p.id IN (SELECT decode(named.id, 'hex') FROM jsonb_array_elements_text(:projects::jsonb) AS named (id))
  AND NOT EXISTS (SELECT 1 FROM member_role r WHERE r.org_id = :organization AND r.id = :member::bytea AND r.project_id = p.id)
  AND (SELECT count(DISTINCT r.id) FROM member_role r JOIN member m ON m.org_id = :organization AND m.id = r.id
       WHERE r.org_id = :organization AND r.project_id = p.id) >= room.value
ORDER BY p.id LIMIT 1
