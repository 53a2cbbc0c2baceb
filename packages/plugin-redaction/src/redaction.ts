import { definePlugin, type RunInfo } from '@shallot/core';
import type { Redactor } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { kinds } from './detectors.ts';
import { redactionOptions, type Settings } from './options.ts';
import { Originals, type Kept } from './originals.ts';
import { RedactedCalls } from './redacted-calls.ts';
import type { Action } from './replacements.ts';
import { secretKeys } from './secret-keys.ts';
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
  setup({ options, hooks, state, redactor }) {
    const rules = rulesOf(options, redactor);
    const keepsOriginals = [...rules.actions.values()].includes('placeholder');
    const kept = keepsOriginals ? state<Kept>({ key: 'originals', initial: () => ({}) }) : undefined;
    const originalsOf = (run: RunInfo): Originals | undefined => kept && new Originals(kept, run);
    const calls = new RedactedCalls(rules, originalsOf);
    hooks.beforeAgent.tap('input', (run) => calls.redactInput(run));
    hooks.wrapModelCall.tapPromise({ name: 'answer', internal: true }, (request, next, scope) =>
      calls.aroundModel(request, next, scope),
    );
    hooks.wrapToolCall.tapPromise('result', (call, next, scope) => calls.aroundTool(call, next, scope));
  },
});

function rulesOf({ detectors, own, hashKey }: Settings, redactor: Redactor): Rules {
  const actions = new Map<string, Action>();
  for (const kind of kinds) {
    const action = detectors[kind];
    if (action !== false) actions.set(kind, action);
  }
  for (const { name, action } of own) actions.set(name, action);
  const isSecretKey = actions.has('secret') ? secretKeys(redactor) : () => false;
  return { actions, own, hashKey: hashKey ?? '', redactor, isSecretKey, clean: new WeakSet() };
}
