"""Print the JSON Schema from which the explorer's TypeScript types are made: ``python -m minigrad_webui.protocol``."""

import json

from . import schema

print(json.dumps(schema(), indent=1, sort_keys=True))
