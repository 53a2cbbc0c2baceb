import { ShallotError } from '@shallot/core';
import type * as Graphile from 'graphile-worker';

/** Loads graphile-worker, which only queues need. @throws `MODULE_NOT_FOUND` */
export async function loadGraphile(): Promise<typeof Graphile> {
  try {
    return await import('graphile-worker');
  } catch (cause) {
    throw new ShallotError('MODULE_NOT_FOUND', {
      message:
        'The queue of @shallot/store-postgres needs the package graphile-worker. Run: npm install graphile-worker',
      cause,
    });
  }
}
