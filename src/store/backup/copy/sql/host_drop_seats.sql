-- Lets go what a host only keeps, unless some of it is protected.
-- scope: none, because hosts are the operator's and keep backups of many organizations
SELECT d.seats, (extract(epoch FROM d.protected_until) * 1000)::bigint AS protected_ms FROM host_drop_seats(:host) d
