-- The organization of whoever limits are set for, of the kind $1; no row when there is none such. A person has none.
-- scope: none, because it answers which organization an owner belongs to
SELECT encode(o.id, 'hex') FROM organization o WHERE $1 = 'org' AND o.id = $2
UNION ALL SELECT encode(p.org_id, 'hex') FROM project p WHERE $1 = 'project' AND p.id = $2
UNION ALL SELECT encode(u.org_id, 'hex') FROM principal u WHERE $1 = 'user' AND u.id = $2
