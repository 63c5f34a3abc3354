-- Work that goes on after its request was answered. One row a job; the row is the whole state: where it is, who works on it
-- and until when, why it waits. A step's transition, its line of history and the change of what it is about commit together.
CREATE TABLE job (
    id           reeve_id PRIMARY KEY, -- also the id of the operation that the tenant sees
    org_id       reeve_id NOT NULL,
    project_id   reeve_id NOT NULL,
    kind         text NOT NULL, -- a row of the table in job/kinds.c
    subject      reeve_id NOT NULL, -- what it is about: a cluster; jobs with one subject run one after another
    subject_name text NOT NULL,
    generation   bigint NOT NULL DEFAULT 0, -- of the subject, that this job brings into effect
    payload      jsonb NOT NULL DEFAULT '{}',
    state        text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED')),
    step         text NOT NULL, -- the one that runs next
    step_number  int NOT NULL DEFAULT 0, -- of that step, from 0
    step_count   int NOT NULL,
    try          int NOT NULL DEFAULT 0, -- of this step
    waits_for    text, -- a sentence: why the step was not done yet
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
CREATE INDEX job_of_subject ON job (subject, id);
CREATE INDEX job_of_project ON job (project_id, id);
CREATE INDEX job_unfinished ON job (subject, id) WHERE state IN ('QUEUED', 'RUNNING');

CREATE TABLE job_history (
    job_id     reeve_id NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    number     int NOT NULL,
    org_id     reeve_id NOT NULL,
    step       text NOT NULL,
    try        int NOT NULL,
    outcome    text NOT NULL, -- DONE, WAITS, FAILED, OVERDUE
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
