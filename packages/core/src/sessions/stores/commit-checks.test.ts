import { expect, it } from 'vitest';

import { newClaim } from '../../base/claim.ts';
import { recordFormat } from '../../contract/store.ts';
import {
  checkClaim,
  checkFormat,
  checkReplace,
  checkRevision,
  quoteSession,
  refuseClaimed,
} from './commit-checks.ts';

it('a session id is quoted, and shortened after 80 characters', () => {
  const id = `"${'x'.repeat(79)}`;
  expect(quoteSession(id)).toBe(JSON.stringify(id));
  expect(quoteSession(`${id}y`)).toBe(`${JSON.stringify(id)}…`);
});

it('another revision is refused, with the one that is there', () => {
  expect(() => checkRevision('s', 2, 2)).not.toThrow();
  const conflict = (message: RegExp): Error =>
    expect.objectContaining({
      code: 'STORE_CONFLICT',
      message: expect.stringMatching(message) as string,
    }) as Error;
  expect(() => checkRevision('s', 1, 2)).toThrow(
    conflict(/"s" is at revision 2, not 1: .* changed it since/),
  );
  expect(() => checkRevision('s', 1, 0)).toThrow(conflict(/changed or deleted it since/));
});

it('a record of a newer format is refused', () => {
  expect(() => checkFormat('s', recordFormat)).not.toThrow();
  expect(() => checkFormat('s', recordFormat + 1)).toThrow(expect.objectContaining({ code: 'STORE_FORMAT' }));
});

it('a claim is refused while another one is live', () => {
  const held = newClaim('one', 60_000);
  const other = newClaim('other', 60_000);
  const conflict = expect.objectContaining({
    code: 'STORE_CONFLICT',
    transient: true,
    retryAt: held.expiresAt,
    message: expect.stringContaining(`process ${held.pid} on ${held.host}`) as string,
  }) as Error;
  expect(() => checkClaim('s', other, held)).toThrow(conflict);
  expect(() => checkClaim('s', other, undefined)).not.toThrow();
  expect(() => checkClaim('s', newClaim('one', 60_000), held)).not.toThrow();
  expect(() => checkClaim('s', other, { ...held, host: 'elsewhere', expiresAt: 0 })).not.toThrow();
  expect(() => refuseClaimed({ id: 's', claim: held })).toThrow(conflict);
  expect(() => refuseClaimed({ id: 's' })).not.toThrow();
  expect(() => refuseClaimed({ id: 's', claim: { ...held, host: 'elsewhere', expiresAt: 0 } })).not.toThrow();
});

it('a claim on a child is refused unless it is from the root of the live one', () => {
  const held = newClaim('one', 60_000, 'root');
  expect(() => checkClaim('s', newClaim('other', 60_000, 'root'), held)).not.toThrow();
  for (const root of ['another', undefined])
    expect(() => checkClaim('s', newClaim('other', 60_000, root), held)).toThrow(/is being worked on/);
});

it('replacements of missing messages are refused, after those before them were counted', () => {
  const messages = [{ id: 'm', role: 'user', content: [] }] as const;
  const check =
    (...ranges: (readonly [number, number])[]) =>
    () =>
      checkReplace('s', { replace: ranges.map(([from, to]) => ({ from, to, messages })) }, 4);
  expect(() => checkReplace('s', {}, 4)).not.toThrow();
  expect(check([0, 4])).not.toThrow();
  expect(check([4, 4], [5, 5])).not.toThrow();
  expect(check([0, 4], [0, 1])).not.toThrow();
  const failed = expect.objectContaining({ code: 'STORE_FAILED' }) as Error;
  expect(check([0, 5])).toThrow(failed);
  expect(check([0, 4], [0, 2])).toThrow('replaces messages 0 to 2, but there are 1.');
});
