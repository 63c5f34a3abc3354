-- What a host should make true. No row's worth (NULL) when there is no such host.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT host_goal(:host, :domain, :etcd_json::json)::text AS goal
