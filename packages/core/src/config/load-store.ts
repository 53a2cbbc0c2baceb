import { memoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import type { Config } from './config.ts';
import { isStore } from './kinds.ts';
import type { Mention } from './locate.ts';
import { resolveMaker } from './resolve-maker.ts';

/** Finds what a config's `store` means, and gives the function that opens it. */
export function resolveStore({
  value,
  directory,
  locate,
}: Mention<NonNullable<Config['store']>>): () => Promise<Store> {
  if (isStore(value)) return () => Promise.resolve(value);
  const entry = typeof value === 'string' ? { use: value } : value;
  if (entry.use === 'memory') return () => Promise.resolve(memoryStore());
  return resolveMaker(entry, { directory, at: locate() }, { what: 'store', is: isStore });
}
