import { isShallotError, type ShallotError } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import { expect, it } from 'vitest';

import { testProject, toolModule } from '../test/project.ts';

/** Options that are wrong, and what is said of it; the line at fault is marked, or else it is that of the entry. */
const wrong: readonly (readonly [plugin: string, options: string, said: RegExp])[] = [
  ['limits', 'modelCalls: { run: -1 } # here', /it is -1/],
  ['limits', 'tokens:\n  run: .nan # here', /it is NaN/],
  ['limits', 'timeMs:\n  run: .inf # here', /it is Infinity/],
  ['limits', 'tokens: { run: 9, session: 3 } # here', /more than its session's 3/],
  ['limits', 'cost: { run: 1 }', /cost needs prices/],
  ['limits', 'toolCalls: { tools: { send_mial: { run: 1 } } } # here', /Did you mean "send_mail"/],
  ['resilience', 'modelRetry: { attempts: 0 } # here', /it is 0/],
  ['resilience', 'modelFallback: { models: [] } # here', /a list of at least 1/],
  ['resilience', 'modelFallback: { models: [openai/gpt-5-mini] } # here', /OPENAI_API_KEY/],
  ['resilience', 'toolRetry: { tools: [send_mial] }', /Did you mean "send_mail"/],
  ['resilience', 'timeouts: { toolMs: .inf } # here', /it is Infinity/],
  ['context-editing', 'lastN: 0 # here', /it is 0/],
  ['context-editing', 'clearToolResults: { exclude: [send_mial] }', /Did you mean "send_mail"/],
  ['toolset', 'hide: [send_mial]', /Did you mean "send_mail"/],
  ['toolset', 'search: { limit: 0 } # here', /it is 0/],
  ['redaction', 'own:\n  - name: id\n    pattern: "(" # here', /RE2's syntax/],
  ['redaction', 'own:\n  - name: id\n    pattern: "a*" # here', /empty string/],
  ['redaction', 'own:\n  - name: id\n    pattern: ".+" # here', /narrower/],
  ['redaction', 'detectors: { email: hide } # here', /"redact"/],
  ['repair', 'names: 1 # here', /true or false/],
];

it.each(wrong)('%s refuses "%s", with its line', async (plugin, options, said) => {
  const config = `model: ./model.ts
tools: [./tool.ts]
plugins:
  - use: ${plugin}
    options:
${options.replaceAll(/^/gm, '      ')}
`;
  const cwd = testProject({
    'shallot.config.yaml': config,
    'tool.ts': toolModule('send_mail'),
    'model.ts': `export default { id: 'test/model', generate: async () => { throw new Error('never'); } };`,
  });
  const error = await loadAgent({ cwd, env: {} }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const faults = isShallotError(error) ? [error, ...error.errors] : [];
  expect(faults.map(({ message }) => message).join('\n')).toMatch(said);
  const lines = config.split('\n');
  const marked = lines.findIndex((line) => line.includes('# here'));
  const entry = lines.findIndex((line) => line.includes('- use'));
  expect(faults.map(lineOf)).toContain((marked === -1 ? entry : marked) + 1);
});

function lineOf({ at }: ShallotError): number | undefined {
  return at?.line;
}
