import { sqliteStore } from '@shallot/core/sqlite';

import { defineSubject } from '../subject.ts';
import { temporaryFile } from '../temporary-file.ts';
import { walCommits } from '../wal-commits.ts';
import { shallotSubject } from './shallot.ts';

const file = temporaryFile('sessions.db');
const onDisk = shallotSubject({ openStore: () => sqliteStore(file) });

/** Shallot with async taps and sessions on the disk. */
export const subject = defineSubject({
  ...onDisk,
  create: async (workload, tally) => ({
    ...(await onDisk.create(workload, tally)),
    commits: () => walCommits(file),
  }),
});
