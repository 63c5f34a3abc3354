-- The organization of whoever limits are set for, of the kind :kind; no row when there is none such. A person has none.
-- scope: none, because it answers which organization an owner belongs to
SELECT encode(o.id, 'hex') AS organization FROM organization o WHERE :kind = 'org' AND o.id = :owner
UNION ALL SELECT encode(p.org_id, 'hex') FROM project p WHERE :kind = 'project' AND p.id = :owner
UNION ALL SELECT encode(u.org_id, 'hex') FROM principal u WHERE :kind = 'user' AND u.id = :owner
