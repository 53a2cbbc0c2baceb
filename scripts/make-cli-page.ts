// Writes the parts of docs/reference/cli.md that are generated from the commands. Run it when a command or an option
// changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cliPage } from './cli-page.ts';
import { root } from './workspace.ts';

const file = join(root, 'docs/reference/cli.md');
writeFileSync(file, cliPage(readFileSync(file, 'utf8')));
