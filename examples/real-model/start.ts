// `npm start -- "…"`: asks the model that SHALLOT_MODEL names, or the one that needs no key.
import { shallot } from 'shallot';

const standardQuestion = 'When is the honey harvested, and how often are the hives inspected?';
const question = process.argv.slice(2).join(' ') || standardQuestion;
const { SHALLOT_MODEL: named = '' } = process.env;
const model = named === '' ? 'the offline stand-in (set SHALLOT_MODEL for a real one)' : named;

console.log(`Asking ${model}: ${question}\n`);
process.exitCode = await shallot(['run', '--', question], { cwd: import.meta.dirname });
