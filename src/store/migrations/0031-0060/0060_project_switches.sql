-- Settings of a project that switched nothing have the one value now that they can have.
UPDATE resource SET document = document || '{"isDataExplorerEnabled": false, "isRealtimePerformancePanelEnabled": true}'
WHERE kind = 'projectSettings' AND name = '';
