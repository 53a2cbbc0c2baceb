import type { AgentEvent } from '@shallot/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { screenText } from '../../test/chat/screen.ts';
import { KeptStream } from '../../test/terminal/kept-stream.ts';
import { Screen } from '../terminal/screen.ts';
import { textRenderer } from './render-text.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

interface Watched {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly quiet?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const step: AgentEvent = { type: 'step-start', step: 1 };

function watch({ isTTY = true, columns = 80, quiet = false, env = {} }: Watched = {}) {
  // One terminal that shows both.
  const terminal = Object.assign(new KeptStream({ isTTY }), { columns });
  const screen = new Screen({ stdin: process.stdin, stdout: terminal, stderr: terminal, env, cwd: '/' });
  const renderer = textRenderer(screen, { quiet, inChat: true });
  const seen = async (): Promise<string> => {
    await screen.close();
    return terminal.text;
  };
  return { renderer, screen, seen };
}

/** Returns the text that a person finally sees, without colours. */
function visible(text: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences begin with the escape character
  return screenText(text.replaceAll(/\u001b\[\d+m/g, '').replaceAll('\n', '\r\n')).trimEnd();
}

describe('a sign that the model is at work', () => {
  it('comes when nothing was heard for a while, and says for how long', async () => {
    const { renderer, seen } = watch();
    await renderer.event(step);
    vi.advanceTimersByTime(1900);
    expect(await seen()).toBe('');
    vi.advanceTimersByTime(5100);
    expect(visible(await seen())).toBe('thinking … 7 s');
    await renderer.failed(new Error('no'));
  });

  it('goes when text comes, and comes again when that stops', async () => {
    const { renderer, seen } = watch();
    await renderer.event(step);
    vi.advanceTimersByTime(3000);
    await renderer.event({ type: 'text-delta', index: 0, text: 'Well,\n' });
    expect(visible(await seen())).toBe('Well,');
    vi.advanceTimersByTime(3000);
    expect(visible(await seen())).toBe('Well,\nthinking … 3 s');
    await renderer.event({
      type: 'message',
      step: 1,
      finish: 'stop',
      message: { id: '1', role: 'assistant', content: [] },
    });
    vi.advanceTimersByTime(30_000);
    expect(visible(await seen())).toBe('Well,');
  });

  it('does not write into an unfinished line, and makes room for a note', async () => {
    const { renderer, screen, seen } = watch();
    await renderer.event(step);
    await renderer.event({ type: 'text-delta', index: 0, text: 'Well, ' });
    vi.advanceTimersByTime(5000);
    expect(visible(await seen())).toBe('Well,');
    screen.note('a note');
    vi.advanceTimersByTime(1000);
    screen.note('another');
    expect(visible(await seen())).toBe('Well,\na note\nanother');
    await renderer.failed(new Error('no'));
  });

  it('has no colours with NO_COLOR, and never breaks into a second line', async () => {
    const { renderer, seen } = watch({ columns: 8, env: { NO_COLOR: '1' } });
    await renderer.event(step);
    vi.advanceTimersByTime(4000);
    expect(await seen()).toMatch(/thinkin$/);
    await renderer.failed(new Error('no'));
    // eslint-disable-next-line no-control-regex -- escape sequences begin with the escape character
    expect(await seen()).not.toMatch(/\u001b\[\d+m/);
    expect(visible(await seen())).toBe('');
  });

  it.each<readonly [string, Watched]>([
    ['in a pipe', { isTTY: false }],
    ['on a terminal that cannot take a line back', { env: { TERM: 'dumb' } }],
    ['with --quiet', { quiet: true }],
  ])('is not there %s', async (_, watched) => {
    const { renderer, seen } = watch(watched);
    await renderer.event(step);
    vi.advanceTimersByTime(60_000);
    expect(await seen()).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });
});
