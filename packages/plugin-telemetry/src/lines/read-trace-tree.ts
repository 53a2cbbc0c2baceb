import { readdir, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';

import { readHeader, readTrace, type Trace, type TraceNode, type TracePart } from './read-trace.ts';
import type { TraceHeader } from './trace-line.ts';

/** The tolerance for times of files, which file systems round. */
const roundedMs = 2000;

/**
 * Reads a trace file as `readTrace` does, with the runs that its tool calls began. These are in files beside it, and
 * become children of their calls. A file that cannot be read is left out. @throws the errors of `readTrace`
 */
export async function readTraceTree(path: string): Promise<Trace> {
  const trace = await readTrace(path);
  const begun = await childFiles(path, trace);
  if (begun.length === 0) return trace;
  const parts: TracePart[] = [];
  for (const file of begun) {
    const child = await readTrace(file.path).catch(() => undefined);
    parts.push(...(child?.parts ?? []));
  }
  return { ...trace, parts: trace.parts.map((part) => withChildren(part, parts)) };
}

interface ChildFile {
  readonly path: string;
  readonly header: TraceHeader;
}

/** Finds the files of all runs below those of a trace. */
async function childFiles(path: string, { parts }: Trace): Promise<readonly ChildFile[]> {
  const since = Math.min(...parts.map(({ header }) => header.at)) - roundedMs;
  const rest = await filesBeside(path, since);
  const found: ChildFile[] = [];
  const known = new Set(parts.map(({ header }) => header.runId));
  for (let isNew = true; isNew;) {
    const next = rest.filter(
      ({ header: { runId, parent } }) => !known.has(runId) && known.has(parent?.runId ?? ''),
    );
    isNew = next.length > 0;
    found.push(...next);
    for (const { header } of next) known.add(header.runId);
  }
  return found;
}

/** Returns the traces of child runs in the directory of a file that were written since a time. */
async function filesBeside(path: string, since: number): Promise<readonly ChildFile[]> {
  const directory = dirname(path);
  const names = (await readdir(directory)).filter((name) => extname(name) === extname(path));
  const files: ChildFile[] = [];
  for (const name of names) {
    const beside = join(directory, name);
    const header = await headerSince(beside, since).catch(() => undefined);
    if (header?.parent !== undefined) files.push({ path: beside, header });
  }
  return files;
}

async function headerSince(path: string, since: number): Promise<TraceHeader | undefined> {
  const stats = await stat(path);
  return stats.isFile() && stats.mtimeMs >= since ? readHeader(path) : undefined;
}

/** Puts runs under the calls that have begun them, each attempt under the last entry of its call before it. */
function withChildren(part: TracePart, parts: readonly TracePart[]): TracePart {
  const { runId } = part.header;
  const own = parts.filter(
    ({ header }) =>
      header.parent?.runId === runId &&
      // The start times of runs are whole milliseconds.
      header.at >= part.header.at - 1 &&
      header.at <= part.lastAt + 1,
  );
  const complete = (node: TraceNode): TraceNode => {
    const begun = own.filter(({ header }) => header.parent?.callId === node.start.callId);
    const children = begun.flatMap((child) => withChildren(child, parts).roots);
    return { ...node, children: [...node.children.map(complete), ...children] };
  };
  return { ...part, roots: part.roots.map(complete) };
}
