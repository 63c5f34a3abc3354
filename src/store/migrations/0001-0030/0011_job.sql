-- Work that goes on after its request was answered. One row a job; the row is the whole state: where it is, who works on it
-- and until when, why it waits. A step's transition, its line of history and the change of what it is about commit together.
-- was: 37db478421fbd29187cb64789b940eec0e225e2385dc51250970dcdeeb609707
CREATE TABLE job (
    id           reeve_id PRIMARY KEY, -- also the id of the operation that the tenant sees
    seq          bigint GENERATED ALWAYS AS IDENTITY, -- the order in which they were added: ids of one second have none
    org_id       reeve_id NOT NULL,
    project_id   reeve_id NOT NULL,
    kind         text NOT NULL, -- a row of the table in job/kinds.c
    subject      reeve_id NOT NULL, -- what it is about: a cluster; jobs with one subject run one after another
    subject_name text NOT NULL,
    generation   bigint NOT NULL DEFAULT 0, -- of the subject, that this job brings into effect
    payload      jsonb NOT NULL DEFAULT '{}',
    state        text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED')),
    step         text NOT NULL, -- the one that runs next, or ran last
    step_number  int NOT NULL DEFAULT 0, -- of that step, from 0
    step_count   int NOT NULL,
    try          int NOT NULL DEFAULT 0, -- of this step
    failures     int NOT NULL DEFAULT 0, -- tries in a row that ended in an error, or did not end at all; the delay grows with it
    waits_for    text, -- a sentence: why the step was not done yet, or why the job failed
    created_at   timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    step_started_at timestamptz,
    finished_at  timestamptz,
    next_run_at  timestamptz NOT NULL DEFAULT now(),
    step_deadline_at timestamptz, -- after it an operator is told
    overdue_at   timestamptz, -- when that was
    lease_owner  text,
    lease_epoch  bigint NOT NULL DEFAULT 0,
    lease_until  timestamptz
);
CREATE INDEX job_due ON job (next_run_at) WHERE state IN ('QUEUED', 'RUNNING');
CREATE INDEX job_of_subject ON job (subject, seq);
CREATE INDEX job_of_project ON job (project_id, seq);
CREATE INDEX job_in_order ON job (seq);
CREATE INDEX job_unfinished ON job (subject, seq) WHERE state IN ('QUEUED', 'RUNNING');
CREATE INDEX job_late ON job (step_deadline_at) WHERE state IN ('QUEUED', 'RUNNING') AND overdue_at IS NULL;
CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE job_history (
    job_id     reeve_id NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    number     int NOT NULL,
    org_id     reeve_id NOT NULL,
    step       text NOT NULL,
    try        int NOT NULL,
    outcome    text NOT NULL, -- DONE, WAITS, ERROR, FAILED, OVERDUE; of operators: RETRIED, CANCELLED
    detail     text,
    worker     text NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, number)
);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['job', 'job_history'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;
