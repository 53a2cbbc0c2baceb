// `npm start` finishes the newsletter in a fresh copy of workspace/; `npm start -- "…"` gives it a task of yours.
import { cpSync, existsSync, rmSync } from 'node:fs';

import { shallot } from 'shallot';

const standardTask = 'Finish the newsletter.';
const waitingForAnswers = 3;

const folder = import.meta.dirname;
const task = process.argv.slice(2).join(' ');
if (task === '') rmSync(`${folder}/.shallot`, { recursive: true, force: true });
if (!existsSync(`${folder}/.shallot/workspace`)) {
  cpSync(`${folder}/workspace`, `${folder}/.shallot/workspace`, { recursive: true });
}

const session = task === '' ? ['--session', 'newsletter'] : [];
console.log(`> ${task || standardTask}`);
const status = await shallot(['run', ...session, '--', task || standardTask], { cwd: folder });
// Without a terminal nobody is asked, and the questions wait in the store.
process.exitCode = status === waitingForAnswers ? 0 : status;
