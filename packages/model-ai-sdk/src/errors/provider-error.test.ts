import type { ShallotError } from '@shallot/core';
import { modelError } from '@shallot/core/model';
import { isTransient } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { providerError } from './provider-error.ts';

interface Api {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly cause?: unknown;
}

/** An error in the shape of the AI SDK's, of no class of its. */
function api({ status, body, headers, message = 'It failed', cause }: Api): Error {
  return Object.assign(new Error(message, { cause }), {
    name: 'AI_APICallError',
    url: 'https://api.example/v1/chat?key=abc',
    requestBodyValues: { messages: ['the whole history'] },
    responseHeaders: headers ?? {},
    ...(status === undefined ? {} : { statusCode: status }),
    ...(body === undefined ? {} : { responseBody: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const named = (name: string, message = 'It failed'): Error => Object.assign(new Error(message), { name });
const network = (code: string, message = 'fetch failed'): Error =>
  Object.assign(new TypeError(message), { cause: Object.assign(new Error(code), { code }) });

function map(error: unknown, began = false): ShallotError {
  return providerError(error, { id: 'acme/m' }, began);
}

type Row = readonly [what: string, error: unknown, code: string, transient: boolean];

const openai = (status: number, error: object): Error => api({ status, body: { error } });
const anthropic = (status: number, type: string, message = 'It failed'): Error =>
  api({ status, body: { type: 'error', error: { type, message } } });
const google = (
  status: number,
  name: string,
  message = 'It failed',
  details: readonly object[] = [],
): Error => api({ status, body: { error: { code: status, status: name, message, details } } });
const bedrock = (status: number, type: string, message = 'It failed'): Error =>
  api({ status, body: { message, __type: type } });

const rows: Readonly<Record<string, readonly Row[]>> = {
  OpenAI: [
    [
      'too many',
      openai(429, { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' }),
      'MODEL_RATE_LIMITED',
      true,
    ],
    [
      'no credit',
      openai(429, {
        message: 'You exceeded your current quota, please check your plan',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      }),
      'MODEL_RATE_LIMITED',
      false,
    ],
    [
      'a wrong key',
      openai(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
      'MODEL_AUTH',
      false,
    ],
    [
      'a key of another region',
      openai(403, { message: 'Country not supported', code: 'unsupported_country_region_territory' }),
      'MODEL_AUTH',
      false,
    ],
    [
      'an unknown model',
      openai(404, { message: 'The model `gpt-9` does not exist', code: 'model_not_found' }),
      'MODEL_BAD_REQUEST',
      false,
    ],
    [
      'a long history',
      openai(400, {
        message: "This model's maximum context length is 8192 tokens",
        code: 'context_length_exceeded',
      }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a wrong schema',
      openai(400, { message: 'Invalid schema for function', type: 'invalid_request_error' }),
      'MODEL_BAD_REQUEST',
      false,
    ],
    [
      'a refusal',
      openai(400, { message: 'Invalid prompt: your prompt was flagged', code: 'invalid_prompt' }),
      'MODEL_CONTENT_FILTERED',
      false,
    ],
    ['an overload', openai(503, { message: 'The engine is currently overloaded' }), 'MODEL_OVERLOADED', true],
    [
      'an error in a stream',
      { type: 'error', code: 'server_error', message: 'The server had an error' },
      'MODEL_OVERLOADED',
      true,
    ],
  ],
  Azure: [
    [
      'the filter',
      openai(400, {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy",
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      }),
      'MODEL_CONTENT_FILTERED',
      false,
    ],
    [
      'no such deployment',
      openai(404, {
        message: 'The API deployment for this resource does not exist',
        code: 'DeploymentNotFound',
      }),
      'MODEL_BAD_REQUEST',
      false,
    ],
    [
      'a wrong key',
      api({
        status: 401,
        body: { error: { code: '401', message: 'Access denied due to invalid subscription key' } },
      }),
      'MODEL_AUTH',
      false,
    ],
  ],
  Anthropic: [
    ['too many', anthropic(429, 'rate_limit_error'), 'MODEL_RATE_LIMITED', true],
    ['an overload', anthropic(529, 'overloaded_error', 'Overloaded'), 'MODEL_OVERLOADED', true],
    [
      'an overload in a stream',
      { type: 'overloaded_error', message: 'Overloaded' },
      'MODEL_OVERLOADED',
      true,
    ],
    ['a failure of its own', anthropic(500, 'api_error'), 'MODEL_OVERLOADED', true],
    ['a wrong key', anthropic(401, 'authentication_error', 'invalid x-api-key'), 'MODEL_AUTH', false],
    ['a key that may not', anthropic(403, 'permission_error'), 'MODEL_AUTH', false],
    [
      'a long history',
      anthropic(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a long history with its answer',
      anthropic(
        400,
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000',
      ),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a large request',
      anthropic(413, 'request_too_large', 'Request exceeds the maximum size'),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'no credit',
      anthropic(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API'),
      'MODEL_RATE_LIMITED',
      false,
    ],
    ['an unknown model', anthropic(404, 'not_found_error', 'model: claude-9'), 'MODEL_BAD_REQUEST', false],
    [
      'a malformed request',
      anthropic(400, 'invalid_request_error', 'messages.1.content: required'),
      'MODEL_BAD_REQUEST',
      false,
    ],
  ],
  Google: [
    ['too many', google(429, 'RESOURCE_EXHAUSTED'), 'MODEL_RATE_LIMITED', true],
    [
      'a wrong key',
      google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        { reason: 'API_KEY_INVALID' },
      ]),
      'MODEL_AUTH',
      false,
    ],
    ['a key that may not', google(403, 'PERMISSION_DENIED'), 'MODEL_AUTH', false],
    ['an overload', google(503, 'UNAVAILABLE', 'The model is overloaded'), 'MODEL_OVERLOADED', true],
    [
      'a long history',
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'an unknown model',
      google(404, 'NOT_FOUND', 'models/gemini-9 is not found'),
      'MODEL_BAD_REQUEST',
      false,
    ],
    [
      'a malformed request',
      google(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received'),
      'MODEL_BAD_REQUEST',
      false,
    ],
    [
      'an error as the list that a stream gives',
      api({ body: [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota' } }] }),
      'MODEL_RATE_LIMITED',
      true,
    ],
  ],
  Mistral: [
    [
      'too many',
      api({ status: 429, body: { message: 'Requests rate limit exceeded' } }),
      'MODEL_RATE_LIMITED',
      true,
    ],
    ['a wrong key', api({ status: 401, body: { message: 'Unauthorized' } }), 'MODEL_AUTH', false],
    [
      'a long history',
      api({
        status: 400,
        body: {
          object: 'error',
          message:
            'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
          type: 'invalid_request_error',
        },
      }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a malformed request',
      api({ status: 422, body: { detail: 'Input should be a valid string' } }),
      'MODEL_BAD_REQUEST',
      false,
    ],
  ],
  xAI: [
    [
      'a wrong key',
      api({
        status: 400,
        body: { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***ey.' },
      }),
      'MODEL_AUTH',
      false,
    ],
    [
      'a long history',
      api({
        status: 400,
        body: {
          error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
        },
      }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    ['too many', api({ status: 429, body: { error: 'Too many requests' } }), 'MODEL_RATE_LIMITED', true],
  ],
  'Amazon Bedrock': [
    [
      'too many',
      bedrock(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
      'MODEL_RATE_LIMITED',
      true,
    ],
    [
      'too many, in a stream',
      { __type: 'ThrottlingException', message: 'Rate exceeded' },
      'MODEL_RATE_LIMITED',
      true,
    ],
    [
      'a wrong key',
      bedrock(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
      'MODEL_AUTH',
      false,
    ],
    [
      'a model that is not allowed',
      bedrock(403, 'AccessDeniedException', "You don't have access to the model"),
      'MODEL_AUTH',
      false,
    ],
    [
      'a long history',
      bedrock(400, 'ValidationException', 'Input is too long for requested model.'),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a malformed request',
      bedrock(400, 'ValidationException', 'The provided model identifier is invalid.'),
      'MODEL_BAD_REQUEST',
      false,
    ],
    ['an overload', bedrock(503, 'ServiceUnavailableException'), 'MODEL_OVERLOADED', true],
  ],
  'local servers': [
    [
      'a long history for llama.cpp',
      openai(400, {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
      }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a long history for vLLM',
      api({
        status: 400,
        body: {
          object: 'error',
          message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        },
      }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a long history for TGI',
      api({ status: 422, body: { error: '`inputs` tokens + `max_new_tokens` must be <= 4096' } }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
    ],
    [
      'a model that Ollama does not have',
      openai(404, { message: 'model "llama9" not found, try pulling it first' }),
      'MODEL_BAD_REQUEST',
      false,
    ],
    ['an error in plain text', api({ status: 500, body: 'boom' }), 'MODEL_OVERLOADED', true],
  ],
  'every server': [
    [
      'HTML with a status',
      api({ status: 502, body: '<html>Bad Gateway</html>', message: 'Bad Gateway' }),
      'MODEL_OVERLOADED',
      true,
    ],
    ['a time-out of a proxy', api({ status: 408 }), 'MODEL_OVERLOADED', true],
    ['no capacity for the flex tier of Groq', api({ status: 498 }), 'MODEL_OVERLOADED', true],
    ['no credit', api({ status: 402 }), 'MODEL_RATE_LIMITED', false],
    ['a redirect', api({ status: 307 }), 'MODEL_BAD_REQUEST', false],
    [
      'HTML for JSON',
      api({
        status: 200,
        body: '<html>',
        message: 'Invalid JSON response',
        cause: named('AI_JSONParseError'),
      }),
      'MODEL_RESPONSE',
      false,
    ],
    [
      'half of the JSON',
      api({
        status: 200,
        body: '{"choices": [{',
        message: 'Invalid JSON response',
        cause: named('AI_JSONParseError'),
      }),
      'MODEL_STREAM_BROKEN',
      true,
    ],
    [
      'other JSON',
      api({
        status: 200,
        body: '{"a":1}',
        message: 'Invalid JSON response',
        cause: named('AI_TypeValidationError'),
      }),
      'MODEL_RESPONSE',
      false,
    ],
    [
      'a body that breaks off',
      api({
        status: 200,
        message: 'Failed to process successful response',
        cause: network('UND_ERR_SOCKET', 'terminated'),
      }),
      'MODEL_STREAM_BROKEN',
      true,
    ],
    [
      'a body without end',
      api({
        status: 200,
        message: 'Failed to process successful response',
        cause: Object.assign(new Error('too large'), { code: 'BODY_TOO_LARGE' }),
      }),
      'MODEL_RESPONSE',
      false,
    ],
    [
      'a key that is missing',
      named('AI_LoadAPIKeyError', 'Anthropic API key is missing.'),
      'MODEL_AUTH',
      false,
    ],
    ['a setting that is missing', named('AI_LoadSettingError'), 'MODEL_BAD_REQUEST', false],
    [
      'something that it does not support',
      named('AI_UnsupportedFunctionalityError'),
      'MODEL_BAD_REQUEST',
      false,
    ],
  ],
  'the network': [
    ['a host that is not found', network('ENOTFOUND'), 'MODEL_NETWORK', true],
    [
      'a port where nobody listens',
      api({
        message: 'Cannot connect to API: ',
        cause: Object.assign(new Error(''), {
          errors: [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
        }),
      }),
      'MODEL_NETWORK',
      true,
    ],
    ['a reset', network('ECONNRESET'), 'MODEL_NETWORK', true],
    ['headers that never come', network('UND_ERR_HEADERS_TIMEOUT'), 'MODEL_NETWORK', true],
    [
      'a time-out of the client',
      named('TimeoutError', 'The operation was aborted due to timeout'),
      'MODEL_NETWORK',
      true,
    ],
    ['a certificate that nobody knows', network('SELF_SIGNED_CERT_IN_CHAIN'), 'MODEL_NETWORK', false],
    ['a certificate of another host', network('ERR_TLS_CERT_ALTNAME_INVALID'), 'MODEL_NETWORK', false],
    ['a certificate that has expired', network('CERT_HAS_EXPIRED'), 'MODEL_NETWORK', false],
    ['http where https is asked for', network('ERR_SSL_WRONG_VERSION_NUMBER'), 'MODEL_NETWORK', false],
    ['a URL that is none', api({ message: 'Cannot connect to API: bad port' }), 'MODEL_NETWORK', false],
  ],
  'anything else': [
    ['an error', new Error('?'), 'MODEL_FAILED', false],
    [
      'an error that says that it may be tried again',
      Object.assign(new Error('?'), { isRetryable: true }),
      'MODEL_FAILED',
      true,
    ],
    ['a string', 'boom', 'MODEL_FAILED', false],
    ['nothing', undefined, 'MODEL_FAILED', false],
    [
      'a cycle',
      Object.assign(new Error('?'), {
        get cause() {
          return this;
        },
      }),
      'MODEL_FAILED',
      false,
    ],
  ],
};

const coded = (code: string): Error => Object.assign(new Error('It failed.'), { code });

describe('what is thrown', () => {
  describe.each(Object.entries(rows))('by %s', (_, cases) => {
    it.each(cases)('for %s has its code', (_what, error, code, transient) => {
      const mapped = map(error);
      expect(mapped).toMatchObject({ code, transient });
      expect(isTransient(mapped)).toBe(transient);
    });
  });

  it.each([
    [
      'a code for too long a request',
      api({ status: 400, body: { error: { code: 'context_length_exceeded', message: 'No.' } } }),
      'MODEL_CONTEXT_OVERFLOW',
      false,
      'Shorten the history',
    ],
    ['status 413', api({ status: 413 }), 'MODEL_CONTEXT_OVERFLOW', false, 'Shorten the history'],
    [
      'a policy that is named',
      api({ status: 400, body: { error: { message: 'Filtered by the content management policy.' } } }),
      'MODEL_CONTENT_FILTERED',
      false,
      'Rephrase the request.',
    ],
    [
      'a permission that is missing, told on the stream',
      { type: 'permission_error', message: 'No.' },
      'MODEL_AUTH',
      false,
      'Check the permissions of the key.',
    ],
    ['an address that is none', coded('ERR_INVALID_URL'), 'MODEL_NETWORK', false, 'Fix baseURL.'],
    ['a refused connection', coded('ECONNREFUSED'), 'MODEL_NETWORK', true, 'The connection was refused'],
    ['a fetch that says no more', new TypeError('terminated'), 'MODEL_NETWORK', true, 'Check the connection'],
    [
      'a connection that says no more',
      new Error('Cannot connect to API: other side closed'),
      'MODEL_NETWORK',
      true,
      'Check the connection',
    ],
    [
      'a model that there is not, without a status',
      { type: 'not_found_error', message: 'model: claude-9' },
      'MODEL_BAD_REQUEST',
      false,
      'Fix the name of the model.',
    ],
  ])('by its shape alone: %s', (_, error, code, transient, advice) => {
    const failure = map(error);
    expect(failure).toMatchObject({ code, transient });
    expect(failure.message).toContain(advice);
  });

  it('is left as it is if it is typed already, also as a cause', () => {
    const typed = modelError('MODEL_OVERLOADED', { message: 'Later.' });
    expect(map(typed)).toBe(typed);
    expect(map(new Error('wrapped', { cause: new Error('again', { cause: typed }) }))).toBe(typed);
  });

  it.each([
    ['a reset', network('ECONNRESET')],
    ['what nobody knows', new Error('?')],
  ])('of %s is a broken stream once the answer has begun', (_, error) => {
    expect(map(error, true)).toMatchObject({ code: 'MODEL_STREAM_BROKEN', transient: true });
  });

  it.each([
    ['a certificate', network('CERT_HAS_EXPIRED'), 'MODEL_NETWORK'],
    ['a web page', network('WEB_PAGE'), 'MODEL_RESPONSE'],
    ['a body without end', network('BODY_TOO_LARGE'), 'MODEL_RESPONSE'],
    ['no stream', network('NO_STREAM'), 'MODEL_RESPONSE'],
    ['an event that is not understood', named('AI_TypeValidationError'), 'MODEL_RESPONSE'],
  ])('of %s stays what it is, also once the answer has begun', (_, error, code) => {
    expect(map(error, true)).toMatchObject({ code, transient: false });
  });

  it('tells a wrong setting from a context that is too small', () => {
    const positive = { error: '`max_new_tokens` must be strictly positive' };
    expect(map(api({ status: 422, body: positive }))).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });

  it('says when to come back', () => {
    const at = Date.now();
    const { retryAt = 0 } = map(api({ status: 429, headers: { 'Retry-After': '30' } }));
    expect(retryAt - at).toBeGreaterThanOrEqual(30_000);
    expect(retryAt - at).toBeLessThan(40_000);
    expect(map(api({ status: 401, headers: { 'retry-after': '30' } })).retryAt).toBeUndefined();
  });

  it.each([429, 503, 529])('says when to come back also with status %s', (statusCode) => {
    const overloaded = Object.assign(new Error('Busy.'), {
      statusCode,
      responseHeaders: { 'retry-after': '7' },
    });
    const before = Date.now();
    const { retryAt = 0 } = providerError(overloaded, { id: 'acme/m' }, false);
    expect(retryAt - before).toBeGreaterThanOrEqual(7000);
  });

  it('says so in its message, unless waiting does not help', () => {
    const messageOf = (seconds: string, body = {}): string =>
      map(api({ status: 429, headers: { 'retry-after': seconds }, body })).message;
    expect(messageOf('0')).toMatch(/ Try again in 1 s\.$/);
    expect(messageOf('30')).toMatch(/ Try again in (?:2\d|30) s\.$/);
    expect(messageOf('7200')).toMatch(/ Try again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.$/);
    expect(messageOf('30', { error: { code: 'insufficient_quota' } })).toMatch(/billing of the account\.$/);
  });
});

describe('the message', () => {
  const key = 'my-own-key-4711';

  it('says who failed, how, what was said, and what to do', () => {
    const error = openai(404, { message: 'No such\n model,', code: 'model_not_found' });
    expect(map(error).message).toBe(
      'acme/m at https://api.example/v1/chat failed (HTTP 404): No such model. There is no such model, or baseURL is wrong: fix whichever is wrong.',
    );
  });

  it('names where the key comes from', () => {
    const context = { id: 'acme/m', keySetting: 'ACME_API_KEY' };
    expect(providerError(openai(401, { message: 'No.' }), context, false).message).toContain(
      'The key is taken from ACME_API_KEY. Set a valid key.',
    );
  });

  it('has neither the key nor the request, nor has what the error holds', () => {
    const cause = Object.assign(new Error(`bearer ${key}`), { headers: { authorization: key } });
    const error = Object.assign(
      api({
        status: 401,
        message: `Wrong key ${key}`,
        body: { error: { message: `${key} is wrong` } },
        headers: { 'x-key': key },
        cause,
      }),
      { requestBodyValues: { key } },
    );
    const mapped = providerError(error, { id: 'acme/m', secrets: [key, ''] }, false);
    const all = [
      mapped.message,
      mapped.stack,
      JSON.stringify(mapped),
      JSON.stringify(mapped.cause),
      String((mapped.cause as Error).stack),
    ];
    expect(all.join('\n')).not.toContain(key);
    expect(all.join('\n')).not.toContain('the whole history');
    expect(mapped.cause).toMatchObject({
      name: 'AI_APICallError',
      statusCode: 401,
      url: 'https://api.example/v1/chat',
    });
  });

  it('is short, however much is said', () => {
    expect(
      map(api({ status: 500, message: 'x'.repeat(1_000_000), body: 'y'.repeat(1_000_000) })).message.length,
    ).toBeLessThan(700);
  });

  it('has the place in the config, where that is to blame', () => {
    const locate = (part?: string): { file: string; line: number } => ({
      file: 'shallot.config.yaml',
      line: part === 'apiKey' ? 3 : part === 'baseURL' ? 4 : 2,
    });
    const at = (error: unknown): unknown => providerError(error, { id: 'acme/m', locate }, false).at;
    expect(at(api({ status: 401 }))).toMatchObject({ line: 3 });
    expect(at(network('ENOTFOUND'))).toMatchObject({ line: 4 });
    expect(at(network('CERT_HAS_EXPIRED'))).toMatchObject({ line: 4 });
    expect(at(api({ status: 404 }))).toMatchObject({ line: 2 });
    expect(at(api({ status: 429 }))).toBeUndefined();
  });
});
