import { expect, it } from 'vitest';

import { assignmentGoesOn, redactAssigned } from './redact-assigned.ts';

it.each([
  ['token=abcd', 'token=[redacted]'],
  ['token=abc', 'token=abc'],
  ['token: \t abcd efgh', 'token: \t [redacted] efgh'],
  ['token=true token=abcd', 'token=true token=[redacted]'],
  ['token=trueish', 'token=[redacted]'],
  ['token=abcd,token=efgh;n', 'token=[redacted],token=[redacted];n'],
  ['token: "" n', 'token: "" n'],
  ['token: "a" n', 'token: "[redacted]" n'],
  // The value of a quoted name is quoted like it.
  [`{"token": abcd, n`, `{"token": "[redacted]", n`],
  [`{'token': 12345, n`, `{'token': '[redacted]', n`],
  [`['token'] => 12345;`, `['token'] => '[redacted]';`],
  [String.raw`{\"token\": 12345, n`, String.raw`{\"token\": \"[redacted]\", n`],
  [String.raw`{\\\"token\\\": [1], n`, String.raw`{\\\"token\\\": \\\"[redacted]\\\", n`],
  [String.raw`{\\"token\\": 12345`, String.raw`{\\"token\\": "[redacted]"`],
  ['token: { a: [1] } n', 'token: [redacted] n'],
  ['token: [1\n2] n', 'token: [redacted] n'],
  ['authorization: a, b c', 'authorization: [redacted]'],
  ['authorization: a, b c\r\nn', 'authorization: [redacted]\r\nn'],
  ['authorization: "a" n', 'authorization: "[redacted]" n'],
  ['token: { $env: A_KEY } n', 'token: { $env: A_KEY } n'],
  ['{"n":{"token":"abcd"}}', '{"n":{"token":"[redacted]"}}'],
  ['no name here', 'no name here'],
])('%s becomes %s', (text, redacted) => {
  expect(redactAssigned(text, '[redacted]')).toBe(redacted);
});

it.each([
  ['token=', true],
  ['token= \t', true],
  ['token=abcd', true],
  ['token=abcd ', false],
  ['token=abcd token=', true],
  ['token="ab', true],
  ['token="ab" ', false],
  ['token="" ', false],
  ['token=ab ', false],
  ['token: [1', true],
  ['token: [1\n', true],
  ['token: [1]', true],
  ['token: [1] ', false],
  ['authorization: ab cd', true],
  ['authorization: ab cd\n', false],
  ['nothing', false],
])('the value of %j may go on: %s', (text, goesOn) => {
  expect(assignmentGoesOn(text)).toBe(goesOn);
});
