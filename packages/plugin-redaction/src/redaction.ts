import { definePlugin, type RunInfo } from '@shallot/core';
import { redactionKey, type Redactor } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { detectors, kinds } from './detectors.ts';
import { redactionOptions, type Settings } from './options.ts';
import { migrateKept, Vault, type Kept } from './originals.ts';
import { originalsKey, RedactedCalls, type KeptOriginals } from './redacted-calls.ts';
import { markFinder, refusedFor } from './refuse-marks.ts';
import type { Action } from './replacements.ts';
import { sealKey } from './seal-key.ts';
import { secretKeys } from './secret-keys.ts';
import { redactionService } from './service.ts';
import type { Rules } from './text-redaction.ts';

/**
 * Redacts input and tool results before the model receives them, and model output before anything else receives it.
 */
export const redaction = definePlugin({
  name: 'redaction',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: { default: 62, wrapModelCall: 5 },
  options: redactionOptions,
  setup({ id, options, hooks, state, redactor, provide, directory }) {
    const rules = rulesOf(options, redactor);
    const key = sealKey({ ...options, directory });
    const vault = new Vault(key);
    const names = [...rules.actions.values()].includes('placeholder');
    const kept = names
      ? state<Kept>({
          key: originalsKey,
          tree: true,
          version: 2,
          initial: () => ({}),
          migrate: { 1: (old) => migrateKept(old, key) },
        })
      : undefined;
    const originals: KeptOriginals | undefined = kept && {
      forInput: (keep) => vault.forInput(keep),
      forRun: (run) => vault.forRun(kept, run),
    };
    const keptOf = (run: RunInfo): Kept => kept?.get(run) ?? {};
    const calls = new RedactedCalls(rules, originals);
    hooks.beforeAgent.tap({ name: 'new input', input: true, tree: true }, (messages, context) =>
      calls.input(messages, context),
    );
    hooks.beforeAgent.tap({ name: 'input', tree: true }, (run) => calls.redactInput(run));
    hooks.wrapModelCall.tapPromise({ name: 'answer', internal: true, tree: true }, (request, next, scope) =>
      calls.aroundModel(request, next, scope),
    );
    hooks.wrapToolCall.tapPromise({ name: 'values', tree: true }, (call, next, scope) =>
      calls.aroundTool(call, next, scope),
    );
    hooks.wrapToolCall.tap({ name: 'result', result: true, tree: true }, (result, _call, { run }) =>
      calls.result(result, run),
    );
    if (options.marks === 'refuse') {
      const firstMark = markFinder(rules.actions);
      // The outermost gate, so that nobody is asked about a call that is rejected in any case.
      hooks.wrapToolCall.tap({ name: 'marks', gate: true, priority: 100 }, (call, next, { run }) => {
        const mark = firstMark(call.input);
        if (mark === undefined) return next(call);
        const why = mark.startsWith('<')
          ? vault.reasonOf(keptOf(run), mark)
          : 'what it stands for was removed';
        return refusedFor(mark, why, call, id);
      });
    }
    provide(
      redactionKey(id),
      redactionService({ rules, calls, key, atHand: (run) => vault.atHand(keptOf(run)) }),
    );
  },
});

function rulesOf({ detectors: chosen, own, hashKey }: Settings, redactor: Redactor): Rules {
  const actions = new Map<string, Action>();
  for (const kind of kinds) {
    const action = chosen[kind];
    if (action !== false) actions.set(kind, action);
  }
  for (const { name, action } of own) actions.set(name, action);
  const isSecretKey = actions.has('secret') ? secretKeys(redactor) : () => false;
  return {
    actions,
    own,
    detectors: detectors.filter(({ kind }) => actions.has(kind)),
    hashKey: hashKey ?? '',
    redactor,
    isSecretKey,
    clean: new WeakSet(),
  };
}
