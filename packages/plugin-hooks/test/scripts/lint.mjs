// PostToolUse: tells the model what is wrong with a file that it has written.
import { readFileSync } from 'node:fs';

const { tool_input: input, tool_response: response } = JSON.parse(readFileSync(0, 'utf8'));
if (response.success && readFileSync(input.file_path, 'utf8').includes('\t')) {
  console.error(`${response.filePath}: tabs are not used here`);
  process.exit(2);
}
