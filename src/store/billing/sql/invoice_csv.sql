-- One invoice as a CSV file.
-- scope: organization :organization
SELECT 'usageDate,projectId,projectName,clusterId,clusterName,sku,unit,quantity,unitPrice,totalPriceCents,tags' || E'\r\n'
       || coalesce((SELECT string_agg(concat_ws(',', to_char(l.day, 'YYYY-MM-DD'), encode(l.project_id, 'hex'), csv_field(l.project_name),
                                                encode(l.cluster_id, 'hex'), csv_field(l.cluster_name), l.sku, l.unit,
                                                billing_number(l.seconds / 3600.0), billing_number(l.microcents / 100000000.0), l.cents, csv_tags(l.tags))
                                      || E'\r\n', '' ORDER BY l.day, l.cluster_id, l.sku, l.microcents, l.tags_key)
                    FROM invoice_line_priced l WHERE l.invoice_id = i.id), '') AS content
FROM invoice i WHERE i.org_id = :organization AND i.id = :invoice
