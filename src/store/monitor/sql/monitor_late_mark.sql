-- Notes that hours of members of a host have to be made again, each as <member>:<ms>, separated by commas.
-- scope: none, because hosts are the operator's and hold members of many organizations
INSERT INTO monitor_late (member_id, at)
SELECT m.id, to_timestamp(split_part(t.hour, ':', 2)::bigint / 1000.0)
FROM unnest(string_to_array(:hours, ',')) t(hour) JOIN cluster_member m ON m.id = decode(split_part(t.hour, ':', 1), 'hex')
WHERE m.host_id = :host
ORDER BY 1, 2
ON CONFLICT (member_id, at) DO UPDATE SET marked_at = now()
