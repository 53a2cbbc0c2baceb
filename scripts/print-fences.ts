import { pathToFileURL } from 'node:url';
// Runs the modules that its arguments name, one after the other, and prints what each wrote with `console.log`, as a
// JSON object by path. For the documents' check: the output that a document shows has to be true.
import { format } from 'node:util';

const printed: Record<string, string> = {};
const toConsole = console.log;
for (const path of process.argv.slice(2)) {
  const lines: string[] = [];
  console.log = (...values: unknown[]) => void lines.push(format(...values));
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    lines.push(`it threw ${format(error)}`);
  }
  printed[path] = lines.map((line) => `${line}\n`).join('');
}
toConsole(JSON.stringify(printed));
