-- log.append() without some events of the arrays, by their ordinals: these are refused with a status of their own.
CREATE OR REPLACE FUNCTION log.append_others(
  refused bigint[], status smallint,
  app_ids integer[], ids uuid[], digests uuid[], kinds text[], device_ids text[],
  received_ats timestamptz[], occurred_ats timestamptz[], effective_ats timestamptz[], sent_ats timestamptz[],
  occurrences timestamptz[], utc_offsets smallint[], schema_versions smallint[], time_clampeds boolean[],
  notification_ids text[], tokens bytea[], datas jsonb[],
  OUT positions bigint[], OUT statuses smallint[]
)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  kept  bigint[] := (SELECT array_agg(n ORDER BY n) FROM generate_series(1, cardinality(ids)) AS n WHERE n <> ALL (refused));
  taken record;
BEGIN
  positions := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);
  statuses := array_fill(status, ARRAY[cardinality(ids)]);
  IF kept IS NULL THEN
    RETURN;
  END IF;
  SELECT a.* INTO taken
  FROM (
    SELECT array_agg(app_id ORDER BY ordinal) AS app_ids, array_agg(id ORDER BY ordinal) AS ids,
      array_agg(digest ORDER BY ordinal) AS digests, array_agg(kind ORDER BY ordinal) AS kinds,
      array_agg(device_id ORDER BY ordinal) AS device_ids, array_agg(received_at ORDER BY ordinal) AS received_ats,
      array_agg(occurred_at ORDER BY ordinal) AS occurred_ats, array_agg(effective_at ORDER BY ordinal) AS effective_ats,
      array_agg(sent_at ORDER BY ordinal) AS sent_ats, array_agg(occurrence ORDER BY ordinal) AS occurrences,
      array_agg(utc_offset ORDER BY ordinal) AS utc_offsets, array_agg(schema_version ORDER BY ordinal) AS schema_versions,
      array_agg(time_clamped ORDER BY ordinal) AS time_clampeds,
      array_agg(notification_id ORDER BY ordinal) AS notification_ids, array_agg(token ORDER BY ordinal) AS tokens,
      array_agg(data ORDER BY ordinal) AS datas
    FROM unnest(app_ids, ids, digests, kinds, device_ids, received_ats, occurred_ats, effective_ats, sent_ats, occurrences,
      utc_offsets, schema_versions, time_clampeds, notification_ids, tokens, datas) WITH ORDINALITY AS i (
      app_id, id, digest, kind, device_id, received_at, occurred_at, effective_at, sent_at, occurrence,
      utc_offset, schema_version, time_clamped, notification_id, token, data, ordinal)
    WHERE ordinal = ANY (kept)
  ) i
  CROSS JOIN LATERAL log.append(i.app_ids, i.ids, i.digests, i.kinds, i.device_ids, i.received_ats, i.occurred_ats,
    i.effective_ats, i.sent_ats, i.occurrences, i.utc_offsets, i.schema_versions, i.time_clampeds, i.notification_ids,
    i.tokens, i.datas) a;
  FOR n IN 1 .. cardinality(kept) LOOP
    positions[kept[n]] := taken.positions[n];
    statuses[kept[n]] := taken.statuses[n];
  END LOOP;
END $$;
