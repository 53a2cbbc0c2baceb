import type { AgentEvent, RunResult } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { KeptStream } from '../../test/terminal/kept-stream.ts';
import { textRenderer } from '../rendering/render-text.ts';
import { Screen } from '../terminal/screen.ts';
import { markdownPage } from './markdown-page.ts';

function terminal(columns: number, env: Record<string, string>): { screen: Screen; stdout: KeptStream } {
  const stdout = Object.assign(new KeptStream({ isTTY: true }), { columns });
  const io = { stdin: process.stdin, stdout, stderr: new KeptStream(), env, cwd: '/' };
  return { screen: new Screen(io), stdout };
}

interface Showing {
  readonly size?: number;
  readonly columns?: number;
  readonly env?: Record<string, string>;
}

const withoutColours = { NO_COLOR: '1' };

/** Returns the final terminal text of an input in pieces of a size. */
async function shown(
  text: string,
  { size = 7, columns = 40, env = withoutColours }: Showing = {},
): Promise<string> {
  const { screen, stdout } = terminal(columns, env);
  const page = markdownPage(screen);
  for (let at = 0; at < text.length; at += size) await page.write(text.slice(at, at + size));
  await page.end();
  await screen.close();
  return stdout.text;
}

const everything = `# Title *x*
Some **bold** and \`code &amp;\` &lt;b&gt; with [a link](http://example.com/a) and <http://x.org>, and ~~much~~ 日本語日本語日本語日本語 👨‍👩‍👧.

1. one
2. two
   - nested

     \`\`\`ts
     const a = 1;

     const b = 2;
     \`\`\`
3. three

5. five is long enough to be broken over the line

- [ ] to do
- [x] done

\`\`\`js
let x = 1;

\ty();
\`\`\`
After code.
| a | b | c |
|---|--:|:-:|
| 1 | 2 | *x* |
| a cell | 日本 | some text which is very long indeed |

> quote with
> two lines
>
> - list

---
![pic](http://u/x) end

    indented

[1]: http://ref

Last`;

const hiding = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

