import { describe, expect, it } from 'vitest';

import { prepared, read } from '../../test/add.ts';
import { publishMail } from '../../test/mail.ts';

describe('the entry that a package proposes', () => {
  it.each([
    ['more than options', { options: { url: 'x' }, priority: 99 }],
    ['no object', 'mail'],
    ['options that are a list', { options: [] }],
    ['too long', { options: { url: 'x'.repeat(3000) } }],
  ])('is ignored if it is %s', async (_, proposal) => {
    const { registry, project, add } = await prepared();
    publishMail(registry, proposal);
    const { status, stderr } = await add('mail', '--trust', 'mail');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /Write its options into the entry of mail:\n {2}- use: mail\n {4}options:\n {6}url: …\n$/,
    );
    expect(read(project, 'shallot.config.yaml')).toContain('plugins:\n  - mail\n');
  });

  it('is shown with what it hides', async () => {
    const { registry, add } = await prepared();
    publishMail(registry, { options: { url: 'a\u202eb\u001b[2K' } });
    const { stdout } = await add('mail', '--trust', 'mail', '--dry-run');
    for (const hidden of ['\u202e', '\u001b']) expect(stdout).not.toContain(hidden);
  });
});
