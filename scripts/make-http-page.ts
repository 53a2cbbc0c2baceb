// Writes the routes of docs/reference/http.md. Run it when the table of routes of @shallot/server changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { httpPage } from './http-page.ts';
import { root } from './workspace.ts';

const file = join(root, 'docs/reference/http.md');
writeFileSync(file, httpPage(readFileSync(file, 'utf8')));
