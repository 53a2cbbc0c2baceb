import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { eventLines } from '../../../../testing/src/event-lines.ts';
import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { createAgent } from '../../create-agent.ts';
import { mapText, type TextLayer } from './map-text.ts';
import { UnitStage, type TextUnit } from './unit-stage.ts';

const upper = (text: string): string => text.toUpperCase();

async function streamed(layer: TextLayer, ...steps: ScriptedStep[]) {
  const model = scriptedModel(steps);
  const agent = await createAgent({
    model,
    plugins: [definePlugin({ name: 'change', wrapModelCall: layer })()],
  });
  const { events, text } = await collectEvents(agent.stream('Hi'));
  const result = await agent.run('Hi', {}).catch(() => undefined);
  await agent.close();
  const lines = eventLines(events).filter((line) => /^(text|reasoning|part-end|restart)/.test(line));
  return { lines, text, result };
}

describe('a function of a text', () => {
  it('changes stream and response alike, line by line', async () => {
    const step: ScriptedStep = { chunks: ['one s3c', 'ret and\r', '\nan', 'other\n', 's3cret'] };
    const { lines, text, result } = await streamed(
      mapText((line) => line.replace('s3cret', '***')),
      step,
      step,
    );
    expect(lines).toEqual([`text 0 ${JSON.stringify('one *** and\r\nanother\n***')}`, 'part-end 0']);
    expect(text).toBe('one *** and\r\nanother\n***');
    expect(result?.text).toBe(text);
  });

  it('is called for each line as soon as it is complete', async () => {
    const sent: string[] = [];
    const layer = mapText((line) => line);
    const response = { message: { role: 'assistant', content: [] }, finish: 'stop' } as const;
    await layer(
      { model: scriptedModel([]), instructions: '', messages: [], settings: {} },
      async (_, options) => {
        for (const text of ['one\ntw', 'o', '\nthree']) {
          await options?.emit?.({ type: 'text-delta', index: 0, text });
          sent.push('|');
        }
        return response;
      },
      { emit: (chunk) => void (chunk.type === 'text-delta' && sent.push(chunk.text)) },
    );
    expect(sent).toEqual(['one\n', '|', '|', 'two\n', '|', 'three']);
  });

  it('gets words without the white space around them', async () => {
    const seen: string[] = [];
    const layer = mapText(
      (word) => {
        seen.push(word);
        return `<${word}>`;
      },
      { unit: 'word' },
    );
    const { text } = await streamed(layer, { chunks: ['a  b', 'c\n', ' d'] });
    expect(text).toBe('<a>  <bc>\n <d>');
    expect(new Set(seen)).toEqual(new Set(['a', 'bc', 'd']));
  });

  it('may get the text as a whole', async () => {
    const { lines } = await streamed(
      mapText((text) => `(${text})`, { unit: 'text' }),
      {
        chunks: ['a\n', 'b'],
      },
    );
    expect(lines).toEqual(['text 0 "(a\\nb)"', 'part-end 0']);
  });

  it('leaves reasoning as it is', async () => {
    const { lines } = await streamed(mapText(upper), { reasoning: 'hm', text: 'yes' });
    expect(lines.join()).toContain('"hm"');
    expect(lines.join()).toContain('"YES"');
  });

  it('that throws fails the answer, and nothing of its text is sent', async () => {
    const layer = mapText((line) => {
      if (line.includes('bad')) throw new Error('refused');
      return line;
    });
    const agent = await createAgent({
      model: scriptedModel([{ chunks: ['good\nba', 'd\nmore\n'] }]),
      plugins: [definePlugin({ name: 'change', wrapModelCall: layer })()],
    });
    const stream = agent.stream('Hi');
    const lines: string[] = [];
    await expect(
      (async () => {
        for await (const event of stream) lines.push(...eventLines([event]));
        return stream.result;
      })(),
    ).rejects.toThrow('refused');
    await agent.close();
    expect(lines.filter((line) => line.startsWith('text'))).toEqual(['text 0 "good\\n"']);
  });

  it('starts anew after a restart', async () => {
    const { lines, text } = await streamed(
      async (request, next, scope) => {
        const layer = mapText(upper, { unit: 'text' });
        return layer(
          request,
          async (passed, options) => {
            await next(passed, options);
            await options?.emit?.({ type: 'restart' });
            return next(passed, options);
          },
          scope,
        );
      },
      { text: 'draft' },
      { text: 'final' },
    );
    expect(text).toBe('FINAL');
    expect(lines.at(-2)).toBe('text 0 "FINAL"');
  });
});

describe('a mapping', () => {
  it('changes reasoning and the arguments of calls, which wait until they are complete', async () => {
    const model = scriptedModel([{ reasoning: 'hm', toolCalls: [{ name: 'look', args: { at: 'it' } }] }]);
    const layer = mapText({
      stage: () => new UnitStage(upper, 'line'),
      reasoning: true,
      part: (part) =>
        part.type === 'reasoning'
          ? { type: 'reasoning', text: upper(part.text) }
          : part.type === 'tool-call'
            ? { ...part, input: { at: 'IT' } }
            : part,
      input: () => ({ at: 'IT' }),
    });
    const agent = await createAgent({
      model,
      maxSteps: 1,
      plugins: [definePlugin({ name: 'change', wrapModelCall: layer })()],
    });
    const { events } = await collectEvents(agent.stream('Hi'));
    await agent.close();
    const lines = eventLines(events).filter((line) => /^(reasoning|tool-call|restart)/.test(line));
    expect(lines.join('\n')).toContain('reasoning 0 "HM"');
    expect(lines.join('\n')).toContain(String.raw`{\"at\":\"IT\"}`);
    expect(lines).not.toContain('restart');
  });
});

describe('the units of a text', () => {
  const text = 'a b\r\n\r\nc\td \u{1F600}\n\n e';
  const units: readonly TextUnit[] = ['word', 'line', 'text'];

  it.each(units)('are the same wherever the text is cut: %s', (unit) => {
    const whole = changed(unit, [text]);
    for (let at = 0; at <= text.length; at += 1)
      for (let to = at; to <= text.length; to += 1)
        expect(changed(unit, [text.slice(0, at), text.slice(at, to), text.slice(to)])).toBe(whole);
  });

  function changed(unit: TextUnit, pieces: readonly string[]): string {
    const stage = new UnitStage((each) => `[${each}]`, unit);
    return pieces.map((piece) => stage.push(piece)).join('') + stage.end();
  }
});
