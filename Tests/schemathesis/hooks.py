"""Bodies of newline-delimited JSON, which schemathesis does not write by itself."""
import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    values = value if isinstance(value, list) else [value]
    return "\n".join(item if isinstance(item, str) else json.dumps(item) for item in values).encode()
