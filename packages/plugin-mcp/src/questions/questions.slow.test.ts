import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Interrupt, JsonValue } from '@shallot/core';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import {
  agentWith,
  callTools,
  noted,
  program,
  raw,
  reference,
  said,
  testDirectory,
  type TestAgent,
} from '../../test/mcp.ts';
import type { Elicit, ElicitQuestion } from './question.ts';

const booking = [{ toolCalls: [{ name: 's_book', args: { what: 'a hive' } }] }, { text: 'Done.' }];

function answer([interrupt]: readonly Interrupt[], value: JsonValue): Readonly<Record<string, JsonValue>> {
  return { [interrupt?.id ?? '']: value };
}

describe('a question of a server', () => {
  async function asked(): Promise<
    TestAgent & { readonly file: string; readonly interrupts: readonly Interrupt[] }
  > {
    const file = join(testDirectory(), 'server.txt');
    const test = await agentWith({ servers: { s: program('booking-server.ts', file) } }, booking);
    const { interrupts } = await test.agent.run('Go', { sessionId: 's' });
    return { ...test, file, interrupts };
  }

  it('is an interrupt with the message and the schema of the server, and nothing else', async () => {
    const { interrupts } = await asked();
    expect(interrupts).toMatchObject([
      {
        kind: 'mcp/elicitation',
        call: { name: 's_book', input: { what: 'a hive' } },
        payload: {
          server: 's',
          mode: 'form',
          message: 'Tell me when.',
          requestedSchema: { required: ['when'] },
        },
      },
    ]);
    expect(JSON.stringify(interrupts)).not.toContain('round 1');
  });

  it.each(['decline', 'cancel'])('may be answered by the word %s, which the server is told', async (word) => {
    const { agent, interrupts, file } = await asked();
    const { messages } = await agent.resume('s', answer(interrupts, word));
    expect(messages.at(-2)).toMatchObject({
      isError: true,
      content: [{ text: `refused: {"action":"${word}"}` }],
    });
    expect(Object.values(noted(file).at(-1)?.inputResponses ?? {})).toEqual([{ action: word }]);
  });

  it('stays open when an answer does not fit its schema', async () => {
    const { agent, interrupts } = await asked();
    await expect(agent.resume('s', answer(interrupts, { when: 5 }))).rejects.toMatchObject({
      code: 'INTERRUPT_ANSWER',
    });
    const again = await agent.resume('s', answer(interrupts, { when: 'May' }));
    expect(again.interrupts).toMatchObject([{ payload: { message: 'Tell me who.' } }]);
  });

  it('is not asked again by a resume that brings no answer', async () => {
    const { agent, interrupts, file } = await asked();
    expect((await agent.resume('s')).interrupts).toEqual(interrupts);
    expect(noted(file)).toHaveLength(2);
  });

  it.each([
    ['a form asks for a secret', 'password', 'asks for "password"'],
    ['a page is a script', 'script', 'its URL is "javascript:alert(1)"'],
    ['a form has a schema that cannot be read', 'unreadable', '#/nowhere'],
  ])('is declined with a warning when %s', async (_, how, why) => {
    const servers = { s: program('asking-server.ts') };
    const { texts, events } = await callTools({ servers }, [{ name: 's_ask', args: { how } }]);
    expect(texts).toEqual(['answered {"action":"decline"}']);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'mcp/QUESTION_DECLINED', message: expect.stringContaining(why) as string },
    ]);
  });

  it('is declined with one warning, however often the call goes on', async () => {
    const steps = [{ toolCalls: [{ name: 's_ask', args: { how: 'mixed' } }] }, { text: 'Done.' }];
    const { agent } = await agentWith({ servers: { s: program('asking-server.ts') } }, steps);
    const first = agent.stream('Go', { sessionId: 's' });
    const { events } = await collectEvents(first);
    const { interrupts } = await first.result;
    const idle = await collectEvents(agent.streamResume('s'));
    const answered = agent.streamResume('s', answer(interrupts, { a: '1' }));
    const last = await collectEvents(answered);
    const { messages } = await answered.result;
    expect(messages.at(-2)).toMatchObject({
      content: [{ text: 'answered {"action":"decline"} {"action":"accept","content":{"a":"1"}}' }],
    });
    const warned = [events, idle.events, last.events].map(
      (each) => each.filter(({ type }) => type === 'warning').length,
    );
    expect(warned).toEqual([1, 0, 0]);
  });

  it.each([
    ['is asked for ever', 'for-ever', 'mcp/TOO_MANY_ROUNDS: The call of ask was stopped'],
    ['asks for what is not offered', 'sampling', 'do not declare the required capability'],
    ['refuses a requestState that has grown old', 'stale-state', 'ERROR the requestState has expired'],
  ])('ends the call with a named error when the server %s', async (_, how, error) => {
    const servers = { s: program('asking-server.ts') };
    const { texts } = await callTools({ servers }, [{ name: 's_ask', args: { how } }]);
    expect(texts[0]).toContain(error);
  });

  it('may be a page to visit', async () => {
    const steps = [{ toolCalls: [{ name: 's_ask', args: { how: 'page' } }] }, { text: 'Done.' }];
    const { agent } = await agentWith({ servers: { s: program('asking-server.ts') } }, steps);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    expect(interrupts).toMatchObject([{ payload: { mode: 'url', url: 'https://pay.example/1' } }]);
    const { messages } = await agent.resume('s', answer(interrupts, 'accept'));
    expect(messages.at(-2)).toMatchObject({ content: [{ text: 'answered {"action":"accept"}' }] });
  });

  it('may be one of several, each of which is asked', async () => {
    const steps = [{ toolCalls: [{ name: 's_ask', args: { how: 'two' } }] }, { text: 'Done.' }];
    const { agent } = await agentWith({ servers: { s: program('asking-server.ts') } }, steps);
    const first = await agent.run('Go', { sessionId: 's' });
    const second = await agent.resume('s', answer(first.interrupts, { a: '1' }));
    expect(second.interrupts).toMatchObject([{ payload: { message: 'Tell me b.' } }]);
    const { messages } = await agent.resume('s', answer(second.interrupts, 'decline'));
    expect(messages.at(-2)).toMatchObject({
      content: [{ text: 'answered {"action":"accept","content":{"a":"1"}} {"action":"decline"}' }],
    });
  });
});

