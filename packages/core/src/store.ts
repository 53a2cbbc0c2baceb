export { isClaimLive, type Claim } from './base/claim.ts';
export { checkClaim, checkFormat, checkReplace, checkRevision } from './sessions/commit-checks.ts';
export { dueAt, keepsStop, statusOf } from './sessions/due-at.ts';
export { openInterrupts, type AnswerOptions } from './sessions/interrupts.ts';
export { thisHost } from './base/this-process.ts';
export { decodeText, encodeText, parseFrozen } from './base/encode-text.ts';
export { recordFormat } from './contract/store.ts';
export { followRun, type FollowedEvent, type FollowOptions } from './workers/follow-run.ts';
export type { Queue } from './contract/work/queue.ts';
export { resubmitRun } from './workers/resubmit-run.ts';
export { stopRun } from './workers/stop-run.ts';
export { submitRun, type SubmitOptions } from './workers/submit-run.ts';
export type { WorkOptions } from './workers/work-options.ts';
export type {
  JournalEntry,
  JournalledCall,
  JournalledFailure,
  LiveEvents,
  OfferedTool,
  PublishedEvents,
  RunPosition,
  RunFailure,
  RunRecord,
  SessionChange,
  SessionFilter,
  SessionRecord,
  SessionStatus,
  SessionSummary,
  StateEntry,
  StateRecord,
  Store,
  Submission,
} from './contract/store.ts';
