// Stop: requires that the model runs the tests before it ends.
import { readFileSync } from 'node:fs';

const { transcript_path: path, stop_hook_active: isAgain } = JSON.parse(readFileSync(0, 'utf8'));
const lines = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const calls = lines
  .filter(({ type }) => type === 'assistant')
  .flatMap(({ message }) => message.content)
  .filter(({ type }) => type === 'tool_use');
const hasRun = calls.some(({ name, input }) => name === 'Bash' && /npm test/.test(input.command));
if (!hasRun && !isAgain) {
  console.error('Run npm test first.');
  process.exit(2);
}
