import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const core = import.meta.resolve('../index.ts');

/** Prints, for each file of the core, the functions that are called between `agent.run` and the model's request, and their lines of code. */
const program = `
import { Session } from 'node:inspector';
import { readFileSync } from 'node:fs';
const { createAgent } = await import(${JSON.stringify(core)});
const session = new Session();
session.connect();
const post = (method, params) => {
  let answer;
  session.post(method, params, (error, given) => {
    if (error) throw error;
    answer = given;
  });
  return answer;
};
const root = ${JSON.stringify(new URL('./', core).href)};
const isCode = (line) => !/^\\s*(?:$|\\/\\/|\\/\\*|\\*)/.test(line);
const entered = ({ url, functions }) => {
  const text = readFileSync(new URL(url), 'utf8');
  const lineOf = (offset) => text.slice(0, offset).split('\\n').length;
  const lines = new Set();
  const called = functions.filter(({ ranges: [{ count }] }) => count > 0);
  for (const { ranges: [{ startOffset, endOffset }] } of called)
    for (let line = lineOf(startOffset); line <= lineOf(endOffset); line += 1)
      if (isCode(text.split('\\n')[line - 1])) lines.add(line);
  return { file: url.slice(root.length), functions: called.length, lines: lines.size };
};
let coverage;
const model = {
  id: 'a/b',
  async generate() {
    coverage = post('Profiler.takePreciseCoverage').result;
    return { message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }, finish: 'stop' };
  },
};
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const agent = await createAgent({ model });
// The first run of a process also does what is done once.
await agent.run('Hello');
post('Profiler.takePreciseCoverage');
await agent.run('Hello');
const files = coverage.filter(({ url }) => url.startsWith(root)).map(entered).filter(({ functions }) => functions > 0);
console.log(JSON.stringify(files));
`;

interface Entered {
  readonly file: string;
  readonly functions: number;
  readonly lines: number;
}

it('is short, without plugins: who reads what a run does has to read all of it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const entered = JSON.parse(stdout) as readonly Entered[];
  const files = entered.map(({ file }) => file);
  expect(files).toEqual(expect.arrayContaining(['agent-runs.ts', 'run/loop.ts', 'run/model/model-call.ts']));
  const sum = (count: (file: Entered) => number): number =>
    entered.reduce((all, file) => all + count(file), 0);
  // Lower them when you can.
  expect(files.length).toBeLessThanOrEqual(31);
  expect(sum(({ functions }) => functions)).toBeLessThanOrEqual(120);
  expect(sum(({ lines }) => lines)).toBeLessThanOrEqual(1000);
}, 60_000);
