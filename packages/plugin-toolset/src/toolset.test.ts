import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  textOf,
  type AgentOptions,
  type Tool,
} from '@shallot/core';
import { scriptedModel, testPlugin, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import toolset, { type ToolsetOptions } from './index.ts';
import { rankTools } from './rank-tools.ts';

await testPlugin(toolset, {
  options: { search: { above: 2 } },
  secondOptions: { search: { above: 2, toolName: 'find_tools' } },
  manifest: new URL('../package.json', import.meta.url),
});

function tool(name: string, description = `The tool ${name}.`): Tool {
  return defineTool({ name, description, input: { type: 'object' }, execute: () => `${name} done` });
}

const many = [
  tool('read_file', 'Reads a file.'),
  tool('send_mail', 'Sends a mail to somebody.'),
  tool('list_invoices', 'Lists the invoices of a customer.'),
  tool('pay_invoice', 'Pays an invoice.'),
  tool('book_flight', 'Books a seat.'),
];
const done: ScriptedStep = { text: 'Done.' };

async function agentWith(
  options: ToolsetOptions,
  steps: readonly ScriptedStep[],
  rest: Partial<AgentOptions> = {},
) {
  const model = scriptedModel(steps);
  const { plugins = [], ...others } = rest;
  const agent = await createAgent({
    model,
    tools: many,
    log: 'silent',
    ...others,
    plugins: [toolset(options), ...plugins],
  });
  const offered = (): string[][] => model.requests.map(({ tools = [] }) => tools.map(({ name }) => name));
  return { agent, model, offered };
}

function search(query: string, name = 'search_tools'): ScriptedStep {
  return { toolCalls: [{ name, args: { query } }] };
}

describe('what the model sees', () => {
  it('is without what is hidden, which cannot be called either', async () => {
    const steps = [{ toolCalls: [{ name: 'pay_invoice' }] }, done];
    const { agent, offered } = await agentWith({ hide: ['*_invoice', 'book_flight'] }, steps);
    const { messages } = await agent.run('Go');
    expect(offered()[0]).toEqual(['read_file', 'send_mail', 'list_invoices']);
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ isError: true });
  });

  it('is described otherwise, and ends the run where that is asked', async () => {
    const steps = [{ toolCalls: [{ name: 'send_mail' }] }];
    const { agent, model } = await agentWith(
      { describe: { send_mail: 'Sends to our list only.' }, returnDirectly: ['send_*'] },
      steps,
    );
    expect(await agent.run('Go')).toMatchObject({ stopReason: 'return-directly', text: 'send_mail done' });
    const sent = model.requests[0]?.tools?.find(({ name }) => name === 'send_mail');
    expect(sent?.description).toBe('Sends to our list only.');
  });

  it('is the very same tool at each step', async () => {
    const steps = [{ toolCalls: [{ name: 'read_file' }] }, done];
    const { agent, model } = await agentWith({ describe: { read_file: 'Reads.' } }, steps);
    await agent.run('Go');
    expect(model.requests[1]?.tools?.[0]).toBe(model.requests[0]?.tools?.[0]);
  });

  it.each<[string, ToolsetOptions]>([
    ['hide', { hide: ['send_mial'] }],
    ['describe', { describe: { send_mial: '' } }],
    ['offer', { search: { offer: ['send_mial'] } }],
  ])('is asked for by names that exist: %s', async (_, options) => {
    await expect(agentWith(options, [])).rejects.toThrow('Did you mean "send_mail"?');
  });
});

