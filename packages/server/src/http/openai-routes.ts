import { option } from '@shallot/core/plugin';

import { completionBody } from './completion-body.ts';
import { responseBody } from './response-body.ts';
import type { Route } from './route.ts';

const text = option.text();
const record = option.record(option.anything());
const resumed = ['INTERRUPT_UNKNOWN', 'INTERRUPT_ANSWER'] as const;

/** The routes of clients of OpenAI. Their errors have the form of OpenAI's errors. */
export const openAiRoutes = {
  listModels: {
    method: 'GET',
    path: '/v1/models',
    about: 'Lists the agent as the only model.',
    right: 'read',
    answer: {
      status: 200,
      about: 'The list.',
      shape: { object: text.required(), data: option.list(record).required() },
    },
    problems: ['server/AGENT_MISSING'],
  },
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    about: 'Runs the agent in a new session, or gives results of calls to the run that waits for them.',
    right: 'run',
    headers: { 'Idempotency-Key': 'The same key and body give the run that the first request began.' },
    body: completionBody,
    answer: {
      status: 200,
      about: 'A chat completion of OpenAI; with `stream`, its chunks as server-sent events.',
      shape: {
        id: text.required(),
        object: text.required(),
        created: option.integer({ min: 0 }).required(),
        model: text.required(),
        choices: option.list(record).required(),
        usage: record.required(),
      },
    },
    problems: ['SESSION_INTERRUPTED', 'INTERRUPT_UNKNOWN', 'server/KEY_REUSED', 'server/ANSWER_CHANGED'],
  },
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    about:
      'Runs the agent in a new session or after an earlier response, or gives a run the answers that it waits for.',
    right: 'run',
    headers: { 'Idempotency-Key': 'The same key and body give the run that the first request began.' },
    body: responseBody,
    answer: {
      status: 200,
      about: 'A response of OpenAI; with `stream`, its events.',
      shape: {
        id: text.required(),
        object: text.required(),
        status: text.required(),
        output: option.list(record).required(),
      },
    },
    events: 'The events of a response, with `stream`.',
    problems: [
      ...resumed,
      'SESSION_INTERRUPTED',
      'SESSION_UNFINISHED',
      'STORE_CONFLICT',
      'server/KEY_REUSED',
    ],
  },
  getResponse: {
    method: 'GET',
    path: '/v1/responses/{id}',
    about: 'Returns a response: as it is now, while its run goes on.',
    right: 'read',
    query: { stream: option.boolean().describe('Streams a response in progress from its beginning.') },
    answer: {
      status: 200,
      about: 'The response.',
      shape: {
        id: text.required(),
        object: text.required(),
        status: text.required(),
        output: option.list(record).required(),
      },
    },
    events: 'The events of a response in progress, with `stream`.',
    problems: ['server/AGENT_MISSING'],
  },
} as const satisfies Readonly<Record<string, Route>>;

export type OpenAiRoutes = typeof openAiRoutes;
