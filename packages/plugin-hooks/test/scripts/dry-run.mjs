// PreToolUse: changes a command, and adds context about that for the model.
import { readFileSync } from 'node:fs';

const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const hookSpecificOutput = {
  hookEventName: 'PreToolUse',
  updatedInput: { ...input, command: `${input.command} --dry-run` },
  additionalContext: 'It was a dry run.',
};
console.log(JSON.stringify({ hookSpecificOutput }));
