import { expect, it } from 'vitest';

import { makeProject } from '../../test/test-project.ts';
import { loadAgent } from './load-agent.ts';

it.each([
  ['MODEL_RESPONSE', `async () => 'hi'`],
  ['MODEL_FAILED', `async () => ({ message: { role: 'assistant', content: [] }, finish: 'error' })`],
  ['MODEL_EMPTY', `async () => ({ message: { role: 'assistant', content: [] }, finish: 'stop' })`],
  ['MODEL_IDLE', '() => new Promise(() => {})'],
])('an error about what a model does names its place in the config: %s', async (code, generate) => {
  const project = makeProject({
    'shallot.config.yaml': 'name: test\nmodel: ./model.mjs\nmodelTimeoutMs: 50\nlog: silent\n',
    'model.mjs': `export default { id: 'm', generate: ${generate} };`,
  });
  const { agent } = await loadAgent({ cwd: project.directory });
  await expect(agent.run('Hello')).rejects.toMatchObject({
    code,
    at: { file: project.path('shallot.config.yaml'), line: 2, column: 8 },
  });
  await agent.close();
});
