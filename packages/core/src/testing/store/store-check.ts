import type { ConformanceCheck } from '../conformance.ts';
import type { CreateStore, StoreSubject } from './store-subject.ts';

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
