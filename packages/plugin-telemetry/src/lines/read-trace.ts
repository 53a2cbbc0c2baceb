import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import { isShallotError, ShallotError } from '@shallot/core';
import { reasonOf } from '@shallot/core/plugin';

import {
  traceVersion,
  type TraceEnd,
  type TraceHeader,
  type TraceNote,
  type TraceStart,
} from './trace-line.ts';

/** The largest file that is read, because it is read into memory. Traces of runs are far smaller. */
const maxBytes = 256 * 1024 * 1024;

/** An activity in a trace file, with its children. */
export interface TraceNode {
  readonly start: TraceStart;
  /** Undefined if the file ends while the activity is running. */
  readonly end: TraceEnd | undefined;
  readonly notes: readonly TraceNote[];
  readonly children: readonly TraceNode[];
}

/** One run, or one resumption of it. */
export interface TracePart {
  readonly header: TraceHeader;
  /** The run, and any activities whose place is unknown because lines are missing. */
  readonly roots: readonly TraceNode[];
  /** Time of the last event, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** Number of lines that the file reports as missing. */
  readonly lostLines: number;
}

/** A trace file as it was read, as far as its lines are readable. */
export interface Trace {
  readonly parts: readonly TracePart[];
  /** Numbers of the unreadable lines, except a last line that is `cutOff`. */
  readonly damagedLines: readonly number[];
  /** True if the file ends in the middle of a line, because its process died or the disk was full. */
  readonly cutOff: boolean;
}

/** Returns the header of a trace file; undefined for any other file. */
export async function readHeader(path: string): Promise<TraceHeader | undefined> {
  const input = createReadStream(path, { encoding: 'utf8', end: 4095 });
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    const line = parseLine(text);
    return line?.['type'] === 'trace' ? headerOf(line, path) : undefined;
  }
  return undefined;
}

/**
 * Reads a trace file. Leaves out unreadable lines and lists them in `damagedLines`.
 * @throws `telemetry/TRACE_UNREADABLE`, `telemetry/TRACE_INVALID`, `telemetry/TRACE_VERSION` for a newer format
 */
export async function readTrace(path: string): Promise<Trace> {
  try {
    return await readLines(path, await checkFile(path));
  } catch (error) {
    if (isShallotError(error)) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw unreadable(
        `There is no file ${path}. Name a file that --trace wrote: by default it is in .shallot/traces.`,
      );
    throw unreadable(`${path} cannot be read: ${reasonOf(error)}. Name a trace file.`, error);
  }
}

async function checkFile(path: string): Promise<number> {
  const stats = await stat(path);
  if (!stats.isFile()) throw unreadable(`${path} is not a file. Name a trace file.`);
  if (stats.size === 0) throw invalid(`${path} is empty: nothing was traced, or the disk was full.`);
  if (stats.size > maxBytes) {
    throw unreadable(
      `${path} has ${Math.round(stats.size / 1024 / 1024)} MB; files of up to ${maxBytes / 1024 / 1024} MB can be read.`,
    );
  }
  return stats.size;
}

async function readLines(path: string, size: number): Promise<Trace> {
  const parts: PartReader[] = [];
  const damagedLines: number[] = [];
  const input = createReadStream(path, { encoding: 'utf8', end: size - 1 });
  let number = 0;
  let text = '';
  for await (text of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    if (text === '') continue;
    const line = parseLine(text);
    if (line?.['type'] === 'trace') parts.push(new PartReader(headerOf(line, path)));
    else if (parts.length === 0) throw notTrace(path);
    else if (line === undefined || parts.at(-1)?.add(line) === false) damagedLines.push(number);
  }
  if (parts.length === 0) throw notTrace(path);
  const cutOff = damagedLines.at(-1) === number && parseLine(text) === undefined;
  return {
    parts: parts.map((part) => part.finish()),
    damagedLines: cutOff ? damagedLines.slice(0, -1) : damagedLines,
    cutOff,
  };
}

type UnknownLine = Readonly<Record<string, unknown>>;

function parseLine(text: string): UnknownLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null && !Array.isArray(line)
      ? (line as UnknownLine)
      : undefined;
  } catch {
    // The text is not a line of a trace.
    return undefined;
  }
}

