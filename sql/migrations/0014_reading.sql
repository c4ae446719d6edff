-- A schema for what reports are made with, so that report holds nothing but reports; and one for the tables as analysts
-- read them.
CREATE SCHEMA reporting;
CREATE SCHEMA readable;
