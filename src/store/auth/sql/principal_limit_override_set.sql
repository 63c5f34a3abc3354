-- Sets the limits of one endpoint set for an organization, a project or a user.
-- scope: none, because the owner $1 may be any of the three; the caller has checked that it may
INSERT INTO limit_override (owner, set_name, capacity, refill)
VALUES ($1, $2::text, $3::bigint, $4::bigint)
ON CONFLICT (owner, set_name) DO UPDATE SET capacity = excluded.capacity, refill = excluded.refill;
