import { resolve } from 'node:path';

import type { SessionAbout, SessionStatus, SessionSummary, Store } from '@shallot/core/store';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { listedSession } from '../rendering/listed-session.ts';
import { toJson } from '../rendering/render-json.ts';
import { shortTime } from '../rendering/short-time.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readCount } from '../terminal/read-count.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { deleteWithFiles } from '../work/delete-with-files.ts';
import { sessionToDelete } from '../work/find-session.ts';
import { withSharedStore } from '../work/with-store.ts';

export interface SessionsCommandOptions extends AgentCommandOptions {
  readonly json?: boolean;
  readonly status?: string;
  /** A number, as typed. */
  readonly limit: string;
}

export interface DeleteCommandOptions extends AgentCommandOptions {
  /** Keeps files written by plugins, and lists them. */
  readonly keepFiles?: boolean;
}

const statuses: readonly SessionStatus[] = [
  'running',
  'interrupted',
  'completed',
  'aborted',
  'failed',
  'parked',
];

/** `shallot sessions`: lists the sessions of the store, the last changed first. Reads only the page shown. */
export async function sessionsCommand(options: SessionsCommandOptions, screen: Screen): Promise<void> {
  const limit = readCount('--limit', options.limit);
  const status = readStatus(options.status);
  await withSharedStore('shallot sessions', options, screen, async (store) => {
    const page: SessionSummary[] = [];
    let more = false;
    for await (const summary of store.list(status === undefined ? {} : { status })) {
      more = page.length === limit;
      if (more) break;
      page.push(summary);
    }
    if (options.json) await screen.line(toJson(page.map(listedSession), { indent: 2 }));
    else if (page.length === 0) screen.note('There are no sessions.');
    else await screen.line(renderSessions(page, screen));
    if (status === 'parked' && !options.json) await noteParked(store, page, screen);
    if (more && !options.json)
      screen.note(`More sessions exist; raise --limit, for example to ${limit * 2}.`);
  });
}

/**
 * `shallot sessions delete`: accepts a full id, or the beginning of a generated one. @throws `SESSION_NOT_FOUND`,
 * `STORE_CONFLICT`, `SESSION_FILES_LEFT`
 */
export async function deleteSessionCommand(
  text: string,
  { keepFiles, ...options }: DeleteCommandOptions,
  screen: Screen,
): Promise<void> {
  await withSharedStore('shallot sessions delete', options, screen, async (store, files) => {
    const summary = await sessionToDelete(store, text);
    await deleteWithFiles(summary, { store, files, keepFiles, screen });
    await screen.line(`Session ${visibleLine(summary.id)} is deleted.`);
  });
}

/**
 * `shallot sessions backup`: copies all sessions to a new file while other processes continue to write. @throws
 * `STORE_FAILED` if the file exists or cannot be written; a usage failure if the store has no backups
 */
export async function backupSessionsCommand(
  file: string,
  options: AgentCommandOptions,
  screen: Screen,
): Promise<void> {
  await withSharedStore('shallot sessions backup', options, screen, async (store) => {
    if (store.backup === undefined) {
      throw new CommandFailure(
        exitStatus.usage,
        'The store of this config does not support backups. Use the backup tools of the system that keeps its sessions.',
      );
    }
    const path = resolve(screen.io.cwd, file);
    await store.backup(path);
    await screen.line(`All sessions are backed up to ${visibleLine(path)}.`);
  });
}

/** Prints the reasons why runs are parked. */
async function noteParked(store: Store, page: readonly SessionSummary[], screen: Screen): Promise<void> {
  for (const { id: sessionId } of page) {
    const { code, message } = (await store.load(sessionId))?.run?.failure ?? {};
    if (code !== undefined)
      screen.note(`${visibleLine(sessionId)}: ${code} ${screen.redactor.text(visibleLine(message ?? ''))}`);
  }
}

function renderSessions(page: readonly SessionSummary[], { paint, io }: Screen): string {
  const rows = page.map(({ id: sessionId, status, interrupts, messages, updatedAt, damaged, about }) =>
    damaged === true
      ? [visibleLine(sessionId), 'damaged']
      : [
          visibleLine(sessionId),
          status ?? 'new',
          interrupts === 0 ? '' : `${interrupts} open`,
          count(messages, 'message'),
          shortTime(updatedAt),
          notesIn(about, io.cwd),
        ],
  );
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => {
      const [sessionId = '', status = '', open = '', messages = '', time = '', notes = ''] = row.map(
        (cell, column) => cell.padEnd(widths[column] ?? 0),
      );
      return [paint.bold(sessionId), status, paint.yellow(open), messages, paint.dim(time), notes]
        .join('  ')
        .trimEnd();
    })
    .join('\n');
}

/** Returns the title of a session, its parent, and its directory if that is not the current one. */
function notesIn({ title, parent, cwd }: SessionAbout = {}, here: string): string {
  const notes = [
    ...(title === undefined ? [] : [`“${title}”`]),
    ...(parent === undefined ? [] : [`begun by ${parent}`]),
    ...(cwd === undefined || cwd === here ? [] : [`in ${cwd}`]),
  ];
  return visibleLine(notes.join(', '));
}

function readStatus(text: string | undefined): SessionStatus | undefined {
  const status = statuses.find((known) => known === text);
  if (text === undefined || status !== undefined) return status;
  throw new CommandFailure(
    exitStatus.usage,
    `--status is "${visibleLine(text)}"; write one of ${statuses.join(', ')}.`,
  );
}