describe('the search for tools', () => {
  const options: ToolsetOptions = { search: { above: 3, offer: ['read_file'], limit: 2 } };

  it('is offered in place of many tools; what it finds follows from the next step on', async () => {
    const steps = [search('pay an invoice'), { toolCalls: [{ name: 'pay_invoice' }] }, done];
    const { agent, offered } = await agentWith(options, steps);
    const { messages } = await agent.run('Pay it.');
    expect(offered()).toEqual([
      ['read_file', 'search_tools'],
      ['read_file', 'search_tools', 'pay_invoice', 'list_invoices'],
      ['read_file', 'search_tools', 'pay_invoice', 'list_invoices'],
    ]);
    const results = messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
    expect(results).toEqual([
      'These tools can be called from the next step on:\n- pay_invoice: Pays an invoice.\n- list_invoices: Lists the invoices of a customer.',
      'pay_invoice done',
    ]);
  });

  it('says so when it has found everything', async () => {
    const all = search('read file mail invoices flight');
    const { agent } = await agentWith({ search: { above: 3, limit: 9 } }, [all, search('flight'), done]);
    const { messages } = await agent.run('Go');
    expect(messages.findLast(({ role }) => role === 'tool')).toMatchObject({
      content: [{ text: 'All tools are offered already.' }],
    });
  });

  it('is not offered where the tools are few', async () => {
    const { agent, offered } = await agentWith({ search: { above: 5 } }, [done]);
    await agent.run('Go');
    expect(offered()).toEqual([many.map(({ name }) => name)]);
  });

  it('holds for the session, in another agent too', async () => {
    const store = memoryStore();
    const first = await agentWith(options, [search('flight'), done], { store });
    await first.agent.run('Go', { sessionId: 's' });
    const second = await agentWith(options, [done], { store });
    await second.agent.run('Go on', { sessionId: 's' });
    expect(second.offered()).toEqual([['read_file', 'search_tools', 'book_flight']]);
    const other = await agentWith(options, [done], { store });
    await other.agent.run('Go', { sessionId: 'another' });
    expect(other.offered()).toEqual([['read_file', 'search_tools']]);
  });

  it('goes on after an approval of its own call, in another process', async () => {
    const asks = definePlugin({
      name: 'asks',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          if (call.name === 'search_tools')
            await scope.interrupt({ kind: 'approval', payload: call.name, answer: { type: 'boolean' } });
          return next(call);
        });
      },
    });
    const store = memoryStore();
    const first = await agentWith(options, [search('flight')], { store, plugins: [asks()] });
    const { interrupts } = await first.agent.run('Go', { sessionId: 's' });
    const second = await agentWith(options, [done], { store, plugins: [asks()] });
    await second.agent.resume('s', { [interrupts[0]?.id ?? '']: true });
    expect(second.offered()).toEqual([['read_file', 'search_tools', 'book_flight']]);
  });

  it('finds no hidden tool, and says so when nothing fits', async () => {
    const { agent } = await agentWith({ ...options, hide: ['book_flight'] }, [
      search('book a flight seat'),
      done,
    ]);
    const { messages } = await agent.run('Go');
    expect(messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []))).toEqual([
      'No other tool matches. There are 3 more tools, for example send_mail, list_invoices: try other words.',
    ]);
  });

  it.each([
    ['reading files', ['read_file']],
    ['sendMail', ['send_mail']],
    ['Customers', ['list_invoices']],
    ['invoice', ['list_invoices', 'pay_invoice']],
    ['constructor toString', []],
    ['', []],
  ])('ranks by words: %s', (query, names) => {
    expect(rankTools(query, many).map(({ tool: { name } }) => name)).toEqual(names);
  });

  it.each([
    ['put a meeting into the diary', 'create_event'],
    ['close the pull request by merging', 'merge_pull_request'],
    ['get rid of an old bill', 'delete_invoice'],
    ['which tickets are there', 'list_issue'],
    ['change the address of a client', 'update_customer'],
    ['look for a photo', 'search_image'],
    ['write to a colleague by email', 'send_message'],
    ['making a copy of a directory', 'copy_folder'],
  ])('finds what is meant among 300 tools: %s', async (query, name) => {
    const verbs = ['create', 'delete', 'list', 'update', 'search', 'send', 'copy', 'merge', 'get', 'archive'];
    const nouns =
      'event pull_request invoice issue customer image message folder file branch order product payment user team ' +
      'report table note task contract price role channel comment label release milestone webhook secret key';
    const tools = nouns
      .split(' ')
      .flatMap((noun) =>
        verbs.map((verb) =>
          tool(`${verb}_${noun}`, `Use this to ${verb} one ${noun.replace('_', ' ')} or more.`),
        ),
      );
    const { agent, model } = await agentWith({ search: {} }, [search(query), done], { tools });
    await agent.run('Go');
    expect(tools).toHaveLength(300);
    expect(model.requests[1]?.tools?.map((each) => each.name)).toContain(name);
  });
});
