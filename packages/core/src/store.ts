export { endClaim, isClaimLive, newClaim, type Claim } from './base/claim.ts';
export type { AnswerNote } from './contract/interrupt.ts';
export { checkClaim, checkFormat, checkReplace, checkRevision } from './sessions/stores/commit-checks.ts';
export { damagedSummary } from './sessions/stores/damaged-summary.ts';
export { dueAt, keepsStop, leavesMessages, statusOf, takesMessages } from './sessions/stores/due-at.ts';
export {
  encodedPrefix,
  filterSessions,
  type ListingOrder,
  type ListingPlace,
  type ListingWays,
} from './sessions/stores/filter-sessions.ts';
export { inboxFull } from './sessions/stores/inbox-full.ts';
export {
  maxInboxEntries,
  type InboxEntry,
  type InboxFilter,
  type InboxNews,
  type SentAnswers,
  type SentMessage,
} from './contract/work/inbox.ts';
export { nextAbout, runColumns, type RunColumns } from './sessions/stores/run-columns.ts';
export { openInterrupts } from './sessions/content/open-interrupts.ts';
export { countStats, storeStats, type CountedSession } from './sessions/stores/store-stats.ts';
export { thisHost } from './base/this-process.ts';
export { decodeText, encodeText, parseFrozen } from './base/encode-text.ts';
export { recordFormat } from './contract/store.ts';
export type { Queue } from './contract/work/queue.ts';
export type {
  ConfiguredPlugins,
  DeleteOptions,
  DutyTaken,
  MessagesFrom,
  JournalEntry,
  JournalledCall,
  JournalledFailure,
  LiveEvents,
  OfferedTool,
  PublishedEvents,
  RunPosition,
  RunFailure,
  RunAgent,
  RunRecord,
  SessionAbout,
  SessionChange,
  SessionFilter,
  SessionHead,
  SessionRecord,
  SessionStatus,
  SessionSummary,
  StateEntry,
  StateRecord,
  Store,
  StoreRights,
  StoreStats,
  TakeFilter,
  Submission,
  WaitingRuns,
} from './contract/store.ts';
