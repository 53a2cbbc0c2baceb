import { option } from '@shallot/core/plugin';

import { completionBody } from './completion-body.ts';
import type { Route } from './route.ts';

const text = option.text();
const record = option.record(option.anything());

/** The routes of clients of OpenAI. Errors have the form of OpenAI there. */
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
} as const satisfies Readonly<Record<string, Route>>;

export type OpenAiRoutes = typeof openAiRoutes;