function headerOf(line: UnknownLine, path: string): TraceHeader {
  const { version, runId, sessionId, agent, parent, at } = line;
  if (typeof version !== 'number') throw notTrace(path);
  if (version > traceVersion) {
    throw new ShallotError('telemetry/TRACE_VERSION', {
      message: `${path} has version ${version} of the format; this program reads up to ${traceVersion}. Update @shallot/plugin-telemetry.`,
    });
  }
  if (
    typeof runId !== 'string' ||
    typeof sessionId !== 'string' ||
    typeof agent !== 'string' ||
    typeof at !== 'number'
  ) {
    throw notTrace(path);
  }
  const known = parentIn(parent);
  const resumed = line['resumed'] === true;
  return { type: 'trace', version, runId, sessionId, agent, resumed, ...(known && { parent: known }), at };
}

function parentIn(parent: unknown): TraceHeader['parent'] {
  const { runId, callId } = Object(parent) as UnknownLine;
  return typeof runId === 'string' && typeof callId === 'string' ? { runId, callId } : undefined;
}

/**
 * The greatest depth of the tree. Deeper activities become siblings: real runs are not nested so deeply, and a
 * damaged file must not overflow the stack of a reader.
 */
const maxDepth = 200;

interface MutableNode extends TraceNode {
  readonly depth: number;
  /** The list that contains the node. */
  readonly siblings: MutableNode[];
  end: TraceEnd | undefined;
  readonly notes: TraceNote[];
  readonly children: MutableNode[];
}

/** Puts the lines of one part into a tree. */
class PartReader {
  readonly #header: TraceHeader;
  readonly #nodes = new Map<number, MutableNode>();
  readonly #roots: MutableNode[] = [];
  #lastAt: number;
  #lostLines = 0;

  constructor(header: TraceHeader) {
    this.#header = header;
    this.#lastAt = header.at;
  }

  /**
   * Adds a line to the tree. Returns false for a damaged line. Lines of unknown types count as read, because a newer
   * version may have written them.
   */
  add(line: UnknownLine): boolean {
    if (line['type'] === 'lost' && typeof line['lines'] === 'number') {
      this.#lostLines += line['lines'];
      return true;
    }
    if (!['start', 'note', 'end'].includes(line['type'] as string)) return typeof line['type'] === 'string';
    const { id, at } = line;
    if (typeof id !== 'number' || typeof at !== 'number') return false;
    this.#lastAt = Math.max(this.#lastAt, at);
    if (line['type'] === 'start') return this.#start(id, line);
    const node = this.#nodes.get(id);
    // The activity began in a line that is missing.
    if (node === undefined) return true;
    // The two members that are relied on were checked; renderers take nothing else for granted.
    if (line['type'] === 'end') node.end ??= line as unknown as TraceEnd;
    else node.notes.push(line as unknown as TraceNote);
    return true;
  }

  #start(id: number, line: UnknownLine): boolean {
    const { kind, parent } = line;
    if (typeof kind !== 'string' || this.#nodes.has(id)) return false;
    const around = typeof parent === 'number' ? this.#nodes.get(parent) : undefined;
    const isDeep = around !== undefined && around.depth >= maxDepth;
    const siblings = isDeep ? around.siblings : (around?.children ?? this.#roots);
    const node: MutableNode = {
      depth: around === undefined ? 0 : Math.min(around.depth + 1, maxDepth),
      siblings,
      start: line as unknown as TraceStart,
      end: undefined,
      notes: [],
      children: [],
    };
    this.#nodes.set(id, node);
    siblings.push(node);
    return true;
  }

  finish(): TracePart {
    return {
      header: this.#header,
      roots: this.#roots.map(toNode),
      lastAt: this.#lastAt,
      lostLines: this.#lostLines,
    };
  }
}

function toNode({ start, end, notes, children }: MutableNode): TraceNode {
  return { start, end, notes, children: children.map(toNode) };
}

function notTrace(path: string): ShallotError {
  return invalid(
    `${path} is not a trace file: its first line is not a trace header. Name a file written by --trace.`,
  );
}

function invalid(message: string): ShallotError {
  return new ShallotError('telemetry/TRACE_INVALID', { message });
}

function unreadable(message: string, cause?: unknown): ShallotError {
  return new ShallotError('telemetry/TRACE_UNREADABLE', {
    message,
    ...(cause === undefined ? {} : { cause }),
  });
}
