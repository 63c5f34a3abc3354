-- The person with a user name, in whatever case it is written.
-- scope: none, because people belong to no organization; only the identifier is told
SELECT encode(n.id, 'hex') AS person FROM person n WHERE lower(n.username) = lower(:username::text)
