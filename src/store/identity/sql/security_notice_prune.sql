-- Deletes some notices that were told a day ago, or could not be sent for about a week. Asked again of the row itself: it may have become due meanwhile.
-- scope: none, because the service sweeps by age
DELETE FROM security_notice WHERE security_notice_is_over(security_notice) AND (org_id, recipient) IN (
    SELECT n.org_id, n.recipient FROM security_notice n WHERE security_notice_is_over(n) LIMIT :limit::bigint)
