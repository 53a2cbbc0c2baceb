import { definePlugin } from '@shallot/core';

import manifest from '../package.json' with { type: 'json' };
import { cacheMarks } from './cache-marks.ts';
import { promptCachingOptions } from './options.ts';
import { changesOf, prefixOf, type Prefix } from './prefix.ts';

/** Asks the provider to cache the beginning of each request, if it supports cache marks. */
export const promptCaching = definePlugin({
  name: 'prompt-caching',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 10,
  options: promptCachingOptions,
  setup({ options: { ttl, warn }, hooks, state }) {
    const last = state<Prefix | null>({ key: 'prefix', scope: 'run', initial: () => null });
    hooks.wrapModelCall.tap('mark', function mark(request, next, { run }) {
      const { cacheMarks: count = 0, id } = request.model;
      if (count === 0) return next(request);
      if (warn) {
        const before = last.get(run);
        const now = prefixOf(request, run.step, before);
        last.set(run, now);
        const changes = before === null ? [] : changesOf(before, now);
        if (changes.length > 0)
          run.warn('PREFIX_CHANGED', warningOf(changes, before?.step ?? 0, run.step, id));
      }
      return next({ ...request, cache: { ...cacheMarks(request, count), ...(ttl && { ttl }) } });
    });
  },
});

function warningOf(changes: readonly string[], before: number, step: number, model: string): string {
  return `${changes.join(', and ')} from step ${before} to step ${step}, so ${model} cannot use what it cached of them and of all that follows. To see which plugin changed them, run with --trace trace.jsonl and look at the layers in: shallot trace trace.jsonl`;
}
