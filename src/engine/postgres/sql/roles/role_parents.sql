-- Which of our own roles the role $1 is in.
SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member
WHERE u.rolname = $1 AND g.rolname LIKE 'reeve\_%' ORDER BY 1
