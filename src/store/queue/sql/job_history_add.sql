-- A line in the history of a job. What only repeats (waits, errors) is left out once there are a thousand lines.
-- scope: organization :organization
INSERT INTO job_history (job_id, number, org_id, step, try, outcome, detail, worker)
SELECT :job, n.next, :organization, :step, :try::int, :outcome, :detail, :worker
FROM (SELECT coalesce(max(number), 0) + 1 AS next FROM job_history WHERE job_id = :job) n
WHERE n.next <= 1000 OR :outcome NOT IN ('WAITS', 'ERROR')
