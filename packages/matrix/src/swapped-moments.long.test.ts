import { diskFiles } from '@shallot/core/files';
import { describe, expect, it } from 'vitest';

import { callsInDocs, policies, resultOf, SwappedRoot, withEach } from '../test/swapped-paths.ts';

/** Makes a call, before whose nth use of the files the directory becomes a link; later uses swap it again if it toggles. */
async function swappedAt(
  moment: number,
  isToggling: boolean,
  ...[call, permissions]: readonly [(typeof callsInDocs)[number], Parameters<typeof resultOf>[2]]
) {
  using root = new SwappedRoot();
  let uses = 0;
  const files = withEach(diskFiles(root.path), () => {
    uses += 1;
    if (uses === moment || (isToggling && uses > moment)) root.swap();
  });
  const text = await resultOf(call, files, permissions);
  return { text, harm: root.harm(), uses };
}

describe.each(Object.entries(policies))('permissions that say %s', (_, permissions) => {
  it.each(callsInDocs)('hold at each moment of %s %j at which its path becomes a link', async (...call) => {
    const { uses, text: plain } = await swappedAt(0, false, call, permissions);
    expect(plain).not.toBe('');
    expect(uses).toBeGreaterThan(1);
    for (const isToggling of [false, true]) {
      for (let moment = 1; moment <= uses; moment += 1) {
        const { text, harm } = await swappedAt(moment, isToggling, call, permissions);
        expect({ moment, isSecret: text.includes('the key'), harm }).toEqual({
          moment,
          isSecret: false,
          harm: [],
        });
      }
    }
  });
});
