// PreToolUse: requires that a file is read before it is edited.
import { readFileSync } from 'node:fs';

const { transcript_path: path, tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const lines = readFileSync(path, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const hasRead = lines
  .flatMap(({ message }) => message.content)
  .some(
    ({ type, name, input: read }) =>
      type === 'tool_use' && name === 'Read' && read.file_path === input.file_path,
  );
if (!hasRead) {
  console.error(`Read ${input.file_path} first.`);
  process.exit(2);
}
