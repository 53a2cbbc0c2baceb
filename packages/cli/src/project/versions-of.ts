import { ShallotError } from '@shallot/core';
import { newestVersions } from '@shallot/core/command';

import type { Screen } from '../terminal/screen.ts';
import type { Project } from './find-project.ts';
import { runManager, type ManagerResult } from './run-manager.ts';

/** The context of a command that queries the registry. */
export interface Asking {
  readonly project: Project;
  readonly screen: Screen;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * Returns the versions of a package, the newest first; undefined if there is no such package. @throws `REGISTRY_FAILED`
 */
export async function versionsOf(name: string, asking: Asking): Promise<readonly string[] | undefined> {
  const { manager } = asking.project;
  const answer = await ask(name, manager.versions(name), asking);
  if (answer === undefined) return undefined;
  const listed = isRecord(answer) ? answer['versions'] : answer;
  const versions = (Array.isArray(listed) ? listed : [listed]).filter((each) => typeof each === 'string');
  const newest = newestVersions(versions);
  if (newest.length === 0) throw junk(name, JSON.stringify(answer) ?? '');
  return newest;
}

/** Returns the package.json of a version in the registry; undefined if it is not there. @throws `REGISTRY_FAILED` */
export async function manifestOf(name: string, version: string, asking: Asking): Promise<unknown> {
  const answer = await ask(`${name}@${version}`, asking.project.manager.manifest(name, version), asking);
  // Some package managers return a list with one item.
  return Array.isArray(answer) ? answer.at(-1) : answer;
}

async function ask(what: string, args: readonly string[], asking: Asking): Promise<unknown> {
  const { project, screen, signal, timeoutMs } = asking;
  const call = { args, signal, timeoutMs, code: 'REGISTRY_FAILED' } as const;
  const result = await runManager(project, call, screen);
  const said = `${result.stdout}\n${result.stderr}`;
  if (result.status !== 0 || /"type":"error"/.test(said)) {
    // The last pattern is yarn 1's message for a missing package.
    if (/\b(?:E?404)\b|Received invalid response from npm/.test(said)) return undefined;
    throw new ShallotError('REGISTRY_FAILED', {
      message: `${project.manager.name} could not ask the registry for ${what}: ${lastWords(result)} Check the network, and the settings of ${project.manager.name}.`,
    });
  }
  const answer = parse(result.stdout);
  if (answer === undefined) throw junk(what, result.stdout);
  return answer;
}

/** Parses JSON, or the line of the output with the result. */
function parse(text: string): unknown {
  const whole = tryJson(text);
  const line = text
    .split('\n')
    .map(tryJson)
    .findLast((each) => isRecord(each) && each['type'] === 'inspect');
  return isRecord(line) ? line['data'] : whole;
}

function tryJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // JSON never yields undefined.
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function junk(what: string, text: string): ShallotError {
  const start = text.trim().slice(0, 60) || 'nothing';
  return new ShallotError('REGISTRY_FAILED', {
    message: `The answer of the registry about ${what} cannot be read: ${start}. Check its address in the settings of the package manager.`,
  });
}

/** Returns a package manager's error in one line. */
export function lastWords({ stdout, stderr }: ManagerResult): string {
  const lines = `${stderr}\n${stdout}`
    .split('\n')
    .map((line) => line.replace(/^(?:npm error|error:?)\b|^[\s│├╰─▶×✕]+/gi, '').trim())
    .filter((line) => line !== '' && !noReason.test(line));
  const meant = lines.filter((line) => problem.test(line));
  const text = (meant.length > 0 ? meant : lines).slice(0, 3).join('; ').slice(0, 400) || 'it gave no reason';
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Lines without a reason: frames and members of JavaScript errors, pointers to logs, and warnings. */
const noReason = /^(?:at|code|errno|syscall|type)\b:? |A complete log|^(?:npm )?warn/i;
const problem =
  /\berr|fail|refused|not found|cannot|could not|unable|unexpected|invalid|timed? ?out|no space|\b[45]\d\d\b/i;
