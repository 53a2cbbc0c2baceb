import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const core = import.meta.resolve('../index.ts');

/** Prints the files of the core with a function that is called between `agent.run` and the model's request. */
const program = `
import { Session } from 'node:inspector';
const { createAgent, definePlugin } = await import(${JSON.stringify(core)});
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
const isEntered = ({ url, functions }) => url.startsWith(root) && functions.some(({ ranges }) => ranges[0].count > 0);
let files;
const model = {
  id: 'a/b',
  async generate() {
    files = post('Profiler.takePreciseCoverage').result.filter(isEntered).map(({ url }) => url.slice(root.length));
    return { message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }, finish: 'stop' };
  },
};
const plugin = definePlugin({
  name: 'plugin',
  setup({ hooks }) {
    hooks.beforeModel.tap('look', () => undefined);
    hooks.wrapModelCall.tap('look', (request, next) => next(request));
  },
});
const agent = await createAgent({ model, plugins: [plugin()] });
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
post('Profiler.takePreciseCoverage');
await agent.run('Hello');
console.log(JSON.stringify(files.toSorted()));
`;

it('walks through few files from agent.run to the model, with one plugin', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const files = JSON.parse(stdout) as readonly string[];
  expect(files).toEqual(expect.arrayContaining(['agent-runs.ts', 'run/loop.ts', 'run/model/model-call.ts']));
  // Lower it when you can: whoever reads what a run does has to open each of them.
  expect(files.slice(44)).toEqual([]);
}, 60_000);
