import {
  array,
  assert,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import { createRedactor } from './redactor.ts';

const nothingKnown = createRedactor({ environment: false });

describe('secrets that are known', () => {
  it('come from variables whose names say so, and from passwords and headers in others', () => {
    const redactor = createRedactor({
      environment: {
        OPENAI_API_KEY: 'plain-value-of-openai',
        DB_PASSWORD: 'correct horse battery',
        DATABASE_URL: 'postgres://app:s3cr%23t-pass@db.local/app',
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=otel-value-1,x-team=Bearer%20other-value-2',
        API_KEYS: 'first-key-0123456789,second-key-0123456789',
        PWD: '/home/someone',
        SSH_AUTH_SOCK: '/tmp/agent.sock',
        MAX_TOKENS: '12345678',
        SHORT_KEY: 'abc',
        AGENT_NAME: 'bee-club-agent',
      },
    });
    const shown = [
      'plain-value-of-openai',
      'correct horse battery',
      's3cr%23t-pass',
      's3cr#t-pass',
      'otel-value-1',
      'other-value-2',
      'first-key-0123456789',
      'second-key-0123456789',
    ];
    for (const secret of shown) expect(redactor.text(`it is ${secret}.`)).toBe('it is [redacted].');
    const harmless = '/home/someone /tmp/agent.sock 12345678 abc bee-club-agent';
    expect(redactor.text(harmless)).toBe(harmless);
  });

  it('are found as numbers, as lines of a private key, and as members of JSON', () => {
    const redactor = createRedactor({
      environment: {
        VAULT_PIN_SECRET: '123456789',
        DEPLOY_KEY: '-----BEGIN KEY-----\nMIIEpAIBAAKCAQEAline1\nMIIEpAIBAAKCAQEAline2\n-----END KEY-----',
        GOOGLE_CREDENTIALS: '{"user":"someone-somewhere","private_key":"hidden-in-json-value"}',
      },
    });
    expect(redactor.value({ a: 123456789, b: 123456789n, c: 12345 })).toEqual({
      a: '[redacted]',
      b: '[redacted]',
      c: 12345,
    });
    expect(redactor.text('MIIEpAIBAAKCAQEAline2 someone-somewhere hidden-in-json-value')).toBe(
      '[redacted] someone-somewhere [redacted]',
    );
  });

  it('are found however they are escaped', () => {
    const secret = 'pä"ss\\wörd 🐝\n=/+end';
    const { text } = createRedactor({ environment: false, secrets: [secret] });
    const json = (value: unknown): string => JSON.stringify(value);
    const forms = [
      secret,
      json(secret),
      json(json({ a: secret })),
      json(json(json([secret]))),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      json(secret).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
      Buffer.from(secret).toString('base64'),
      Buffer.from(`user:${secret}`).toString('base64url'),
      Buffer.from(`someone:${secret}:x`).toString('base64'),
    ];
    for (const form of forms) {
      expect(text(form)).toContain('[redacted]');
      expect(text(form)).not.toMatch(/w(ö|%C3%B6)rd|end/i);
    }
  });

  it('of which one holds another are removed whole', () => {
    const { text } = createRedactor({ environment: false, secrets: ['secret', 'secret-and-more'] });
    expect(text('secret-and-more')).toBe('[redacted]');
    expect(createRedactor({ environment: false, secrets: ['abc!def99'] }).text('Bearer abc!def99')).toBe(
      'Bearer [redacted]',
    );
  });

  it('can be added, and leave the first redactor as it was', () => {
    const more = nothingKnown.with({ secrets: ['one-more', ''], patterns: [/ACME-\d(\d)/] });
    expect(more.text('one-more ACME-12 ACME-34')).toBe('[redacted] [redacted] [redacted]');
    expect(nothingKnown.text('one-more')).toBe('one-more');
  });

  it('are refused when they are too short, without being named', () => {
    expect(() => createRedactor({ secrets: ['long enough', 'xyz'] })).toThrow(
      /^secrets\[1\] is shorter than 4/,
    );
    expect(() => createRedactor({ patterns: ['x' as unknown as RegExp] })).toThrow(
      /^patterns\[0\] is a string/,
    );
    expect(() => nothingKnown.with({ secrets: ['xyz'] })).toThrow(/^secrets\[0\] is shorter than 4/);
    expect(() => nothingKnown.with({ patterns: [/x/, 'x' as unknown as RegExp] })).toThrow(
      /^patterns\[1\] is a string/,
    );
    expect(nothingKnown.with({ secrets: ['wxyz'] }).text('a wxyz')).toBe('a [redacted]');
  });
});

const lookalikes = {
  OpenAI: 'sk-proj-abcdefghijklmnop0123',
  Anthropic: 'sk-ant-api03-AbCdEfGhIjKlMnOp',
  Google: 'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  GitHub: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'GitHub, fine': 'github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz',
  GitLab: 'glpat-abcdefghij0123456789',
  AWS: 'AKIAIOSFODNN7EXAMPLE',
  Slack: 'xoxb-1234567890-abcdefghij',
  Stripe: 'sk_live_abcdefghijklmnop0123',
  npm: 'npm_abcdefghijklmnopqrstuvwxyz0123456789',
  'Hugging Face': 'hf_abcdefghijklmnopqrstuvwxyzabcd',
  SendGrid: 'SG.abcdefghijklmnopqrst.abcdefghijklmnopqrst',
  JWT: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
  'a private key': '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc/+=\n-----END RSA PRIVATE KEY-----',
};

describe('what looks like a secret', () => {
  it.each(Object.entries(lookalikes))('%s', (_name, secret) => {
    expect(nothingKnown.text(`before ${secret} after`)).toBe('before [redacted] after');
    expect(nothingKnown.text(JSON.stringify(JSON.stringify({ a: secret })))).toBe(
      '"{\\"a\\":\\"[redacted]\\"}"',
    );
  });

  it.each([
    ['Authorization: Bearer abc.def-123', 'Authorization: [redacted]'],
    ['got Bearer abcdefgh1234, why', 'got Bearer [redacted], why'],
    ['x-API-key: abcd efg', 'x-API-key: [redacted] efg'],
    ['https://api.example/v1?api_key=abc123&x=1', 'https://api.example/v1?api_key=[redacted]&x=1'],
    ['to=https%3A%2F%2Fx%3Ftoken%3Dabc123', 'to=https%3A%2F%2Fx%3Ftoken%3D[redacted]'],
    ['postgres://app:pa55@word@db/x', 'postgres://app:[redacted]@db/x'],
    ['https://0123456789abcdef0123@host/', 'https://[redacted]@host/'],
    [`{ apiKey: 'a b"c', n: 1 }`, `{ apiKey: '[redacted]', n: 1 }`],
    [String.raw`{"password":"a\"b\\","n":1}`, `{"password":"[redacted]","n":1}`],
    [
      String.raw`"{\"client_secret\":\"a\\\"b\",\"n\":1}"`,
      String.raw`"{\"client_secret\":\"[redacted]\",\"n\":1}"`,
    ],
    [`{"set-cookie":["a=b; c", "d"],"n":["e"]}`, `{"set-cookie":"[redacted]","n":["e"]}`],
    [`'X-Api-Key' => 'abc'`, `'X-Api-Key' => '[redacted]'`],
    [`{"password":{"from":"a}","to":null},"n":1}`, `{"password":"[redacted]","n":1}`],
    [
      String.raw`"{\"credentials\":[{\"a\":\"b\\\"]\"}],\"pin_token\":12345678}"`,
      String.raw`"{\"credentials\":\"[redacted]\",\"pin_token\":\"[redacted]\"}"`,
    ],
    ['{ token: [ 1, { a: 2 } ], n: 3 }', '{ token: [redacted], n: 3 }'],
    ['credentials: { open\nnext', 'credentials: [redacted]\nnext'],
    ['Cookie: a=b; c=d\nAccept: */*', 'Cookie: [redacted]\nAccept: */*'],
  ])('%s', (text, redacted) => {
    expect(nothingKnown.text(text)).toBe(redacted);
    expect(nothingKnown.text(redacted)).toBe(redacted);
  });

  it.each([
    'write apiKey: { $env: OPENAI_API_KEY } in the entry',
    'a URL like postgres://USER:PASSWORD@HOST:5432/DATABASE',
  ])('but not the name of a variable, or a word to fill in: %s', (text) => {
    expect(nothingKnown.text(text)).toBe(text);
  });

  it('is found beside the name of a variable, and where a default is written out', () => {
    expect(nothingKnown.text('apiKey: { $env: A_KEY, default: open-sesame }')).toBe('apiKey: [redacted]');
    expect(nothingKnown.text('apiKey: { $env: A_KEY } token: open-sesame')).toBe(
      'apiKey: { $env: A_KEY } token: [redacted]',
    );
    expect(nothingKnown.text('postgres://app:PASSWORDS@host/x')).toBe('postgres://app:[redacted]@host/x');
  });

  it.each([
    [
      { a: 'it ends in token=', b: 'kept' },
      { a: 'it ends in token=', b: 'kept' },
    ],
    [
      { a: `it's password='open`, b: ['kept'] },
      { a: `it's password='[redacted]`, b: ['kept'] },
    ],
    [
      { a: 'bad token: [x', b: 'kept' },
      { a: 'bad token: [redacted]', b: 'kept' },
    ],
    [
      { a: '{"secret":"s","b":"token="}', c: 1 },
      { a: '{"secret":"[redacted]","b":"token="}', c: 1 },
    ],
    [{ 'a token=': { b: 'kept' } }, { 'a token=': { b: 'kept' } }],
    [
      { pass: 's}"', token: [1, '"]', { a: '{' }], b: 1 },
      { pass: '[redacted]', token: '[redacted]', b: 1 },
    ],
    [
      { token: {}, pin_token: 12345678, the_token: 0 },
      { token: '[redacted]', pin_token: '[redacted]', the_token: 0 },
    ],
  ])('but no more than a string of JSON: %j', (given, redacted) => {
    const json = JSON.stringify(given);
    expect(JSON.parse(nothingKnown.text(json))).toEqual(redacted);
    expect(JSON.parse(JSON.parse(nothingKnown.text(JSON.stringify(json))) as string)).toEqual(redacted);
  });

  it('may be numbers of JSON', () => {
    const { text } = createRedactor({ environment: false, secrets: ['12345678'] });
    expect(text('{"pin": 12345678, "list": [-9912345678.5, 1], "text": "1 12345678 \\" 2"}')).toBe(
      '{"pin": "[redacted]", "list": ["[redacted]", 1], "text": "1 [redacted] \\" 2"}',
    );
    expect(text('[12345678, unquoted]')).toBe('[[redacted], unquoted]');
  });

  it('leave JSON as it is written', () => {
    expect(nothingKnown.text('{ "id" : 12345678901234567890,\n  "token" : "x",\t"n": 1.0 }\n')).toBe(
      '{ "id" : 12345678901234567890,\n  "token" : "[redacted]",\t"n": 1.0 }\n',
    );
  });

  it.each([
    'maxTokens: 4096, input_tokens: 123456, tokenizer: cl100k_base',
    'the task-force-management-system is a scikit',
    'run_0b6f9bcd-62cf-4b14-8d3c-1e9f2f1f7a10 in 12 ms, at 2026-11-22T01:28:07.123Z',
    'https://example.com:8080/a?b=c#d and git@github.com:a/b.git',
    '{"password":"","token":null,"key":"name","apiKey":true}',
    'basic understanding, bearer of news',
  ])('but not: %s', (text) => {
    expect(nothingKnown.text(text)).toBe(text);
  });
});

describe('values', () => {
  const { value } = createRedactor({ environment: false, secrets: ['hush-hush'] });

  it('are copied with their texts and keys redacted, and nothing else', () => {
    const given = { a: [1, true, null, { b: 'x hush-hush' }], 'hush-hush': 1, c: undefined };
    expect(value(given)).toEqual({
      a: [1, true, null, { b: 'x [redacted]' }],
      '[redacted]': 1,
      c: undefined,
    });
    expect(given.a[3]).toEqual({ b: 'x hush-hush' });
  });

  it('lose what stands under the name of a secret, in any case, all the way down', () => {
    const headers = { AUTHORIZATION: 'x', 'X-aPi-KeY': ['y', 2], accept: 'z' };
    expect(value({ headers, credentials: { user: 'u', deep: { n: 1, b: true } }, password: '' })).toEqual({
      headers: { AUTHORIZATION: '[redacted]', 'X-aPi-KeY': ['[redacted]', '[redacted]'], accept: 'z' },
      credentials: { user: '[redacted]', deep: { n: '[redacted]', b: true } },
      password: '',
    });
    expect(value(['Accept', 'a', 'X-API-Key', 'b', 'a fine token', 'c'])).toEqual([
      'Accept',
      'a',
      'X-API-Key',
      '[redacted]',
      'a fine token',
      'c',
    ]);
    expect(value(new Headers({ Cookie: 'c', Accept: 'a' }))).toEqual({ cookie: '[redacted]', accept: 'a' });
    expect(value(new Map([['token', 't']]))).toEqual({ token: '[redacted]' });
  });

  it('of errors are message, stack, cause and what they carry', () => {
    const cause = new TypeError('hush-hush inside');
    const error = Object.assign(new Error('no hush-hush', { cause }), {
      config: { headers: { 'x-api-key': 'plain' }, url: 'https://u:pw123456@h/' },
    });
    expect(value({ error })).toMatchObject({
      error: {
        type: 'Error',
        message: 'no [redacted]',
        stack: expect.stringMatching(/^Error: no \[redacted\]\n/) as string,
        cause: { type: 'TypeError', message: '[redacted] inside' },
        config: { headers: { 'x-api-key': '[redacted]' }, url: 'https://u:[redacted]@h/' },
      },
    });
    expect(JSON.stringify(value(new AggregateError([error], 'several')))).not.toContain('hush');
  });

  it("of a run's error tell nothing of what was said in the run", () => {
    const error = new ShallotError('MODEL_FAILED', { message: 'no tea left' });
    const shown = value(Object.assign(error, { result: { text: 'what was said' }, status: 503 }));
    expect(shown).toMatchObject({ code: 'MODEL_FAILED', message: 'no tea left', status: 503 });
    expect(shown).not.toHaveProperty('result');
    expect(value(Object.assign(new Error('not ours'), { result: 'kept' }))).toMatchObject({ result: 'kept' });
  });

  it('may be anything', () => {
    const circular: Record<string, unknown> = { url: new URL('https://a:hush-hush@b/'), when: new Date(0) };
    circular['self'] = circular;
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    const trap = {
      get a(): string {
        throw new Error('no');
      },
      b: 1,
    };
    const json = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    let deep: unknown = 'end';
    for (let depth = 0; depth < 5000; depth += 1) deep = { deep };
    const all = {
      circular,
      hostile,
      trap,
      json,
      deep,
      f: () => 1,
      s: Symbol('hush-hush'),
      buffer: Buffer.from('x'),
      set: new Set(['hush-hush']),
      bare: Object.assign(Object.create(null) as object, { a: 1 }),
      proto: JSON.parse('{"__proto__":{"x":1}}') as unknown,
    };
    expect(value({ ...all, deep: undefined })).toEqual({
      circular: { url: 'https://a:[redacted]@b/', when: '1970-01-01T00:00:00.000Z', self: '[circular]' },
      hostile: '[unreadable]',
      trap: { a: '[unreadable]', b: 1 },
      json: '[unreadable]',
      f: '[function]',
      s: 'Symbol([redacted])',
      buffer: '[1 bytes]',
      set: ['[redacted]'],
      bare: { a: 1 },
      proto: JSON.parse('{"__proto__":{"x":1}}') as unknown,
    });
    expect(JSON.stringify(value(deep))).toContain('[nested too deep]');
    expect(JSON.stringify(value(Array.from({ length: 100_000 }, () => ({})))).length).toBeLessThan(2_000_000);
  });
});

describe('any text', () => {
  const secrets = ['pa"ss\\word', 'plain-secret', 'with spaces & signs!', '"quoted-secret"'];
  const { text } = createRedactor({ environment: false, secrets });
  // Nothing that ends in an open quote or the sign of an assignment: a quote behind it would be taken for its own.
  const piece = oneof(
    string({ unit: constantFrom('a', '1', ' ', 'ä', '{', '}', '🐝', '\n') }),
    constantFrom(...secrets, ...Object.values(lookalikes)),
    constantFrom('"', '\\', '\\"', "'", '[', ']', ',', ' '),
    constantFrom(
      'token=abcdef ',
      '"apiKey":"a" ',
      'Authorization: a',
      'password',
      'https://u:p@host',
      'Bearer ',
    ),
  );
  const mixed = array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  // In JSON it is known where a string ends.
  const open = constantFrom(
    'token=',
    "password='",
    'the token: {',
    'credentials: [',
    'apiKey="',
    '"secret":',
  );
  const ended = tuple(mixed, oneof(open, constantFrom(''))).map((pieces) => pieces.join(''));

  it('that is JSON stays JSON, and loses its secrets', () => {
    const value = letrec((tie) => ({
      any: oneof({ maxDepth: 3 }, ended, integer(), array(tie('any')), dictionary(ended, tie('any'))),
    })).any;
    assert(
      property(value, integer({ min: 1, max: 3 }), (given, times) => {
        let json = JSON.stringify(given);
        for (let time = 1; time < times; time += 1) json = JSON.stringify(json);
        let back: unknown = text(json);
        for (let time = 0; time < times; time += 1) back = JSON.parse(back as string);
        expect(JSON.stringify(back)).not.toContain('plain-secret');
      }),
      { numRuns: 300 },
    );
  });

  it('is redacted once for all', () => {
    const check = (given: string): boolean => text(text(given)) === text(given);
    expect(() => assert(property(mixed, check), { numRuns: 300 })).not.toThrow();
  });

  it.each([
    'sk-',
    'eyJ',
    '-eyJ',
    '://',
    '://a:',
    ':',
    '\\',
    '"',
    '\\"',
    'bearer ',
    'token=',
    'token="',
    "token='\\",
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    'a.',
    '1',
    'authorization:',
    'cookie:[',
    'token:{"',
    'token:{[{',
    'a@',
    'pa',
    'pa\\',
    'with%20',
    '%',
    ' ',
    '\n',
    'SG.aaaaaaaaaaaaaaaa',
    'password',
    'api_',
  ])('takes time in proportion to its length: %j', (part) => {
    const time = (length: number): number => {
      const given = part.repeat(Math.ceil(length / part.length));
      const started = process.cpuUsage();
      text(given);
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000;
    };
    const best = (length: number): number => Math.min(time(length), time(length), time(length));
    const short = best(25_000);
    // In proportion, 16 times the text takes 16 times as long; a square of it would be 256 times.
    expect(best(400_000) / (short + 1)).toBeLessThan(64);
  });
});

describe('a text that comes in pieces', () => {
  const { isOpen } = createRedactor({ environment: { DB_PASSWORD: 'correct horse battery' } });

  it.each([
    'the api ',
    'secret access ',
    'token = ',
    '"password": "two ',
    'credentials: [1, ',
    'credentials: {\n  a: 1\n',
    'Authorization: Bearer abc ',
    'use bearer ',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n',
    'it is correct horse ',
  ])('is open where a secret may go on: %s', (text) => {
    expect(isOpen(text)).toBe(true);
  });

  it.each([
    'an author ',
    'token = abcd1234 ',
    '"password": "two words", ',
    'credentials: [1, 2] ',
    'Authorization: Bearer abc\n',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n',
    'a horse ',
  ])('is not where none does: %s', (text) => {
    expect(isOpen(text)).toBe(false);
  });

  it('is open to the end of the line where a pattern of the application is looked for', () => {
    const { isOpen } = createRedactor({ environment: false, patterns: [/a b/] });
    expect([isOpen('x '), isOpen('x\n')]).toEqual([true, false]);
  });
});
