import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../base/json.ts';
import {
  isApproved,
  releaseOf,
  touchesOf,
  withApproval,
  withRelease,
  withTouches,
  withUnseenInput,
  writtenInput,
} from './approval.ts';
import type { ToolCall } from './tool.ts';

const call: ToolCall = { id: 'call_1', name: 'edit', index: 0, input: { path: 'a' }, metadata: { mine: 1 } };
const bare: ToolCall = { id: 'call_1', name: 'edit', index: 0, input: {} };
const noted = (metadata: JsonObject): ToolCall => ({ ...bare, metadata });

describe('a call', () => {
  it('keeps the rules that released it beside its other metadata', () => {
    const released = withRelease(call, { rules: ['edit(a)'] });
    expect(releaseOf(released)).toEqual({ rules: ['edit(a)'] });
    expect(released).toMatchObject({ ...call, metadata: { mine: 1 } });
    expect([releaseOf(call), releaseOf(bare)]).toEqual([undefined, undefined]);
  });

  it.each([
    [{ released: 'edit' }, undefined],
    [{ released: ['edit'] }, undefined],
    [{ released: {} }, { rules: [] }],
    [{ released: { rules: 'edit' } }, { rules: [] }],
    [{ released: { rules: ['edit', 1, null, 'read'] } }, { rules: ['edit', 'read'] }],
  ])('has as many rules as are readable: %j', (metadata, release) => {
    expect(releaseOf(noted(metadata))).toEqual(release);
  });

  it('is approved if a person has approved it, and nothing else makes it so', () => {
    const approved = withApproval(call);
    expect(isApproved(approved)).toBe(true);
    expect(approved).toMatchObject({ ...call, metadata: { mine: 1 } });
    for (const other of [call, bare, noted({ approved: false }), noted({ approved: 'yes' })])
      expect(isApproved(other)).toBe(false);
  });

  it('keeps what it was judged to touch, and loses it when that is no longer known', () => {
    const judged = withTouches(call, ['a', 'b']);
    expect(touchesOf(judged)).toEqual(['a', 'b']);
    expect(judged).toMatchObject({ ...call, metadata: { mine: 1 } });
    expect(withTouches(judged, undefined)).toStrictEqual(call);
    expect(withTouches(judged, [])).toStrictEqual({ ...call, metadata: { mine: 1, touches: [] } });
    expect(touchesOf(withTouches(bare, ['a']))).toEqual(['a']);
    expect([touchesOf(call), touchesOf(bare), touchesOf(noted({ touches: 'a' }))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('keeps the arguments that the model wrote when others take their place', () => {
    const changed = withUnseenInput(call, { path: 'b' });
    expect(changed).toMatchObject({ ...call, input: { path: 'b' }, metadata: { mine: 1 } });
    expect([writtenInput(changed), writtenInput(call), writtenInput(bare)]).toEqual([
      { path: 'a' },
      undefined,
      undefined,
    ]);
  });
});
