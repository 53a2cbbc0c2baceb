import type { Interrupt, JsonSchema } from '@shallot/core';
import { expect, it } from 'vitest';

import { askedBy, summarize } from '../rendering/summarize.ts';
import { answerHints, chatHint, resumeHint } from './answer-hints.ts';

const question: Interrupt = {
  id: 'int_1',
  kind: 'approval',
  plugin: 'hitl',
  payload: { a: 1 },
  answerSchema: {},
  createdAt: '2030-01-01T00:00:00Z',
};

it('a question on one line says what the call is executed with, where that is not what was asked for', () => {
  const call = { id: 'c', name: 'remove', input: { path: '/a' } };
  expect(summarize(question)).toBe('approval: {"a":1}');
  expect(summarize({ ...question, call })).toBe('approval: remove {"path":"/a"}');
  const output = { value: { path: '/etc/a\u200b' } };
  expect(summarize({ ...question, call: { ...call, output } })).toBe(
    'approval: remove {"path":"/a"}, executed with {"path":"/etc/a⟨U+200B⟩"}',
  );
});

it('a question of a subagent names it', () => {
  const root = { agent: 'top', sessionId: 's', runId: 'r', step: 1, callId: 'c' };
  expect(askedBy({ ...question, address: root })).toBe('asked by hitl');
  const address = { ...root, agent: 'reader\u200b', parent: root };
  expect(askedBy({ ...question, address })).toBe('asked by hitl, in the subagent reader⟨U+200B⟩');
});

const calledBy = (env: Record<string, string>) => ({
  io: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, cwd: '/', env },
});

it('what is to be copied begins as the command was called', () => {
  const npx = calledBy({ npm_command: 'exec', npm_config_user_agent: 'npm/11.19.1 node/v24.21.0' });
  expect(answerHints(question, {}, npx)[0]).toMatch(/^npx shallot answer int_1 /);
  expect(resumeHint('s', { config: 'a b.yaml' }, npx)).toBe("npx shallot resume s -c 'a b.yaml'");
  expect(chatHint('s', {}, npx)).toBe('npx shallot chat --session s');
});

const asking = (answerSchema: JsonSchema): readonly string[] =>
  answerHints({ ...question, kind: 'question', answerSchema }, {}, calledBy({})).slice(0, -1);

it.each<readonly [JsonSchema, readonly string[]]>([
  [{ type: 'string' }, [`'"…"'`]],
  [{ enum: ['tea', "it's"] }, [`'"tea"'`, `'"it'\\''s"'`]],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, [`'["a"]'`]],
  [
    {
      type: 'object',
      properties: {
        when: { type: 'string' },
        many: { type: 'integer', minimum: 2 },
        note: { type: 'string' },
      },
      required: ['when', 'many'],
    },
    [`'{"when":"…","many":2}'`],
  ],
  [
    {
      anyOf: [
        { type: 'object', properties: { sure: { type: 'boolean' }, colour: { default: 'red' } } },
        { const: 'decline', description: 'Tells the server no.' },
      ],
    },
    [`'{"sure":true,"colour":"red"}'`, `'"decline"'  # Tells the server no.`],
  ],
  [{}, [`'…'`]],
  [{ $ref: '#/$defs/a' }, [`'…'`]],
])('a question is answered by commands that show the form of %j', (schema, answers) => {
  expect(asking(schema)).toEqual(answers.map((answer) => `shallot answer int_1 ${answer}`));
});
