import { nodeCrypto } from '../base/node-crypto.ts';

/** Reserved device names of Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Makes a file name from any string, such as a session id. A short, plain string (`a-z`, `0-9`, `-`, `_`) stays as it is;
 * others become their readable characters and a digest. Different strings get different names, even if case is ignored.
 */
export function safeName(id: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(id) && !device.test(id)) return id;
  const readable = id
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 32);
  // As UTF-16, because in UTF-8 all lone surrogates are one character. The dot keeps these names apart from plain ones.
  const digest = nodeCrypto().createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 32);
  return `${readable || 'id'}.${digest}`;
}
