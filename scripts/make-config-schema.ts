// Writes the JSON Schema of config files, which is published with `@shallot/core`. Run it when the keys of a config
// change.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { configJsonSchema } from '../packages/core/src/config/check/config-json-schema.ts';
import { root } from './workspace.ts';

const file = join(root, 'packages/core/shallot.config.schema.json');
writeFileSync(file, `${JSON.stringify(configJsonSchema(), null, 1)}\n`);
