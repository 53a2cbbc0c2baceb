import type { FetchLike } from '@modelcontextprotocol/client';

/** Statuses of responses without a body. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Wraps `fetch` with a limit on the memory for a response: for its whole body, or for a single event of a stream.
 * `onOverflow` is called when it is exceeded, because the client reports only that the response broke off.
 */
export function boundedFetch(
  fetch: FetchLike,
  maxBytes: number,
  onOverflow: (error: Error) => void = () => {},
): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null || bodiless.has(status)) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const bounded = new Response(body.pipeThrough(limit(maxBytes, isStream, onOverflow)), {
      status,
      statusText,
      headers,
    });
    return Object.defineProperty(bounded, 'url', { value: response.url });
  };
}

/** Passes bytes through up to the limit; in an event stream, each empty line resets the count. */
function limit(
  maxBytes: number,
  isStream: boolean,
  onOverflow: (error: Error) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let held = 0;
  let inLine = 0;
  const count = (piece: Uint8Array): void => {
    let from = 0;
    const nextLine = (): number => (isStream ? piece.indexOf(10, from) : -1);
    for (let end = nextLine(); end !== -1; end = nextLine()) {
      inLine += end - from - (end > from && piece[end - 1] === 13 ? 1 : 0);
      held = inLine === 0 ? 0 : held + end - from;
      inLine = 0;
      from = end + 1;
    }
    inLine += piece.length - from;
    held += piece.length - from;
  };
  return new TransformStream({
    transform(piece, controller) {
      count(piece);
      if (held <= maxBytes) return controller.enqueue(piece);
      const error = new Error(`the answer is larger than ${maxBytes} bytes`);
      onOverflow(error);
      controller.error(error);
    },
  });
}
