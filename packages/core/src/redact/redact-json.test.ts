import { describe, expect, it } from 'vitest';

import { mendJson, redactJson } from './redact-json.ts';

const censor = '[redacted]';
const redacted = (json: string) => redactJson(json, { text: (text) => text.replace('hush', '…'), censor });

describe('JSON', () => {
  it.each([
    ['{"token":"a","n":1}', '{"token":"[redacted]","n":1}'],
    ['{"n":1,"token" : "a"}', '{"n":1,"token" : "[redacted]"}'],
    [String.raw`{"token":"a\"b\\","n":1}`, '{"token":"[redacted]","n":1}'],
    ['{"token":{"a":["}",{"b":1}]},"n":1}', '{"token":"[redacted]","n":1}'],
    ['{"token":[[1],"]"],"n":1}', '{"token":"[redacted]","n":1}'],
    ['{"token":1234,"n":1}', '{"token":"[redacted]","n":1}'],
    ['[{"token":1234}]', '[{"token":"[redacted]"}]'],
    ['{"token":-1.5e3\n}', '{"token":"[redacted]"\n}'],
    ['{"token":123,"n":1}', '{"token":123,"n":1}'],
    ['{"token":""}', '{"token":""}'],
    ['{"token":null,"password":true,"apiKey":false}', '{"token":null,"password":true,"apiKey":false}'],
    ['{"token":{}}', '{"token":"[redacted]"}'],
    ['["token","a"]', '["token","a"]'],
    ['{"a":"token","b":"c"}', '{"a":"token","b":"c"}'],
    ['{"a":"hush","hush":"b"}', '{"a":"…","…":"b"}'],
    ['{"the hush token":"a"}', '{"the … token":"[redacted]"}'],
    [' "hush" ', ' "…" '],
    [String.raw`["\u0068ush\n"]`, String.raw`["…\n"]`],
    ['[1, 2]', '[1, 2]'],
  ])('%s becomes %s', (json, wanted) => {
    expect(redacted(json)).toBe(wanted);
  });

  it.each(['', 'hush', '{"a":', '12', 'null', ' {a}', '[hush]'])('is not %j', (text) => {
    expect(redacted(text)).toBeUndefined();
  });
});

describe('JSON from which a secret was cut', () => {
  it.each([
    ['{"a":12[redacted]34}', '{"a":1255534}', '{"a":"[redacted]"}'],
    ['{"a":[redacted],"b":"[redacted]"}', '{"a":5551,"b":"5551"}', '{"a":"[redacted]","b":"[redacted]"}'],
    [
      String.raw`["\"[redacted]",[redacted]]`,
      String.raw`["\"5551",5551]`,
      String.raw`["\"[redacted]","[redacted]"]`,
    ],
  ])('%s is mended', (cut, before, mended) => {
    expect(mendJson(cut, { before, censor })).toBe(mended);
  });

  it.each([
    ['nothing was cut', '{"a":1}', '{"a":1}'],
    ['it is JSON as it is', '{"a":"[redacted]"}', '{"a":"x"}'],
    ['it was none before', '{"a":[redacted]', '{"a":5551'],
    ['it cannot be mended', '{"a":tr[redacted]}', '{"a":true}'],
    ['both are prose', 'a [redacted]', 'a 5551'],
  ])('stays as it is if %s', (_, cut, before) => {
    expect(mendJson(cut, { before, censor })).toBe(cut);
  });
});
