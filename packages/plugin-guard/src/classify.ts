import type { RunInfo } from '@shallot/core';
import { messageOf, type PluginSetup } from '@shallot/core/plugin';

import { askModel } from './ask-model.ts';
import { askUrl } from './ask-url.ts';
import type { ReadyCheck, TextToCheck } from './options.ts';
import { readVerdict, type Verdict } from './verdict.ts';

/** The verdict of a check, as it is stored. */
export interface Judged {
  readonly flagged: boolean;
  readonly reason: string;
  /** True if the classifier failed: the text counts as flagged. */
  readonly hasFailed: boolean;
}

/** The longest piece that a classifier gets at once, in characters. */
const maxPiece = 50_000;
/** The part that two pieces share, so that nothing hides in a cut. */
const overlap = 1000;

export interface Classifying {
  readonly generate: PluginSetup['generate'];
  readonly run: RunInfo;
  readonly signal: AbortSignal;
}

/** Classifies a text, piece by piece. A failure of the classifier counts as flagged. Rejects only if it is aborted. */
export async function classify(check: ReadyCheck, text: TextToCheck, place: Classifying): Promise<Judged> {
  for (let at = 0; at < text.text.length; at += maxPiece - overlap) {
    // Replaces a half of a cut character, which a classifier may refuse. The piece beside it has the whole character.
    const piece = { ...text, text: text.text.slice(at, at + maxPiece).toWellFormed() };
    const judged = await classifyPiece(check, piece, place);
    if (judged.flagged) return judged;
  }
  return { flagged: false, reason: '', hasFailed: false };
}

async function classifyPiece(check: ReadyCheck, text: TextToCheck, place: Classifying): Promise<Judged> {
  const { timeoutMs } = check.settings;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([place.signal, timeout]);
  try {
    const { flagged, reason = 'it gave no reason' } = await orAborted(
      ask(check, text, { ...place, signal }),
      signal,
    );
    return { flagged, reason, hasFailed: false };
  } catch (error) {
    place.signal.throwIfAborted();
    const why = timeout.aborted ? `it did not answer within ${timeoutMs} ms` : messageOf(error);
    return { flagged: true, reason: `the classifier failed: ${why}`, hasFailed: true };
  }
}

async function ask(check: ReadyCheck, text: TextToCheck, place: Classifying): Promise<Verdict> {
  const { url, headers, prompt, check: inCode } = check.settings;
  const { signal } = place;
  if (inCode !== undefined) return readVerdict(await inCode(text, signal));
  if (url !== undefined) return readVerdict(await askUrl(url, text, { headers, signal }));
  return readVerdict(await askModel(prompt ?? '', text, check, place));
}

/** Returns the result of work, or rejects on an abort, because a classifier in code may ignore its signal. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
