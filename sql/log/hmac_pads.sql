-- A key of at most 64 bytes as the two pads of HMAC (RFC 2104).
CREATE OR REPLACE FUNCTION log.hmac_pads(key bytea, OUT inner_pad bytea, OUT outer_pad bytea)
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  byte integer;
BEGIN
  inner_pad := decode(repeat('36', 64), 'hex');
  outer_pad := decode(repeat('5c', 64), 'hex');
  FOR n IN 0 .. octet_length(key) - 1 LOOP
    byte := get_byte(key, n);
    inner_pad := set_byte(inner_pad, n, byte # 54);
    outer_pad := set_byte(outer_pad, n, byte # 92);
  END LOOP;
END $$;
