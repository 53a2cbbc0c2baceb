import type { Store } from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';

/** A new, empty store to test. */
export interface StoreSubject {
  readonly store: Store;
  /**
   * Opens the same store in another process: `(await import(module))[open](...args)`, where `args` are JSON values.
   * Default: none, and checks with several processes are skipped.
   */
  readonly elsewhere?: {
    readonly module: string;
    readonly open: string;
    readonly args: readonly unknown[];
  };
  /**
   * Makes the record of a stored session look like one of a newer format. Default: none, and refusal of newer formats
   * is not tested.
   */
  readonly makeNewer?: (sessionId: string) => Promise<void>;
}

/** Creates a new store with each call. The suite closes it. */
export type CreateStore = () => StoreSubject | Promise<StoreSubject>;

/** Returns a check with its own store, which is closed afterwards. */
export function storeCheck(
  create: CreateStore,
  name: string,
  check: (subject: StoreSubject) => Promise<void>,
): ConformanceCheck {
  return {
    name,
    async run() {
      const subject = await create();
      try {
        await check(subject);
      } finally {
        await subject.store.close?.();
      }
    },
  };
}
