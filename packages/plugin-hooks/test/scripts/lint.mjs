// PostToolUse: reports the faults in a written file to the model.
import { readFileSync } from 'node:fs';

const { tool_input: input, tool_response: response } = JSON.parse(readFileSync(0, 'utf8'));
if (response.success && readFileSync(input.file_path, 'utf8').includes('\t')) {
  console.error(`${response.filePath}: tabs are not used here`);
  process.exit(2);
}
