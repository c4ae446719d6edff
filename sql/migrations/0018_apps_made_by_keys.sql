-- An app that a key made is known as such: there are so many of one app at most, and they make none themselves.
ALTER TABLE notilog.app ADD COLUMN made_by integer;   -- the app whose key made it; null: made by an operator
