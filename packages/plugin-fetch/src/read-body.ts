import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

import { Refusal } from './refusal.ts';

export interface Body {
  readonly bytes: Buffer;
  /** True if there was more than the limit. */
  readonly isCut: boolean;
}

/** Reads a body, uncompressed, to the limit: what a small archive expands to counts, and the rest is not read. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  const body = uncompressed(response);
  try {
    for await (const chunk of body) {
      // Neither stream has an encoding: all chunks are buffers.
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    body.destroy();
    response.destroy();
  }
  return { bytes: Buffer.concat(chunks), isCut: size > maxBytes };
}

function uncompressed(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response;
  const decoder = decoderOf(encoding);
  // An error of either stream comes out of the loop that reads the last one.
  return pipeline(response, decoder, () => {});
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new Refusal(`The page is compressed as ${JSON.stringify(encoding)}, which was not asked for.`);
  }
}
