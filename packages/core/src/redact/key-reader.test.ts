import { describe, expect, it } from 'vitest';

import { keyReader, type RedactedKey } from './key-reader.ts';

/** A reader, and the keys that it has passed on to be redacted. */
function countingReader(): { read: (key: string) => RedactedKey; passed: string[] } {
  const passed: string[] = [];
  const read = keyReader((text) => {
    passed.push(text);
    return text.replace('hush', '…');
  });
  return { read, passed };
}

describe('a reader of keys', () => {
  it('tells how a key is shown, and whether it names a secret', () => {
    const { read } = countingReader();
    expect(read('hush-hour')).toEqual({ shown: '…-hour', isSecret: false });
    expect(read('apiKey')).toEqual({ shown: 'apiKey', isSecret: true });
  });

  it('redacts a key that comes again only once, unless it is long', () => {
    const { read, passed } = countingReader();
    const long = 'k'.repeat(65);
    const longest = 'k'.repeat(64);
    for (const key of ['run', 'step', 'run', longest, longest, long, long, 'step'])
      expect(read(key).shown).toBe(key);
    expect(passed).toEqual(['run', 'step', longest, long, long]);
  });

  it('forgets what it knew when too many different ones come', () => {
    const { read, passed } = countingReader();
    for (let index = 0; index < 1000; index += 1) read(`key ${index}`);
    read('key 0');
    expect(passed).toHaveLength(1000);
    read('key 1000');
    read('key 0');
    expect(passed.slice(1000)).toEqual(['key 1000', 'key 0']);
    expect(read('password').isSecret).toBe(true);
  });
});
