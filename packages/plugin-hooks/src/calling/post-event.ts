import { messageOf } from '@shallot/core/plugin';

import { failed, readOutput, type Outcome } from './outcome.ts';

const maxBytes = 1_000_000;

interface PostSetting {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends an event to a URL. A redirect and any status but 2xx are failures. Rejects only if it is aborted. */
export async function postEvent(url: string, body: string, setting: PostSetting): Promise<Outcome> {
  const timeout = AbortSignal.timeout(setting.timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...setting.headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([setting.signal, timeout]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const isElsewhere = response.status >= 300 && response.status < 400;
      return failed(
        `it answered with the status ${response.status}${isElsewhere ? ', and redirects are not followed' : ''}`,
      );
    }
    const { text, isCut } = await readBody(response);
    return readOutput(text, isCut);
  } catch (error) {
    setting.signal.throwIfAborted();
    if (timeout.aborted) return failed(`it did not answer within ${setting.timeoutMs} ms`);
    const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
    return failed(`it could not be reached: ${messageOf(error)}${cause}`);
  }
}

async function readBody(response: Response): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) return { text: '', isCut: true };
    pieces.push(piece);
  }
  return { text: Buffer.concat(pieces).toString('utf8'), isCut: false };
}
