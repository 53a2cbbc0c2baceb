import { describe, expect, it } from 'vitest';

import { fakeDesk } from '../../test/chat/fake-desk.ts';
import { screenText } from '../../test/chat/screen.ts';

const [enter, up, down] = ['\r', '\u001b[A', '\u001b[B'];
const quiet = 600;

const many = Array.from({ length: 40 }, (_, index) => ({
  value: `v${index + 1}`,
  label: `Choice ${index + 1}`,
}));

describe('a question with many choices', () => {
  it.each([
    [[up], 'v40'],
    [[up, down], 'v1'],
    [['1', '2'], 'v12'],
    [['4', '0'], 'v40'],
    [['1', down], 'v2'],
  ])('is answered by %j', async (keys, value) => {
    const terminal = fakeDesk();
    const answer = terminal.desk.ask((prompts) => prompts.choose('Which?', many));
    for (const [index, key] of keys.entries()) await terminal.press(key, index === 0 ? quiet : 30);
    expect(screenText(terminal.shown())).toMatch(new RegExp(`^› *${value.slice(1)} Choice`, 'm'));
    await terminal.press(enter, 30);
    expect(await answer).toBe(value);
    terminal.end();
  });

  it('shows as many as fit, those around the chosen one, and the question', async () => {
    const terminal = fakeDesk();
    const answer = terminal.desk.ask((prompts) => prompts.choose('Which?', many));
    await terminal.press('3', quiet);
    await terminal.press('0', 30);
    const lines = screenText(terminal.shown()).trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(lines[0]).toBe('? Which?');
    expect(lines).toContain('› 30 Choice 30');
    await terminal.press(enter, 30);
    await answer;
    // Only the answer stays.
    expect(screenText(terminal.shown()).trimEnd()).toBe('✓ Which?  Choice 30');
    terminal.end();
  });

  it('takes a number of none as text', async () => {
    const terminal = fakeDesk();
    const answer = terminal.desk.ask((prompts) => prompts.choose('Which?', many));
    for (const key of ['4', '1', enter]) await terminal.press(key, quiet);
    const next = terminal.desk.next();
    await terminal.press(down, quiet);
    await terminal.press(enter, 30);
    expect(await answer).toBe('v1');
    expect(await next).toEqual({ type: 'text', text: '41' });
    terminal.end();
  });
});

it('several answers are selected by digits, or by Space on the marked one; none is an answer, too', async () => {
  const three = many.slice(0, 3);
  for (const [keys, values] of [
    [['1', '3', '1'], ['v3']],
    [
      [down, ' ', down, down, ' '],
      ['v1', 'v3'],
    ],
    [[down], []],
  ] as const) {
    const terminal = fakeDesk();
    const answer = terminal.desk.ask((prompts) => prompts.chooseSeveral('Which?', three));
    for (const [index, key] of [...keys, enter].entries())
      await terminal.press(key, index === 0 ? quiet : 30);
    expect(await answer).toEqual(values);
    terminal.end();
  }
});

it('a narrow terminal gets whole words, and no hints', async () => {
  const terminal = fakeDesk();
  terminal.resize(24);
  const choices = [{ value: 'a', label: 'Approve the call as it is', hint: 'execute it' }];
  const answer = terminal.desk.ask((prompts) => prompts.choose('Allow the call of remove?', choices));
  await terminal.press('1', quiet);
  const text = screenText(terminal.shown());
  expect(text).toMatch(
    /^\? Allow the call of\n {2}remove\?\n› 1 Approve the call as\n {4}it is\n {2}Up, Down or a number/,
  );
  expect(text).not.toContain('execute it');
  await terminal.press(enter, 30);
  expect(await answer).toBe('a');
  terminal.end();
});
