import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

import { Refusal } from './refusal.ts';

export interface Body {
  readonly bytes: Buffer;
  /** True if the body was longer than the limit. */
  readonly isCut: boolean;
}

/** Reads and decompresses a body up to the limit, which applies to the decompressed bytes. */
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
  } catch (error) {
    // An empty body is not valid compressed data, but servers send it, for example with an error status.
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
    if (!hasEnded || !('bytesWritten' in body) || body.bytesWritten !== 0) throw error;
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
  // The loop that reads the last stream throws the errors of both.
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
