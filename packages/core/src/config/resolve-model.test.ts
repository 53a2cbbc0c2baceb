import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject } from '../../test/test-project.ts';
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

describe('a model of a provider', () => {
  const sdk = { 'node_modules/@ai-sdk/openai/package.json': '{ "name": "@ai-sdk/openai" }' };
  const models = 'the package @shallot/model-ai-sdk, which is not installed';
  const both = (name: string): string =>
    `the packages @shallot/model-ai-sdk and ${name}, which are not installed`;

  it.each<[string, Record<string, string>, string]>([
    ['openai/gpt-5', {}, `${both('@ai-sdk/openai')}, and a key in OPENAI_API_KEY.`],
    ['openai/gpt-5', sdk, `${models}, and a key in OPENAI_API_KEY.`],
    ['gateway/openai/gpt-5', {}, `${both('@ai-sdk/gateway')}.`],
    ['ollama/qwen3', {}, `${both('@ai-sdk/openai-compatible')}.`],
    ['nobody/nothing', {}, `${models}.`],
    ['constructor/nothing', {}, `${models}.`],
    ['{ provider: openai, model: gpt-5, apiKey: { $env: KEY } }', {}, `${both('@ai-sdk/openai')}.`],
    ['{ provider: openai, model: gpt-5, package: "@acme/models" }', {}, `${models}.`],
  ])('needs packages and a key, which are named at once: %s', async (model, files, needs) => {
    const project = makeProject({ ...files, 'shallot.config.yaml': `model: ${model}\n` });
    const env = { KEY: 'k' };
    const [error] = brief(project, await errorOf(loadAgent({ cwd: project.directory, env })));
    const id = model.startsWith('{') ? 'openai/gpt-5' : model;
    expect(error).toContain(
      `MODULE_NOT_FOUND shallot.config.yaml:1:8 The model "${id}" needs ${needs} Run: npm install @shallot/model-ai-sdk`,
    );
  });

  it('is refused if the package for it makes something else', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: openai/gpt-5\n',
      'node_modules/@shallot/model-ai-sdk/package.json':
        '{ "name": "@shallot/model-ai-sdk", "type": "module", "exports": "./index.js" }',
      'node_modules/@shallot/model-ai-sdk/index.js': 'export const resolveModel = () => 5;',
    });
    expect(brief(project, await errorOf(loadAgent({ cwd: project.directory })))).toEqual([
      'MODULE_INVALID shallot.config.yaml:1:8 @shallot/model-ai-sdk does not provide the model "openai/gpt-5": node_modules/@shallot/model-ai-sdk/index.js has an incompatible version.',
    ]);
  });
});
