-- A line in the history of a job. What only repeats (waits, errors) is left out once there are a thousand lines.
-- scope: organization $1
INSERT INTO job_history (job_id, number, org_id, step, try, outcome, detail, worker)
SELECT $2, n.next, $1, $3, $4::int, $5, $6, $7
FROM (SELECT coalesce(max(number), 0) + 1 AS next FROM job_history WHERE job_id = $2) n
WHERE n.next <= 1000 OR $5 NOT IN ('WAITS', 'ERROR')
