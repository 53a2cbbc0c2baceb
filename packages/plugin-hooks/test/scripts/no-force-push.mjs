// PreToolUse: denies pushes that rewrite a shared branch.
import { readFileSync } from 'node:fs';

const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const isForced = /\bgit\s+push\b.*(?:--force(?!-with-lease)|\s-f\b).*\b(?:main|master)\b/.test(input.command);
if (isForced) {
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'main is not pushed by force',
  };
  console.log(JSON.stringify({ hookSpecificOutput }));
}
