-- Members of the role $1: users that Reeve made, whether or not they may log in.
SELECT u.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member
WHERE g.rolname = $1 ORDER BY 1
