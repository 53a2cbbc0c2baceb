// `npm start` finishes the newsletter in a fresh copy of workspace/; `npm start -- "…"` gives the agent another task.
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
// Without a terminal there is nobody to ask, so the questions wait in the store, and that is no failure here.
process.exitCode = status === waitingForAnswers ? 0 : status;
