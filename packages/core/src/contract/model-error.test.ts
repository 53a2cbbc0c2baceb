import { describe, expect, it } from 'vitest';

import { errorCodes } from '../base/error-codes.ts';
import { isShallotError } from '../base/errors.ts';
import { isTransient } from '../base/is-transient.ts';
import { createAgent } from '../create-agent.ts';
import { modelError, modelErrors, placeModel, placeOfModel, type ModelErrorCode } from './model-error.ts';
import type { ChatModel, ModelResponse } from './model.ts';

const codes = Object.keys(modelErrors) as ModelErrorCode[];

describe('the errors of models', () => {
  it('are all that the table of codes has', () => {
    // No model throws that it is not there.
    const known = Object.keys(errorCodes).filter(
      (code) => code.startsWith('MODEL_') && !['MODEL_GONE', 'MODEL_OFFLINE'].includes(code),
    );
    expect(codes.toSorted()).toEqual(known.toSorted());
  });

  it.each([
    ['MODEL_RATE_LIMITED', true],
    ['MODEL_OVERLOADED', true],
    ['MODEL_NETWORK', true],
    ['MODEL_STREAM_BROKEN', true],
    ['MODEL_IDLE', true],
    ['MODEL_EMPTY', true],
    ['MODEL_CONTEXT_OVERFLOW', false],
    ['MODEL_AUTH', false],
    ['MODEL_BAD_REQUEST', false],
    ['MODEL_CONTENT_FILTERED', false],
    ['MODEL_RESPONSE', false],
    ['MODEL_FAILED', false],
  ] as const)('%s is transient: %s', (code, transient) => {
    const error = modelError(code, { message: 'It failed.' });
    expect(isShallotError(error, code)).toBe(true);
    expect(isTransient(error)).toBe(transient);
  });

  it('say when to come back, and what they were caused by', () => {
    const cause = new Error('429');
    const error = modelError('MODEL_RATE_LIMITED', { message: 'Later.', retryAt: 1000, cause });
    expect(error).toMatchObject({ message: 'Later.', retryAt: 1000, cause });
    expect(modelError('MODEL_FAILED', { message: 'No.', cause: undefined })).not.toHaveProperty('cause');
  });

  it('can be less transient than their code', () => {
    expect(modelError('MODEL_NETWORK', { message: 'Not trusted.', transient: false }).transient).toBe(false);
    expect(modelError('MODEL_FAILED', { message: 'Once more.', transient: true }).transient).toBe(true);
  });
});

it('a model has the place in a config that names it, and none if a program made it', () => {
  const model: ChatModel = { id: 'a/b', generate: () => Promise.reject(new Error('unused')) };
  expect(placeOfModel(model)).toBeUndefined();
  const at = { file: 'shallot.config.yaml', line: 1 };
  expect(placeModel(model, at)).toBe(model);
  expect(placeOfModel(model)).toBe(at);
});

describe('what a model returns that is no response', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'An onion.'],
    ['a response without a message', { finish: 'stop' }],
    ['a message of the user', { message: { role: 'user', content: [] }, finish: 'stop' }],
    ['a message without parts', { message: { role: 'assistant', content: 'An onion.' }, finish: 'stop' }],
    ['a finish reason that is none', { message: { role: 'assistant', content: [] }, finish: 'done' }],
    ['no finish reason', { message: { role: 'assistant', content: [] } }],
  ])('%s is an error that names the model, in both modes', async (_, returned) => {
    const model: ChatModel = { id: 'test/junk', generate: async () => returned as ModelResponse };
    await using agent = await createAgent({ log: 'silent', model });
    const failure = {
      code: 'MODEL_RESPONSE',
      transient: false,
      message: expect.stringContaining('test/junk') as string,
      result: { outcome: 'failed', stopReason: 'model-error' },
    };
    await expect(agent.run('hello')).rejects.toMatchObject(failure);
    await expect(agent.stream('hello').result).rejects.toMatchObject(failure);
  });
});
