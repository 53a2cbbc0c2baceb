import { expect, it } from 'vitest';

import { delegate, doing } from '../../../test/children.ts';
import { createAgent, definePlugin, defineTool } from '../../index.ts';
import type { ChatModel, ModelRequest } from '../../model.ts';
import { approvalsKey } from '../../plugin.ts';

const counts = { setups: 0, stops: 0 };

/** A plugin with a tool, a layer around model calls and a gate. */
const notes = (log: string[], tool: string) =>
  definePlugin({
    name: 'notes',
    setup({ hooks, id, onStop, tools }) {
      counts.setups += 1;
      onStop(() => void (counts.stops += 1));
      tools.add(
        defineTool({
          name: tool,
          description: 'Notes.',
          input: { type: 'object' },
          execute: () => `by ${id}`,
        }),
      );
      hooks.wrapModelCall.tapPromise('layer', (request, next, { run }) => {
        log.push(`${id} around the model of ${run.agent}`);
        return next(request);
      });
      hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, (call, next, { run }) => {
        log.push(`${id} at the gate of ${run.agent}: ${call.name}`);
        return next(call);
      });
    },
  })();

/** Notes the requests that a model gets. */
function watched(model: ChatModel, requests: ModelRequest[]): ChatModel {
  return {
    id: model.id,
    generate: (request, context) => (requests.push(request), model.generate(request, context)),
  };
}

const namesIn = (request: ModelRequest | undefined): string[] =>
  (request?.tools ?? []).map(({ name }) => name);

it('a plugin for children alone surrounds those that list it, and gives its tools to those that are granted them', async () => {
  Object.assign(counts, { setups: 0, stops: 0 });
  const log: string[] = [];
  const requests: ModelRequest[] = [];
  const low = {
    model: watched(doing('low', ['note', {}]), requests),
    grants: ['own/note'],
    plugins: ['own'],
  };
  const mid = { model: watched(doing('mid', ['note', {}], ['delegate', { to: 'low' }]), requests) };
  const agent = await createAgent({
    name: 'root',
    model: watched(
      doing('root', ['note', {}], ['delegate', { to: 'mid' }], ['delegate', { to: 'low' }]),
      requests,
    ),
    tools: [delegate({ low, mid })],
    plugins: [{ use: notes(log, 'note') }, { use: notes(log, 'note'), id: 'own', onlyChildren: true }],
    toolConcurrency: 1,
    log: 'silent',
  });
  await agent.run('Go', { sessionId: 's' });
  await agent.close();
  expect(counts).toEqual({ setups: 2, stops: 2 });
  expect(namesIn(requests[0])).toEqual(['delegate', 'note']);
  expect(new Set(log.filter((line) => line.startsWith('own')))).toEqual(
    new Set(['own around the model of low', 'own at the gate of low: note']),
  );
  // The same name means the tool of the grant there, and that of the agent everywhere else.
  const results = requests.flatMap(({ messages }) =>
    messages.flatMap((message) =>
      message.role === 'tool' && message.name === 'note' ? [message.content] : [],
    ),
  );
  const said = new Set(
    results.flatMap((content) => content.map((part) => (part.type === 'text' ? part.text : ''))),
  );
  expect(said).toEqual(new Set(['by notes', 'by own']));
  expect(log).toContain('notes at the gate of low: note');
});

it('without a grant nobody is offered its tools, also through a fork', async () => {
  const requests: ModelRequest[] = [];
  const agent = await createAgent({
    name: 'root',
    model: watched(doing('root', ['delegate', { to: 'low' }]), requests),
    tools: [delegate({ low: { model: watched(doing('low'), requests), tools: ['*'], plugins: ['notes'] } })],
    plugins: [{ use: notes([], 'note'), onlyChildren: true }],
    log: 'silent',
  });
  const fork = await agent.fork();
  await agent.run('Go');
  await fork.run('Go');
  await agent.close();
  expect(new Set(requests.flatMap(namesIn))).toEqual(new Set(['delegate']));
});

it('a plugin for children alone does not ask about calls of the agent itself', async () => {
  const asking = (name: string) =>
    definePlugin({
      name,
      setup: ({ id, provide }) => provide(approvalsKey(id), { asksAbout: () => true }),
    })();
  const agent = await createAgent({
    model: doing('root'),
    plugins: [asking('all'), { use: asking('children'), onlyChildren: true }],
    log: 'silent',
  });
  expect(agent.askedBy('shell')).toEqual(['all']);
  await agent.close();
});
