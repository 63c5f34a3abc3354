-- Puts a block of addresses on the access list of a principal, or changes its comment.
-- scope: organization $1
INSERT INTO access_list_entry (principal_id, org_id, block, comment)
VALUES ($2, $1, $3::text::cidr, $4::text)
ON CONFLICT (principal_id, block) DO UPDATE SET comment = excluded.comment;
