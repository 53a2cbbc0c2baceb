// Writes the tables of docs/reference/doctor.md. Run it when a finding of `shallot doctor` changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { doctorPage } from './doctor-page.ts';
import { root } from './workspace.ts';

const file = join(root, 'docs/reference/doctor.md');
writeFileSync(file, doctorPage(readFileSync(file, 'utf8')));
