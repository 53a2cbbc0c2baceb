import { describe, expect, it } from 'vitest';

import { runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { RunAgent } from '../../contract/store.ts';
import { refuseForeign } from './refuse-foreign.ts';

const saying = (text: string): unknown => expect.stringContaining(text);

function refuse(own: RunAgent | undefined, agent: RunAgent | undefined, isSameVersionOnly = false): void {
  const run = runRecord('r', 'running');
  refuseForeign(
    { identity: own, name: 'm/m' },
    's',
    agent === undefined ? run : { ...run, agent },
    isSameVersionOnly,
  );
}

const one = { id: 'a', version: '1' };
const two = { id: 'a', version: '2' };

describe('an agent', () => {
  it.each<[string, RunAgent | undefined, RunAgent | undefined, boolean]>([
    ['of nobody', one, undefined, true],
    ['of nobody, without a name of its own', undefined, undefined, false],
    ['of its own', one, one, true],
    ['of another version of itself', two, one, false],
    ['of itself without a version', one, { id: 'a' }, true],
  ])('resumes a run %s', (_, own, agent, isSameVersionOnly) => {
    expect(() => refuse(own, agent, isSameVersionOnly)).not.toThrow();
  });

  it.each<[string, RunAgent | undefined, RunAgent, boolean, string]>([
    ['of another agent', one, { id: 'b' }, false, 'agent "b", and this agent is "a@1"'],
    ['of another agent, without a name', undefined, two, false, '"a@2", and this agent "m/m" has no name'],
    ['of another version, if it has to be the same', two, one, true, '"a@1", and this agent is "a@2"'],
    ['of a version, if it has none itself', { id: 'a' }, one, true, '"a@1", and this agent is "a"'],
  ])('refuses a run %s', (_, own, agent, isSameVersionOnly, message) => {
    expect(() => refuse(own, agent, isSameVersionOnly)).toThrow(
      expect.objectContaining({ code: 'RUN_OF_ANOTHER_AGENT', message: saying(message) }),
    );
  });
});
