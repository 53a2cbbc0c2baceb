import { describe, expect, it } from 'vitest';

import { checkPriority, priorityFor } from './priority.ts';

const code = (priority: unknown): unknown => {
  try {
    checkPriority(priority, 'audit');
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('a priority', () => {
  it.each([0, 100, 50.5, {}, { default: 0 }, { wrapModelCall: 100, afterModel: 3 }])(
    'may be %j',
    (priority) => {
      expect(code(priority)).toBeUndefined();
    },
  );

  it.each([
    [-0.1, '"audit" is -0.1;'],
    [100.1, '"audit" is 100.1;'],
    [Number.NaN, '"audit" is NaN;'],
    [Infinity, '"audit" is Infinity;'],
    ['50', '"audit" is "50";'],
    [null, '"audit" is null;'],
    [[1], '"audit" is [1];'],
    [undefined, '"audit" is undefined;'],
    [{ default: 101 }, '"audit" is 101;'],
    [{ afterModel: '1' }, '"audit" for afterModel is "1";'],
  ])('may not be %j', (priority, what) => {
    expect(code(priority)).toMatchObject({
      code: 'PRIORITY_RANGE',
      plugin: 'audit',
      message: expect.stringContaining(`The priority of ${what}`) as string,
    });
  });

  it('may not name a hook that does not exist', () => {
    expect(code({ afterTool: 1 })).toMatchObject({
      code: 'OPTION_INVALID',
      plugin: 'audit',
      message: expect.stringContaining('names the hook "afterTool"; hooks are beforeAgent') as string,
    });
  });

  it('of a hook is its own, else the default of the plugin, else that of the application', () => {
    expect(priorityFor(undefined, 'afterModel')).toBe(25);
    expect(priorityFor(7, 'afterModel')).toBe(7);
    expect(priorityFor({ afterModel: 0, default: 9 }, 'afterModel')).toBe(0);
    expect(priorityFor({ afterModel: 0, default: 9 }, 'beforeModel')).toBe(9);
    expect(priorityFor({ afterModel: 0 }, 'beforeModel')).toBe(25);
  });
});
