-- How long lists are, and where their pages begin, kept up to date by every change so that nothing is counted or skipped
-- when a list is read.
--
-- A list (scope, kind) in the order of its ids is cut into segments of at most 64 rows, and those into blocks of at
-- most 128 segments. Each begins at its anchor and reaches to the next one's; the first anchor is empty, before every id.
-- A page is found by adding up blocks, then the segments of one block, then skipping rows inside one segment.
--
-- Exactness: list_counter is changed first, and its row lock makes the writers of one list take turns until they
-- commit. Every later statement of the trigger has a snapshot of its own, taken under that lock, so it sees exactly the
-- rows that the numbers count. One statement must not both add to and remove from the same list.
-- was: a9ce04a301e81333ceaefe9ad87a8e94f9808fd9d3fbaa92925e6e256119a22d

CREATE TABLE list_counter (
    scope reeve_id NOT NULL,
    kind  text NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    PRIMARY KEY (scope, kind)
) WITH (fillfactor = 50);
CREATE TABLE list_block (
    scope  reeve_id NOT NULL,
    kind   text NOT NULL,
    anchor bytea NOT NULL,
    n      int NOT NULL CHECK (n >= 0),
    PRIMARY KEY (scope, kind, anchor)
) WITH (fillfactor = 50);
CREATE TABLE list_segment (
    scope  reeve_id NOT NULL,
    kind   text NOT NULL,
    anchor bytea NOT NULL,
    n      int NOT NULL CHECK (n >= 0),
    PRIMARY KEY (scope, kind, anchor)
) WITH (fillfactor = 70);

-- The kind of the other table: a resource of that name would count in its list.
ALTER TABLE resource ADD CONSTRAINT resource_kind_is_free CHECK (kind <> 'project');
