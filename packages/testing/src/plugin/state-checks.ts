import assert from 'node:assert/strict';

import { type JsonValue, memoryStore } from '@shallot/core';
import { messageOf, type PluginState } from '@shallot/core/plugin';

import type { ConformanceCheck } from '../conformance.ts';
import { resultOf, type PluginSubject } from '../plugin-suite.ts';
import { jsonFault } from './json-fault.ts';
import { probePlugin, type StateSpec } from './probe-plugin.ts';

const sessionId = 'conformance';

/** Returns checks of the state that a plugin declares. */
export function stateChecks(subject: PluginSubject): ConformanceCheck[] {
  return [
    { name: 'declares state that is plain JSON', run: () => declaresJson(subject) },
    { name: 'migrates its state from every older version', run: () => migratesState(subject) },
  ];
}

async function declaredStates(subject: PluginSubject): Promise<StateSpec[]> {
  const specs: StateSpec[] = [];
  const plugins = [probePlugin(subject.plugin(), ({ spec }) => specs.push(spec))];
  await subject.withAgent({ plugins }, async () => {});
  return specs;
}

async function declaresJson(subject: PluginSubject): Promise<void> {
  for (const { key, version = 1, initial } of await declaredStates(subject)) {
    assert.ok(version >= 1, `the state "${key}" has version ${version}; versions count from 1`);
    const first = initial();
    const fault = jsonFault(first, `the initial value of the state "${key}"`);
    assert.ok(
      fault === undefined,
      `${fault} State is stored: keep plain JSON in it, and make the rest from that.`,
    );
    assert.ok(
      Object.isFrozen(first) || initial() !== first,
      `the state "${key}" has one initial object for all sessions; let initial make a new one: () => ({ … })`,
    );
  }
}

async function migratesState(subject: PluginSubject): Promise<void> {
  for (const spec of await declaredStates(subject)) {
    const { key, version = 1, migrate = {} } = spec;
    for (let older = 1; older < version; older += 1) {
      assert.ok(
        typeof migrate[older] === 'function',
        `the state "${key}" is at version ${version}, and nothing migrates version ${older}: add migrate: { ${older}: (old) => … }, which makes version ${older + 1}`,
      );
      const example = subject.olderState[key]?.[older];
      assert.ok(
        example !== undefined,
        `no example of the state "${key}" in version ${older}: add olderState: { ${JSON.stringify(key)}: { ${older}: … } } to the suite, with a value as that version stored it`,
      );
      await continuesWith(subject, spec, older, example);
    }
  }
}

/**
 * Checks that the state of an older version can be migrated and, if it is that of a session, that a run continues with it.
 */
async function continuesWith(
  subject: PluginSubject,
  { key, scope = 'session', version = 1, migrate = {} }: StateSpec,
  older: number,
  example: JsonValue,
): Promise<void> {
  const where = `from version ${older} of the state "${key}"`;
  let value = example;
  for (let step = older; step < version; step += 1) {
    try {
      value = migrate[step]?.(value) ?? null;
      const fault = jsonFault(value, `what the migration of version ${step} makes`);
      if (fault !== undefined) throw new Error(fault);
    } catch (error) {
      assert.fail(
        `the migration ${where} fails at version ${step}: ${messageOf(error)}; return plain JSON for every value that was stored`,
      );
    }
  }
  // Only a resumed run has state of a run, and an older version of the plugin would have to begin it.
  if (scope === 'run') return;
  const store = memoryStore();
  const { name } = subject.definition;
  await store.commit(sessionId, 0, { state: { [name]: { [key]: { version: older, value: example } } } });
  const states = new Map<string, PluginState<unknown>>();
  const read = probePlugin(
    subject.plugin(),
    ({ spec, state }) => states.set(spec.key, state),
    ({ hooks }) => hooks.beforeAgent.tap('read', (run) => void states.get(key)?.get(run)),
  );
  const { outcome, error, errors } = await subject.withAgent({ store, plugins: [read] }, (agent) =>
    resultOf(agent.run('Tell me of onions.', { sessionId })),
  );
  const advice = 'make the migrations give what the plugin reads';
  assert.notEqual(outcome, 'failed', `a run fails ${where}: ${messageOf(error)}; ${advice}`);
  assert.deepEqual(errors.map(messageOf), [], `an afterAgent hook fails ${where}; ${advice}`);
}
