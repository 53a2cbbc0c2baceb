import type { AgentEvent, AssistantPart, RunResult } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { KeptStream } from '../../test/terminal/kept-stream.ts';
import { Screen } from '../terminal/screen.ts';
import { textRenderer } from './render-text.ts';

/** Returns the text on a terminal, and in a pipe, after these events and a completed run with this text. */
async function shown(
  events: readonly AgentEvent[],
  text: string,
): Promise<{ terminal: string; pipe: string }> {
  const [terminal = '', pipe = ''] = await Promise.all(
    [true, false].map(async (isTTY) => {
      const stdout = new KeptStream({ isTTY });
      const io = { stdin: process.stdin, stdout, stderr: new KeptStream(), env: { NO_COLOR: '1' }, cwd: '/' };
      const screen = new Screen(io);
      const renderer = textRenderer(screen, { quiet: true });
      for (const event of events) await renderer.event(event);
      // Only these two are looked at.
      await renderer.end({
        outcome: 'completed',
        sources: [],
        text,
        errors: [],
        usage: { total: 0 },
        sessionId: 'tea',
      } as unknown as RunResult);
      await screen.close();
      return stdout.text;
    }),
  );
  return { terminal, pipe };
}

const delta = (text: string): AgentEvent => ({ type: 'text-delta', index: 0, text });
const step = (number: number): AgentEvent => ({ type: 'step-start', step: number });
const message = (content: AssistantPart[]): AgentEvent => ({
  type: 'message',
  step: 1,
  message: { id: 'm', role: 'assistant', content },
});
const anew = '— the text above is void; the answer restarts: —';

describe('the answer', () => {
  it('is shown once when it was streamed as it is', async () => {
    const events = [step(1), delta('Good '), delta('tea.')];
    expect(await shown(events, 'Good tea.')).toEqual({ terminal: 'Good tea.\n', pipe: 'Good tea.\n' });
  });

  it('follows what the steps before it said, on a terminal only', async () => {
    const events = [step(1), delta('Let me look.'), step(2), delta('Tea.')];
    expect(await shown(events, 'Tea.')).toEqual({ terminal: 'Let me look.\nTea.\n', pipe: 'Tea.\n' });
  });

  it('begins anew below what a restart makes void', async () => {
    const events = [step(1), delta('Bad'), { type: 'restart' as const }, delta('Good.')];
    expect(await shown(events, 'Good.')).toEqual({ terminal: `Bad\n${anew}\nGood.\n`, pipe: 'Good.\n' });
  });

  it('says nothing of a restart before which nothing was shown', async () => {
    expect(await shown([step(1), { type: 'restart' }, delta('Good.')], 'Good.')).toMatchObject({
      terminal: 'Good.\n',
    });
  });

  it('of a hook stands below that of the model, which a message has closed', async () => {
    const events = [step(1), delta('Raw.'), message([{ type: 'text', text: 'Raw.' }]), delta('Cooked.')];
    expect(await shown(events, 'Cooked.')).toEqual({ terminal: 'Raw.\nCooked.\n', pipe: 'Cooked.\n' });
  });

  it('does not void what was said before a tool that gave the answer itself', async () => {
    const call = { type: 'tool-call' as const, id: 'c', name: 'look', input: {} };
    const said = message([{ type: 'text', text: 'Let me look.' }, call]);
    const events = [step(1), delta('Let me look.'), said, delta('Tea.')];
    expect(await shown(events, 'Tea.')).toEqual({ terminal: 'Let me look.\nTea.\n', pipe: 'Tea.\n' });
  });

  it('may be empty', async () => {
    expect(await shown([step(1)], '')).toEqual({ terminal: '', pipe: '' });
  });
});
