import { textOf, type ToolMessage } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import type { SessionRecord, Store } from '@shallot/core/store';

import type { Receipt } from './customer.ts';
import { readLedger, type LedgerEntry } from './ledger.ts';

export interface Report {
  /** The proof in words; empty if there is a fault. */
  readonly lines: readonly string[];
  /** Events that should not have happened. */
  readonly faults: readonly string[];
}

/** Compares what the customers saw, what the store has recorded, and what the tools wrote to the ledger. */
export async function makeReport(
  receipts: readonly Receipt[],
  { store, files }: { readonly store: Store; readonly files: Files },
): Promise<Report> {
  const faults: string[] = [];
  const counts = { calls: 0, again: 0, questions: 0, messages: 0 };
  for (const receipt of receipts) {
    const { sessionId, messages, questions } = receipt;
    const record = await store.load(sessionId);
    const ledger = await readLedger(files, sessionId);
    const results = resultsOf(record);
    faults.push(...faultsOf(receipt, record, ledger).map((fault) => `${sessionId}: ${fault}`));
    counts.calls += results.length;
    counts.again += ledger.length - results.length;
    counts.questions += questions.length;
    counts.messages += messages.length;
  }
  if (faults.length > 0) return { lines: [], faults };
  const { calls, again, questions, messages } = counts;
  const lines = [
    `- All ${receipts.length} sessions are completed.`,
    `- ${calls} tool calls have one result each. ${again} were in progress when their worker was killed, and were executed again.`,
    '- No call was executed again once its result was on record: the last entry of the ledger is the one in the conversation.',
    `- ${questions} questions were asked and answered, each once.`,
    `- ${messages} messages reached the customers, each once and in order, through whichever server.`,
  ];
  return { lines, faults };
}

function faultsOf(
  { outcome, messages, questions }: Receipt,
  record: SessionRecord | undefined,
  ledger: readonly LedgerEntry[],
): string[] {
  const faults: string[] = [];
  if (outcome !== 'completed' || record?.run?.status !== 'completed')
    faults.push(`it has ended as ${outcome}`);
  if (record?.claim !== undefined) faults.push('a process still has its claim');
  if (new Set(questions).size !== questions.length || questions.length !== 1)
    faults.push(`it asked ${questions.length} times`);
  const recorded = (record?.messages ?? []).map(({ id }) => id);
  if (recorded.join() !== messages.join())
    faults.push('the customer saw other messages than there are on record');
  const results = resultsOf(record);
  if (new Set(results.map(({ callId }) => callId)).size !== results.length)
    faults.push('a call has two results');
  for (const result of results) {
    const last = ledger.findLast(({ callId }) => callId === result.callId);
    if (last === undefined) faults.push(`${result.callId} has a result, but was not executed`);
    else if (!textOf(result).includes(last.entry))
      faults.push(`${result.callId} was executed after its result`);
  }
  const called = new Set(results.map(({ callId }) => callId));
  for (const { callId } of ledger) if (!called.has(callId)) faults.push(`the result of ${callId} was lost`);
  return faults;
}

function resultsOf(record: SessionRecord | undefined): readonly ToolMessage[] {
  return (record?.messages ?? []).filter((message) => message.role === 'tool');
}
