import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { ShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';
import type * as TraceReader from '@shallot/plugin-telemetry/trace';

import { toJson } from '../rendering/render-json.ts';
import { renderTrace } from '../rendering/render-trace.ts';
import { timedTrace } from '../rendering/timed-trace.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { importPlugin } from '../work/import-plugin.ts';

export interface TraceCommandOptions {
  readonly json?: boolean;
  /** Also shows layers that changed nothing. */
  readonly all?: boolean;
  /** `genai-prices`, or a file of prices by model. */
  readonly prices?: string;
}

/** `shallot trace`: shows a trace file as a tree. Rejects with a usage failure if the file cannot be read. */
export async function traceCommand(
  file: string,
  { json = false, all = false, prices }: TraceCommandOptions,
  screen: Screen,
): Promise<void> {
  const { cwd } = screen.io;
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CommandFailure(
      exitStatus.usage,
      `${visibleLine(file)} is a directory. Name a trace file in it.`,
    );
  const reader: Reader = await importPlugin<typeof TraceReader, keyof Reader>({
    entry: '@shallot/plugin-telemetry/trace',
    functions: ['readTraceTree', 'loadPrices'],
    command: 'shallot trace',
    directory: cwd,
  });
  const reading = Promise.all([
    reader.readTraceTree(path),
    prices === undefined ? undefined : pricesOf(prices, { cwd, reader }),
  ]);
  const [trace, known] = await reading.catch((error: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause: error });
  });
  await screen.line(
    json
      ? toJson(timedTrace(trace), { indent: 2 })
      : renderTrace(trace, { paint: screen.paint, all, prices: known }),
  );
}

type Reader = Pick<typeof TraceReader, 'readTraceTree' | 'loadPrices'>;

async function pricesOf(
  source: string,
  { cwd, reader }: { readonly cwd: string; readonly reader: Reader },
): Promise<TraceReader.Prices> {
  return reader.loadPrices(source === 'genai-prices' ? source : readPrices(resolve(cwd, source)));
}

function readPrices(path: string): Readonly<Record<string, TraceReader.Price>> {
  let table: unknown;
  try {
    table = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw unusable(path, messageOf(error));
  }
  if (!isPriceTable(table)) throw unusable(path, 'it is not a price table');
  return table;
}

function isPriceTable(table: unknown): table is Record<string, TraceReader.Price> {
  if (typeof table !== 'object' || table === null || Array.isArray(table)) return false;
  return Object.values(table).every(
    (price: Partial<TraceReader.Price> | null) =>
      typeof price?.input === 'number' && typeof price.output === 'number',
  );
}

function unusable(path: string, why: string): ShallotError {
  return new ShallotError('OPTION_INVALID', {
    message: `The prices in ${path} cannot be used: ${why}. Write { "provider/model": { "input": 3, "output": 15 } }, in US dollars per million tokens.`,
  });
}