describe('Markdown on a terminal', () => {
  it('is set for reading', async () => {
    expect(await shown(everything)).toMatchInlineSnapshot(`
      "# Title _x_

      Some **bold** and \`code &amp;\` <b> with
      a link (http://example.com/a) and
      http://x.org, and ~~much~~ 日本語日本語
      日本語日本語 👨‍👩‍👧.

      1. one
      2. two
         • nested

             const a = 1;

             const b = 2;
      3. three
      4. five is long enough to be broken over
         the line

      • [ ] to do
      • [x] done

        js
        let x = 1;

            y();

      After code.

      a      │    b │            c
      ───────┼──────┼─────────────────────────
      1      │    2 │           _x_
      a cell │ 日本 │ some text which is very
             │      │       long indeed

      │ quote with two lines
      │ 
      │ • list

      ────────────────────────────────────────

      [pic] (http://u/x) end

        indented

      [1]: http://ref

      Last
      "
    `);
  });

  it('looks the same however the text is cut into pieces', async () => {
    const whole = await shown(everything, { size: everything.length });
    for (const size of [1, 2, 3, 5, 8, 13, 50, 200]) expect(await shown(everything, { size })).toBe(whole);
    const crlf = everything.replaceAll('\n', '\r\n');
    expect(await shown(crlf, { size: 1 })).toBe(whole);
  });

  it('is shown block by block, as soon as each is complete', async () => {
    const { screen, stdout } = terminal(80, { NO_COLOR: '1' });
    const page = markdownPage(screen);
    const after = async (text: string): Promise<string> => {
      const before = stdout.text.length;
      await page.write(text);
      await new Promise((resolve) => {
        stdout.write('', resolve);
      });
      return stdout.text.slice(before);
    };
    expect(await after('# Title\nA paragraph')).toBe('# Title\n');
    expect(await after(' that goes on.\n')).toBe('');
    expect(await after('\n- one\n')).toBe('\nA paragraph that goes on.\n');
    expect(await after('- two\n')).toBe('\n• one\n');
    expect(await after('```sh\n')).toBe('• two\n\n  sh\n');
    expect(await after('ls\nls -')).toBe('  ls\n');
    expect(await after('l\n```\n')).toBe('  ls -l\n');
    await page.end();
    await screen.close();
  });

  it('is shown line by line where a paragraph is long, the same as in one piece', async () => {
    const words = Array.from({ length: 60 }, (_, at) => (at % 9 === 3 ? `**bold ${at}**` : `word${at}`));
    const paragraphs = [
      words.join(' '),
      `Begun [a link](http://x/${'y'.repeat(50)}) and \`code with words\`, snake_case, 2 * 3, ${words.join(' ')}`,
      `\u65e5${'\u65e5\u672c\u8a9e '.repeat(40)}end`,
      `First line of it\nand the second, ${words.join(' ')}\n- an item`,
    ];
    for (const text of paragraphs) {
      const whole = await shown(text, { size: text.length });
      for (const size of [1, 3, 17]) expect(await shown(text, { size })).toBe(whole);
    }
    const heading = await shown(`${words.join(' ')}\n===\nafter`);
    expect(heading.split(/\s+/).join(' ')).toBe(`${words.join(' ')} after `);
    const { screen, stdout } = terminal(40, withoutColours);
    const page = markdownPage(screen);
    for (const word of words) await page.write(`${word} `);
    await screen.close();
    expect(stdout.text.split('\n').length).toBeGreaterThan(10);
    expect(await page.drop()).toBe(true);
  });

  it('loses nothing of a paragraph that is too long to be parsed', async () => {
    const words = Array.from({ length: 3000 }, (_, at) => `word${at}`);
    for (const size of [5, 6000, 30_000]) {
      const text = await shown(words.join(' '), { size });
      expect(text.split(/\s+/).filter((word) => word !== '')).toEqual(words);
    }
  });

  it('has colours where there are some, closed at the end of each line', async () => {
    const text = await shown('> **many bold words that are broken over lines**', { columns: 24, env: {} });
    expect(text).toBe(
      [
        '\u001b[2m│\u001b[22m \u001b[1mmany bold words that\u001b[0m',
        '\u001b[2m│\u001b[22m \u001b[1mare broken over lines\u001b[22m',
        '',
      ].join('\n'),
    );
  });

  it('lets nothing steer the terminal, or hide', async () => {
    const evil =
      '\u001b]0;owned\u0007\u001b[2J\u202e\u2066\u00ad\u{e0041}\ud800\r\u009b &#27;[1A &#x202e; &#x110000;';
    const places = [
      evil,
      `# ${evil}`,
      `- ${evil}`,
      `> ${evil}`,
      `\`${evil}\``,
      `\`\`\`${evil}\n${evil}\n\`\`\``,
      `    ${evil}`,
      `| ${evil} | b |\n|---|---|\n| ${evil} | 2 |`,
      `[${evil}](<http://x/${evil}>)`,
      `![${evil}](<http://x/${evil}>)`,
      `<div title="${evil}">`,
      `[x]: <http://x/${evil}>`,
      evil.repeat(2000),
    ];
    for (const place of places) {
      const text = await shown(place, { size: 3 });
      expect(text).toContain('⟨U+001B⟩');
      expect(text.replace(/[\n\u200c]|\u200d|\ufe0e|\ufe0f/g, '')).not.toMatch(hiding);
    }
  });

  it('bounds what it keeps and what hostile text costs', async () => {
    const hostile = [
      '*a '.repeat(40_000),
      '['.repeat(100_000),
      '> '.repeat(50_000),
      `${'- '.repeat(30_000)}x`,
      `${'1. '.repeat(1000)}x\n`.repeat(30),
      '*a '.repeat(20_000) + 'a* '.repeat(20_000),
      '**a *'.repeat(600) + 'a* a**'.repeat(600),
      '_a'.repeat(20_000),
      `|${'_a'.repeat(1500)}|\n|-|\n${`|${'_a'.repeat(1500)}|\n`.repeat(20)}`,
      '|'.repeat(60_000),
    ];
    for (const text of hostile) {
      const letters = (await shown(text, { size: 997 })).replace(/[^a[>x|-]/g, '');
      expect(letters.length).toBeGreaterThan(0);
    }
  });
});

describe('an answer in Markdown', () => {
  /** Returns the terminal text after these events and a completed run with this text. */
  async function answered(events: readonly AgentEvent[], text: string): Promise<string> {
    const { screen, stdout } = terminal(60, { NO_COLOR: '1' });
    const renderer = textRenderer(screen, { quiet: true, page: markdownPage });
    for (const event of events) await renderer.event(event);
    // Only these are looked at.
    const result = {
      outcome: 'completed',
      text,
      sources: [],
      errors: [],
      usage: { total: 0 },
      sessionId: 's',
    };
    await renderer.end(result as unknown as RunResult);
    await screen.close();
    return stdout.text;
  }
  const delta = (text: string): AgentEvent => ({ type: 'text-delta', index: 0, text });
  const step: AgentEvent = { type: 'step-start', step: 1 };

  it('is shown once when it begins anew before anything of it was seen', async () => {
    expect(await answered([step, delta('Bad'), { type: 'restart' }, delta('Good.')], 'Good.')).toBe(
      'Good.\n',
    );
  });

  it('begins anew below a line that says so, when something was seen; what was held back is forgotten', async () => {
    const events = [step, delta('Seen.\n\nHeld'), { type: 'restart' as const }, delta('Good.')];
    expect(await answered(events, 'Good.')).toBe(
      'Seen.\n— the text above is void; the answer restarts: —\nGood.\n',
    );
  });
});
