// UserPromptSubmit: blocks a prompt, as JSON.
import { readFileSync } from 'node:fs';

const { prompt } = JSON.parse(readFileSync(0, 'utf8'));
if (prompt.length > 200)
  console.log(JSON.stringify({ decision: 'block', reason: `${prompt.length} characters are too many` }));
