import { ShallotError } from '@shallot/core';

/**
 * Reads the body of a request as JSON; undefined if it has none.
 * @throws `server/…` for a body that is too large, or not JSON
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  const type = request.headers.get('content-type') ?? '';
  // Pages of other sites can send forms and plain text without a preflight request.
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ShallotError('server/CONTENT_TYPE', {
      message: `The content type is ${JSON.stringify(type.slice(0, 100))}. Send application/json.`,
    });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ShallotError('server/REQUEST_INVALID', { message: 'The body is not JSON in UTF-8.', cause });
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: ReadableStream<Uint8Array> = request.body;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new ShallotError('server/REQUEST_INVALID', { message: 'The body broke off.', cause });
    });
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(value);
  }
}

function tooLarge(maxBytes: number): ShallotError {
  return new ShallotError('server/BODY_TOO_LARGE', {
    message: `The body has more than ${maxBytes} bytes. Send less, or raise limits.bodyBytes of the server.`,
  });
}
