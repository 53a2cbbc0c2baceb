import { isUtf8 } from 'node:buffer';

import { notText } from './file-errors.ts';
import type { FileContent } from './files.ts';

/** Decodes UTF-8 content, without its byte order mark. @throws `FILE_KIND` if it is not UTF-8 */
export function asText(
  path: string,
  { bytes, revision }: FileContent,
): { readonly text: string; readonly revision: string } {
  if (!isUtf8(bytes)) throw notText(path);
  return { text: new TextDecoder().decode(bytes), revision };
}

/** Encodes a string as UTF-8; returns bytes as they are. */
export function encodeContent(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
}
