export { isClaimLive, type Claim } from './base/claim.ts';
export type {
  JournalEntry,
  JournalledCall,
  JournalledFailure,
  OfferedTool,
  RunPosition,
  RunRecord,
  SessionChange,
  SessionFilter,
  SessionRecord,
  SessionSummary,
  StateEntry,
  StateRecord,
  Store,
} from './contract/store.ts';