describe('a question of an older server, which holds the call', () => {
  const servers = { s: raw('asks-while-held') };
  const call = { name: 's_look' };

  it('is declined with a warning when nobody can be asked', async () => {
    const { texts, events } = await callTools({ servers }, [call]);
    expect(texts).toEqual(['{"action":"decline"}']);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'mcp/QUESTION_DECLINED', message: expect.stringContaining('Give the option elicit') as string },
    ]);
  });

  it('is put to a callback, and gets the defaults of its form', async () => {
    const asked: ElicitQuestion[] = [];
    const elicit: Elicit = (question) => {
      asked.push(question);
      return { action: 'accept', content: { name: 'Ada' } };
    };
    const { texts } = await callTools({ servers, elicit }, [call]);
    expect(asked).toMatchObject([{ server: 's', mode: 'form', message: 'Your name?' }]);
    expect(texts.map((text) => JSON.parse(text) as object)).toEqual([
      { action: 'accept', content: { name: 'Ada', colour: 'red' } },
    ]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no terminal')), 'elicit failed: no terminal'],
    ['gives no answer', () => ({ action: 'perhaps' }) as never, 'its answer has the action \\"perhaps\\"'],
  ])('is declined when the callback %s', async (_, elicit, why) => {
    const { texts, events } = await callTools({ servers, elicit }, [call]);
    expect(texts).toEqual(['{"action":"decline"}']);
    expect(JSON.stringify(events)).toContain(why);
  });

  it('of the reference server is put to a callback', async () => {
    const all = { all: reference('everything', 'stdio') };
    const elicit: Elicit = () => ({ action: 'accept', content: { name: 'Ada' } });
    const { texts } = await callTools({ servers: all, elicit }, [
      { name: 'all_trigger-elicitation-request' },
    ]);
    expect(texts[0]).toContain('Ada');
  });

  it('is an interrupt when it is the error that a page has to be visited first', async () => {
    const file = join(testDirectory(), 'visited');
    const steps = [{ toolCalls: [{ name: 's_call' }] }, { text: 'Done.' }];
    const { agent } = await agentWith({ servers: { s: program('page-server.ts', file) } }, steps);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    expect(interrupts).toMatchObject([
      { kind: 'mcp/elicitation', payload: { mode: 'url', url: 'https://log.in/1' } },
    ]);
    writeFileSync(file, '');
    const stream = agent.streamResume('s', answer(interrupts, 'accept'));
    const { events } = await collectEvents(stream);
    expect(events.flatMap((event) => (event.type === 'tool-end' ? [said(event.message)] : []))).toEqual([
      'called',
    ]);
  });
});
