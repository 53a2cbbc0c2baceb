// PreToolUse: redirects writes in the root directory to a folder.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const { cwd, tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const isAtRoot = dirname(input.file_path) === cwd;
const path = isAtRoot ? join(cwd, 'drafts', basename(input.file_path)) : input.file_path;
console.log(
  JSON.stringify({
    hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { ...input, file_path: path } },
  }),
);
