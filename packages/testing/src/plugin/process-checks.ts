import assert from 'node:assert/strict';

import { memoryStore } from '@shallot/core';
import { type Files, memoryFiles } from '@shallot/core/files';
import type { Store } from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';
import { echoingModel, resultOf, type PluginSubject } from '../plugin-suite.ts';

/** Returns checks of a plugin's effects on the process that it shares with others, and of its work outside of runs. */
export function processChecks(subject: PluginSubject): ConformanceCheck[] {
  return [
    { name: 'does no work until there is a run', run: () => doesNoWork(subject) },
    { name: 'prints nothing', run: () => printsNothing(subject) },
    { name: 'leaves globals as they are', run: () => leavesGlobals(subject) },
  ];
}

async function doesNoWork(subject: PluginSubject): Promise<void> {
  const work: string[] = [];
  const model = echoingModel();
  const files = watched<Files>(subject.files ?? memoryFiles(), ['write', 'append', 'remove'], work, 'files');
  const store = watched<Store>(memoryStore(), ['commit', 'delete'], work, 'the store');
  subject.plugin();
  await subject.withAgent({ model, files, store }, async () => {});
  if (model.calls > 0) work.push(`${model.calls} calls of the model`);
  assert.deepEqual(
    work,
    [],
    'the plugin works though its agent was only started and closed; do that in beforeAgent or later, when a run needs it',
  );
}

/** Returns the same object with calls of some methods recorded. */
function watched<T extends object>(
  target: T,
  methods: readonly (keyof T)[],
  work: string[],
  what: string,
): T {
  return new Proxy(target, {
    get(object, key) {
      const member: unknown = Reflect.get(object, key);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (methods.some((name) => name === key)) work.push(`${String(key)} of ${what}`);
        return Reflect.apply(member, object, args);
      };
    },
  });
}

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir'] as const;

async function printsNothing(subject: PluginSubject): Promise<void> {
  const printed: string[] = [];
  const undo: (() => void)[] = [];
  const replace = (owner: object, key: string, what: string): void => {
    const before: unknown = Reflect.get(owner, key);
    const note = (text: unknown): boolean => printed.push(`${what}: ${String(text).trim().slice(0, 80)}`) > 0;
    Reflect.set(owner, key, note);
    undo.push(() => Reflect.set(owner, key, before));
  };
  for (const method of consoleMethods) replace(console, method, `console.${method}`);
  for (const stream of ['stdout', 'stderr'] as const) replace(process[stream], 'write', `process.${stream}`);
  try {
    await subject.withAgent({}, (agent) => resultOf(agent.run('Tell me of onions.')));
  } finally {
    for (const restore of undo) restore();
  }
  const advice =
    'stdout belongs to the answer, and stderr to the program; write to the log of setup or of the run';
  assert.deepEqual(printed, [], `the plugin prints; ${advice}`);
}

async function leavesGlobals(subject: PluginSubject): Promise<void> {
  const before = globalsNow();
  const during = await subject.withAgent({}, async (agent) => {
    await resultOf(agent.run('Tell me of onions.'));
    return globalsNow();
  });
  const changed = [...new Set([...before.keys(), ...during.keys()])].filter(
    (name) => before.get(name) !== during.get(name),
  );
  assert.deepEqual(
    changed,
    [],
    'the plugin changes what all code of the process shares; keep it to yourself, or wrap the calls in your hooks',
  );
}

/**
 * Returns everything that the code of a process shares: globals, methods that plugins might patch, the environment
 * and the directory.
 */
function globalsNow(): Map<string, unknown> {
  const found = new Map<string, unknown>([['process.cwd()', process.cwd()]]);
  const look = (owner: object, label: string): void => {
    for (const key of Object.getOwnPropertyNames(owner)) {
      // Schema libraries keep their registries in such globals.
      if (key.startsWith('__')) continue;
      const value: unknown = Object.getOwnPropertyDescriptor(owner, key)?.value;
      found.set(
        `${label}${key}`,
        typeof value === 'function' || typeof value === 'string' ? value : typeof value,
      );
    }
  };
  look(globalThis, '');
  look(process.env, 'process.env.');
  for (const [label, owner] of Object.entries({ console, Math, JSON, Date, Promise, Object, process })) {
    look(owner, `${label}.`);
  }
  for (const type of [Object, Array, Function, String, Number, Promise, Error, Date, RegExp, Map, Set]) {
    look(type.prototype as object, `${type.name}.prototype.`);
  }
  return found;
}
