// `npm start -- "…"`: runs the two commands that one would type in this folder, one after the other.
import { shallot } from 'shallot';

const standardQuestion = 'When is the honey harvested, and how often are the hives inspected?';
const question = process.argv.slice(2).join(' ') || standardQuestion;
const io = { cwd: import.meta.dirname };

console.log('$ shallot inspect\n');
const inspected = await shallot(['inspect'], io);
if (inspected !== 0) process.exit(inspected);

console.log(`\n$ shallot run ${JSON.stringify(question)}\n`);
const status = await shallot(['run', '--', question], io);
if (status !== 0) process.exit(status);

console.log(`
What to try next:
  npm start -- "Who is the treasurer?"             another question, another answer
  npm start -- "What do I do after a sting?"
  edit examples/quickstart/shallot.config.yaml     change a priority, and look at the onion again`);
