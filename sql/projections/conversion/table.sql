-- What the product wants to happen: every event, as readers take the first of a device, name and order_id in the tie order.
-- A function of: conversion events.
CREATE TABLE IF NOT EXISTS conversion (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at        timestamptz      NOT NULL,
  id        uuid             NOT NULL,
  name      text COLLATE "C" NOT NULL,
  value     bigint,                      -- in minor units of the currency; null where not said
  currency  text COLLATE "C",            -- ISO 4217; null where no value was said
  order_id  text COLLATE "C",            -- the app's name for it; null where not said
  PRIMARY KEY (app_id, device_id, at, id)
);
CREATE INDEX IF NOT EXISTS conversion_name ON conversion (app_id, name, at);
CREATE INDEX IF NOT EXISTS conversion_at ON conversion (app_id, at);
CREATE INDEX IF NOT EXISTS conversion_order ON conversion (app_id, device_id, name, order_id, at, id) WHERE order_id IS NOT NULL;

-- Every time that the app came to the foreground. A function of: app_open events.
CREATE TABLE IF NOT EXISTS app_open (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at        timestamptz      NOT NULL,
  id        uuid             NOT NULL,
  source    text COLLATE "C",            -- launch, foreground, scene
  cold      boolean,                     -- whether the process began with it; null where not said
  notification_id text COLLATE "C",      -- the one whose tap opened the app; null where not said
  PRIMARY KEY (app_id, device_id, at, id)
);
CREATE INDEX IF NOT EXISTS app_open_at ON app_open (app_id, at);

-- Devices that were chosen for a campaign and not sent it. A function of: holdout events.
CREATE TABLE IF NOT EXISTS holdout (
  app_id        integer          NOT NULL,
  device_id     text COLLATE "C" NOT NULL,
  at            timestamptz      NOT NULL,
  id            uuid             NOT NULL,
  campaign      text COLLATE "C" NOT NULL,
  variant       text COLLATE "C",
  category      text COLLATE "C",
  scheduled_for timestamptz,             -- shifted with its event's clock; null where not said
  share         text COLLATE "C",        -- the declared part held out, a number; null where not said
  PRIMARY KEY (app_id, device_id, at, id)
);
CREATE INDEX IF NOT EXISTS holdout_due ON holdout (app_id, coalesce(scheduled_for, at));
