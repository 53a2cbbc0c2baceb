import { createAgent, memoryStore, textOf, type JsonObject, type JsonValue } from '@shallot/core';
import { answerInterrupts } from '@shallot/core/work';
import { scriptedModel, testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { askUser } from './index.ts';

await testPlugin(askUser, {
  secondOptions: { toolName: 'ask_again' },
  manifest: new URL('../package.json', import.meta.url),
});

const postgres = { label: 'PostgreSQL', description: 'A server of its own.' };
const database = { question: 'Which database?', choices: ['SQLite', postgres] };
const extras = { question: 'What else?', choices: ['Cache', 'Queue', 'Search'], several: true, strict: true };
const name = { question: 'What is it called?' };

async function ask(...questions: readonly JsonObject[]) {
  const store = memoryStore();
  const model = scriptedModel([
    { toolCalls: [{ name: 'ask_user', args: { questions } }] },
    { text: 'Thank you.' },
  ]);
  const agent = await createAgent({ model, store, plugins: [askUser()] });
  const asked = await agent.run('Set it up.', { sessionId: 's' });
  const answer = async (value: JsonValue) => {
    const [open] = asked.interrupts;
    await answerInterrupts(store, 's', { [open?.id ?? '']: value });
    const { messages } = await agent.resume('s');
    const result = messages.find(({ role }) => role === 'tool');
    return result === undefined
      ? undefined
      : { text: textOf(result), data: 'data' in result ? result.data : null };
  };
  return { asked, answer, [Symbol.asyncDispose]: () => agent.close() };
}

describe('ask_user', () => {
  it('asks one question by the schema of its answer', async () => {
    await using session = await ask(database);
    expect(session.asked.outcome).toBe('interrupted');
    expect(session.asked.interrupts).toMatchObject([
      {
        kind: 'question',
        plugin: 'tool',
        call: { name: 'ask_user', title: 'Ask the user' },
        payload: {
          message: 'Which database? (choose one: SQLite, PostgreSQL, or answer in your own words)',
        },
        answerSchema: {
          title: 'Which database?',
          anyOf: [
            { const: 'SQLite' },
            { const: 'PostgreSQL', description: 'A server of its own.' },
            { type: 'string', minLength: 1, title: 'Other' },
            { const: null, title: 'I decline to answer' },
          ],
        },
      },
    ]);
    expect(await session.answer('PostgreSQL')).toEqual({
      text: 'Which database?\nPostgreSQL',
      data: { answers: ['PostgreSQL'] },
    });
  });

  it('asks several at once, and takes only an answer to all of them', async () => {
    await using session = await ask(database, extras, name);
    expect(session.asked.interrupts[0]?.payload).toEqual({
      message:
        '1. Which database? (choose one: SQLite, PostgreSQL, or answer in your own words)\n2. What else? (choose any number: Cache, Queue, Search)\n3. What is it called?',
    });
    for (const wrong of [
      'SQLite',
      { question_1: 'SQLite' },
      { question_1: '', question_2: [], question_3: 'x' },
      { question_1: 'SQLite', question_2: ['Mail'], question_3: 'x' },
      { question_1: 'SQLite', question_2: ['Cache', 'Cache'], question_3: 'x' },
    ]) {
      await expect(session.answer(wrong)).rejects.toMatchObject({ code: 'INTERRUPT_ANSWER' });
    }
    const given = { question_1: 'SQLite', question_2: ['Queue', 'Cache'], question_3: ' ' };
    expect(await session.answer(given)).toEqual({
      text: '1. Which database?\nSQLite\n2. What else?\nQueue, Cache\n3. What is it called?\n(no answer)',
      data: { answers: ['SQLite', ['Queue', 'Cache'], ' '] },
    });
  });

  it.each<[string, JsonObject, JsonValue, string]>([
    ['in other words', database, 'A file', 'A file'],
    ['several in other words', { ...extras, strict: false }, ['Cache', 'Mail'], 'Cache, Mail'],
    ['not at all', database, null, '(the user declined to answer)'],
    ['no list', extras, null, '(the user declined to answer)'],
    ['no text', name, null, '(the user declined to answer)'],
  ])('takes an answer %s', async (_, question, answer, text) => {
    await using session = await ask(question);
    expect(await session.answer(answer)).toMatchObject({
      text: expect.stringContaining(`?\n${text}`) as string,
      data: { answers: [answer] },
    });
  });

  it('takes nothing but the choices of a strict question, or no answer', async () => {
    await using session = await ask({ ...database, strict: true });
    expect(session.asked.interrupts[0]?.payload).toEqual({
      message: 'Which database? (choose one: SQLite, PostgreSQL)',
    });
    await expect(session.answer('A file')).rejects.toMatchObject({ code: 'INTERRUPT_ANSWER' });
    expect(await session.answer(null)).toMatchObject({ data: { answers: [null] } });
  });

  it.each([
    [{ questions: [] }],
    [{ questions: [name, name, name, name, name] }],
    [{ questions: [{ question: 'x', choices: ['only'] }] }],
    [{ questions: [{ question: 'x', choices: ['a', 'a'] }] }],
    [{ questions: [{ question: '' }] }],
    [{ questions: [{ question: 'x', options: [] }] }],
  ])('tells the model what is wrong with %j', async (args) => {
    const model = scriptedModel([{ toolCalls: [{ name: 'ask_user', args }] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, plugins: [askUser()] });
    const { outcome, messages } = await agent.run('Set it up.');
    const result = messages.find(({ role }) => role === 'tool');
    expect([outcome, result !== undefined && 'isError' in result && result.isError]).toEqual([
      'completed',
      true,
    ]);
  });
});
