import type { Store } from '../../contract/store.ts';
import type { ConformanceCheck } from '../conformance.ts';

/** A store to be tested, in which there is nothing yet. */
export interface StoreSubject {
  readonly store: Store;
  /**
   * How another process opens the same store: `(await import(module))[open](...args)`, with arguments that JSON can
   * hold. Without it nothing is tested with several processes.
   */
  readonly elsewhere?: {
    readonly module: string;
    readonly open: string;
    readonly args: readonly unknown[];
  };
  /** Makes a stored session's record look like one of a newer format. Without it refusing one is not tested. */
  readonly makeNewer?: (sessionId: string) => Promise<void>;
}

/** Makes a new store, each time another. The suite closes it. */
export type CreateStore = () => StoreSubject | Promise<StoreSubject>;

/** A check that gets a store of its own, which is closed after it. */
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
