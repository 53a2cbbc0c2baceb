import { pathToFileURL } from 'node:url';
// Runs the modules that are its arguments one after the other, and prints what each of them printed with `console.log`,
// as a JSON object by path. The check of documents compares this with the outputs that they show.
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
