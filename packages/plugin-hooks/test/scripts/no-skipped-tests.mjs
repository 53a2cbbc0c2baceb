// PreToolUse: denies edits that skip a test.
import { readFileSync } from 'node:fs';

const { tool_name: name, tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const edits = name === 'MultiEdit' ? input.edits : [input];
const switchesOff = edits.some(
  ({ old_string: before = '', new_string: after = '' }) => /\.skip\(/.test(after) && !/\.skip\(/.test(before),
);
const hookSpecificOutput = {
  hookEventName: 'PreToolUse',
  permissionDecision: 'deny',
  permissionDecisionReason: 'Mend the code, not the test.',
};
console.log(
  JSON.stringify(switchesOff && /\.test\.\w+$/.test(input.file_path) ? { hookSpecificOutput } : {}),
);
