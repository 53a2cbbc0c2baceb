// `node scripts/trace-picture.ts` draws docs/guides/trace.svg: the output of `shallot trace` for
// docs/guides/trace.jsonl. With --record it first records that file again.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import pc from 'picocolors';

import { renderTrace } from '../packages/cli/src/rendering/render-trace.ts';
import { readTrace } from '../packages/plugin-telemetry/src/trace.ts';
import { recordTrace } from './record-trace.ts';
import { root } from './workspace.ts';

export const recorded = join(root, 'docs/guides/trace.jsonl');
export const picture = join(root, 'docs/guides/trace.svg');

const characterWidth = 7.8;
const lineHeight = 20;
const margin = 18;

/** Returns the output of `shallot trace` for a trace file, as an SVG of a terminal. */
export async function drawTrace(file: string): Promise<string> {
  const text = renderTrace(await readTrace(file), { paint: pc.createColors(true) });
  const lines = ['$ shallot trace trace.jsonl', ...text.split('\n')];
  const width = Math.max(...lines.map((line) => plain(line).length)) * characterWidth + 2 * margin;
  const height = lines.length * lineHeight + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-label="What shallot trace shows of a run">
<style>
rect { fill: #1d2028 }
text { fill: #d8dee9; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }
.b { font-weight: bold; fill: #ffffff } .d { fill: #7b8394 }
.c31 { fill: #f07178 } .c32 { fill: #a3be8c } .c33 { fill: #ebcb8b } .c35 { fill: #c792ea } .c36 { fill: #88c0d0 }
</style>
<rect width="100%" height="100%" rx="8"/>
${lines.map(drawLine).join('\n')}
</svg>
`;
}

function drawLine(line: string, index: number): string {
  const y = margin + (index + 0.75) * lineHeight;
  return `<text x="${margin}" y="${y}" xml:space="preserve">${spans(line).join('')}</text>`;
}

// eslint-disable-next-line no-control-regex -- colours begin with the escape character
const colour = /\u001b\[(\d+)m/;

/** Returns the pieces of a line that each have one style, with the terminal's styles as CSS classes. */
function spans(line: string): string[] {
  const [first = '', ...rest] = line.split(colour);
  const looks = new Set<string>();
  const drawn = [escape(first)];
  for (let at = 0; at < rest.length; at += 2) {
    change(looks, Number(rest[at]));
    const text = escape(rest[at + 1] ?? '');
    if (text !== '')
      drawn.push(looks.size === 0 ? text : `<tspan class="${[...looks].join(' ')}">${text}</tspan>`);
  }
  return drawn;
}

function change(looks: Set<string>, code: number): void {
  if (code === 1) looks.add('b');
  else if (code === 2) looks.add('d');
  else if (code === 22) for (const look of ['b', 'd']) looks.delete(look);
  else if (code === 39) for (const look of looks) if (look.startsWith('c')) looks.delete(look);
  if (code > 30 && code < 38) looks.add(`c${code}`);
}

function plain(line: string): string {
  return line.replaceAll(new RegExp(colour, 'g'), '');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

if (import.meta.main) {
  if (process.argv.includes('--record')) {
    rmSync(recorded, { force: true });
    await recordTrace(recorded);
  }
  writeFileSync(picture, await drawTrace(recorded));
}
