import { describe, expect, it } from 'vitest';

import { makeProject, pluginModule } from '../../test/test-project.ts';
import type { ModelRequest } from '../contract/model.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import { diagnose } from './diagnose.ts';
import { loadAgent } from './load-agent.ts';
import { offlineModel } from './offline-model.ts';

const note = defineTool({
  name: 'note',
  description: 'Keeps a note.',
  input: { type: 'object', properties: { text: { type: 'string' } } },
  effect: 'read',
  execute: ({ text }) => `kept ${JSON.stringify(text)}`,
});

const yaml = (text: string) => makeProject({ 'shallot.config.yaml': text });

describe('model: offline', () => {
  it('answers with the first words, says that no provider is asked, and estimates usage', async () => {
    const project = yaml('model: offline\n');
    const { agent, warnings } = await loadAgent({ cwd: project.directory });
    const result = await agent.run(`Hello ${'word '.repeat(100)}`);
    await agent.close();
    expect(result.text).toMatch(/^Hello (?:word )+… \(offline model: no provider is asked\)$/);
    expect(result.usage).toMatchObject({ input: expect.any(Number) as number, modelCalls: 1 });
    expect(result.usage.unreported).toBeUndefined();
    expect(warnings).toMatchObject([
      { code: 'MODEL_OFFLINE', at: { file: `${project.directory}/shallot.config.yaml`, line: 1 } },
    ]);
  });

  it('streams what it answers', async () => {
    await using agent = await createAgent({ model: offlineModel });
    const stream = agent.stream('Good morning');
    let text = '';
    for await (const event of stream) if (event.type === 'text-delta') text += event.text;
    expect(text).toBe((await stream.result).text);
  });

  it('makes each call that a line spells out, and repeats the results', async () => {
    await using agent = await createAgent({ model: offlineModel, tools: [note] });
    const first = await agent.run('Please\ncall note {"text":"a"}\n  call note {"text":"b"}\ncall note', {
      sessionId: 's',
    });
    expect(first.text).toBe(
      'note answered: kept "a"\nnote answered: kept "b"\nnote answered: kept undefined (offline model: no provider is asked)',
    );
    // Ids of calls are unique in a session, and a result of an earlier run is not an answer to this input.
    const second = await agent.run('And now?', { sessionId: 's' });
    expect(second.text).toBe('And now? (offline model: no provider is asked)');
  });

  it('says which arguments are no JSON', async () => {
    await using agent = await createAgent({ model: offlineModel, tools: [note] });
    const { text } = await agent.run('call note {oops');
    expect(text).toBe(
      'The arguments of "call note" are not a JSON object. (offline model: no provider is asked)',
    );
  });

  it('calls a tool that it must call', async () => {
    await using agent = await createAgent({ model: offlineModel, tools: [note] });
    for (const toolChoice of [{ tool: 'note' }, 'required'] as const) {
      const { messages } = await agent.run('hi', { settings: { toolChoice } });
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    }
  });

  it('answers nothing but the input where data are wanted', async () => {
    await using agent = await createAgent({ model: offlineModel });
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    expect((await agent.run('{"n":1}', { output: { name: 'n', schema: output } })).output).toEqual({ n: 1 });
  });

  it('is a warning of the examination too, and of nothing if a program brings its own model', async () => {
    const project = yaml('model: offline\n');
    const { warnings, errors } = await diagnose({ cwd: project.directory });
    expect({ errors, codes: warnings.map(({ code }) => code) }).toEqual({
      errors: [],
      codes: ['MODEL_OFFLINE'],
    });
    const loaded = await loadAgent({ cwd: project.directory, model: { ...offlineModel, id: 'own' } });
    await loaded.agent.close();
    expect(loaded.warnings).toEqual([]);
  });
});

describe('an answer of the offline model', () => {
  const notice = '(offline model: no provider is asked)';

  async function answerTo(text: string, more: Partial<ModelRequest> = {}) {
    const emitted: unknown[] = [];
    const content = [{ type: 'text', text }] as const;
    const messages = [{ role: 'user', content }] as unknown as ModelRequest['messages'];
    const request = {
      instructions: '',
      messages,
      tools: [],
      settings: {},
      ...more,
    } as unknown as ModelRequest;
    const emit = async (chunk: unknown): Promise<void> => void emitted.push(chunk);
    const response = await offlineModel.generate(request, { emit, wantsChunks: true } as never);
    const [part] = response.message.content;
    return { text: part?.type === 'text' ? part.text : '', emitted, ...response };
  }

  it.each([
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), `${'x'.repeat(200)} …`],
    [`${'x'.repeat(190)} ${'y'.repeat(20)}`, `${'x'.repeat(190)} …`],
    ['  one\n\n two  ', 'one two'],
  ])('repeats at most 200 characters of %j', async (input, shown) => {
    expect((await answerTo(input)).text).toBe(`${shown} ${notice}`);
  });

  it('to nothing is the notice alone', async () => {
    expect((await answerTo(' ')).text).toBe(notice);
    expect((await answerTo('', { messages: [] })).text).toBe(notice);
  });

  it('counts the tokens of the instructions, the messages and itself', async () => {
    const { usage, finish } = await answerTo('Hello', { instructions: 'Be brief.' });
    const input = estimateTokens('Be brief.') + estimateTokens('[{"type":"text","text":"Hello"}]');
    const output = estimateTokens(`Hello ${notice}`);
    expect(usage).toEqual({ input, output, total: input + output });
    expect(finish).toBe('stop');
  });

  it('streams its texts at their index, and names calls by the length of the conversation', async () => {
    const { emitted, message, finish, usage } = await answerTo('call a {oops\ncall b\ncall c.d {"e":1}');
    const fault = `The arguments of "call a" are not a JSON object. ${notice}`;
    expect(emitted).toEqual([{ type: 'text-delta', index: 0, text: fault }]);
    const calls = [
      { type: 'tool-call', id: 'offline_1_1', name: 'b', input: {} },
      { type: 'tool-call', id: 'offline_1_2', name: 'c.d', input: { e: 1 } },
    ];
    expect(message.content).toEqual([{ type: 'text', text: fault }, ...calls]);
    expect(finish).toBe('tool-calls');
    const texts = [fault, ...calls.map((call) => JSON.stringify(call))];
    expect(usage?.output).toBe(texts.reduce((sum, text) => sum + estimateTokens(text), 0));
  });

  it.each(['call', 'callnote', 'recall note', 'call note now', 'call {"a":1}'])(
    'takes %j for words',
    async (input) => {
      expect((await answerTo(input)).text).toBe(`${input} ${notice}`);
    },
  );

  it('takes arguments that are no object for a fault', async () => {
    expect((await answerTo('call a {"b":1} c')).text).toContain('The arguments of "call a"');
  });
});

describe('diagnose', () => {
  it('sets up a plugin that takes the rest of its argument', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\nplugins: [./rest.mjs]\n',
      'rest.mjs': pluginModule(
        'rest',
        'plugin.onStart(() => {}); plugin.onStop(() => {}); plugin.log.info("up"); void plugin.signal.aborted;',
      ).replace('{ hooks, files }', '{ hooks, ...plugin }'),
    });
    const { errors, plugins } = await diagnose({ cwd: project.directory });
    expect(errors).toEqual([]);
    expect(plugins).toMatchObject([{ stage: 'ready' }]);
  });
});
