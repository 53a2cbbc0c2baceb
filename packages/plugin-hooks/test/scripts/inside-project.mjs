// PreToolUse: blocks files outside of the project. Paths are absolute.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const { cwd, tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const path = relative(process.env.CLAUDE_PROJECT_DIR ?? cwd, input.file_path ?? cwd);
if (path.startsWith('..')) {
  console.error(`${input.file_path} is outside of the project`);
  process.exit(2);
}
if (path.split('/').includes('vendor')) {
  console.error('vendored code is not changed by hand');
  process.exit(2);
}
