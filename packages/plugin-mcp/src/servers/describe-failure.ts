import { existsSync } from 'node:fs';

import { ProtocolError, SdkError, SdkErrorCode, UnauthorizedError } from '@modelcontextprotocol/client';
import { isShallotError, ShallotError } from '@shallot/core';
import { isTransient, messageOf, visible } from '@shallot/core/plugin';

import type { HttpSettings, ProgramSettings, ServerSettings } from '../config/server-settings.ts';
import { networkCodeOf, statusIn, unknownHostIn } from './fate-of.ts';
import { ProgramEnded } from './program-ended.ts';

const maxLength = 2000;

/**
 * Returns an error of this plugin for any failure of a server; errors with a code, except for refused addresses, are
 * returned unchanged. `what` begins its message: "The call of x failed".
 */
export function describeFailure(error: unknown, settings: ServerSettings, what: string): ShallotError {
  if (isShallotError(error) && error.code !== 'ADDRESS_REFUSED') return error;
  const { code, text, transient } = judge(error, settings);
  return new ShallotError(`mcp/${code}`, {
    message: `${what}: ${text}`,
    cause: error,
    ...(settings.at === undefined ? {} : { at: settings.at }),
    ...(transient === undefined ? {} : { transient }),
  });
}

interface Judgement {
  readonly code: string;
  readonly text: string;
  readonly transient?: boolean;
}

function judge(error: unknown, settings: ServerSettings): Judgement {
  const reason = reasonIn(error);
  if (isShallotError(error)) return { code: 'ADDRESS_REFUSED', text: `${reason} of the server` };
  if (error instanceof UnauthorizedError || statusIn(error) === 401)
    return { code: 'LOGIN_REQUIRED', text: `${reason}. Log in with: shallot mcp login ${settings.name}` };
  const known = settings.kind === 'program' ? programReason(error, settings) : urlReason(error, settings);
  if (known !== undefined) return { code: 'SERVER_FAILED', text: known, transient: isTransient(error) };
  if (error instanceof ProtocolError) return { code: 'SERVER_ERROR', text: reason };
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return { ...late(error, settings), transient: true };
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected)
      return { code: 'SERVER_GONE', text: 'the server ended each time that it was asked', transient: true };
    if (error.code === SdkErrorCode.InvalidResult) return { code: 'RESULT_INVALID', text: reason };
  }
  return { code: 'SERVER_FAILED', text: reason, transient: isTransient(error) };
}

/** Names the limit that was exceeded, by the data of the client's error. */
function late(error: SdkError, settings: ServerSettings): Judgement {
  const { startTimeoutMs, callTimeoutMs, maxCallMs } = settings;
  const data = error.data as { readonly maxTotalTimeout?: number; readonly timeout?: number } | undefined;
  const [option, ms, limit] =
    data?.maxTotalTimeout !== undefined
      ? (['maxCallMs', maxCallMs, 'it was not finished within'] as const)
      : data?.timeout === callTimeoutMs
        ? (['callTimeoutMs', callTimeoutMs, 'there was no sign of progress for'] as const)
        : (['startTimeoutMs', startTimeoutMs, 'it did not answer within'] as const);
  return { code: 'TIMEOUT', text: `${limit} ${ms} ms. If it needs longer, raise ${option}` };
}

/** Explains why a program does not run, in terms of its options; undefined for other errors. */
function programReason(error: unknown, { command, args, cwd }: ProgramSettings): string | undefined {
  if (error instanceof ProgramEnded) return clipped(error.message);
  const code = networkCodeOf(error);
  if (code === 'ENOENT' && !existsSync(cwd)) return `there is no directory ${shown(cwd)}. Correct cwd`;
  if (code === 'ENOENT' && /\s/.test(command.trim()) && args.length === 0) {
    const [program = '', ...rest] = command.trim().split(/\s+/);
    return `there is no program named ${shown(command)}. Put the arguments into args: command: ${program}, args: [${rest.join(', ')}]`;
  }
  if (code === 'ENOENT')
    return `the program ${shown(command)} is not installed, or not on the PATH. Install it, or write its whole path as command`;
  if (code === 'EACCES') return `the program ${shown(command)} may not be executed. Make the file executable`;
  return undefined;
}

/** Explains why there is no MCP server at a URL; undefined for other errors. */
function urlReason(error: unknown, { url }: HttpSettings): string | undefined {
  const at = visible(url.origin + url.pathname);
  switch (networkCodeOf(error)) {
    case 'ECONNREFUSED':
      return `nothing listens at ${at}. Start the server, or correct its url`;
    case 'ENOTFOUND': {
      const host = unknownHostIn(error) ?? url.hostname;
      const advice = host === url.hostname ? 'Correct its url' : 'The server names it for its login';
      return `there is no host ${visible(host)}. ${advice}`;
    }
    case 'EAI_AGAIN':
      return `the host ${visible(url.hostname)} could not be looked up. Check the network`;
    case undefined:
    default:
      break;
  }
  const status = statusIn(error);
  if (/\/sse\/?$/.test(url.pathname) && (status === 404 || status === 405 || status === 400))
    return `${at} speaks the transport of 2024 (HTTP with SSE), which streamable HTTP has replaced. Write the URL for that, often …/mcp`;
  if (status === 404 || status === 405)
    return `there is no MCP server at ${at}: it answered with the HTTP status ${status}. Correct its url`;
  if (status !== undefined && status >= 500) return `${at} answered with the HTTP status ${status}`;
  const [, reply] = /unusable reply \((.*)\)/.exec(reasonIn(error)) ?? [];
  return reply === undefined
    ? undefined
    : `what answers at ${at} is no MCP server: ${reply}. Correct its url`;
}

/** Joins the messages of an error and its causes, shortened, because the server controls them. */
function reasonIn(error: unknown): string {
  const reasons: string[] = [];
  for (let each: unknown = error, depth = 0; each !== undefined && depth < 4; depth += 1) {
    const reason = messageOf(each)
      .replace(/\.$/, '')
      .replace(/^Version negotiation (?:probe )?failed: /, '');
    if (!reasons.some((other) => other.includes(reason))) reasons.push(reason);
    each = each instanceof Error ? each.cause : undefined;
  }
  const status = statusIn(error);
  if (status !== undefined && !reasons.some((reason) => reason.includes(String(status))))
    reasons.push(`HTTP status ${status}`);
  return clipped(reasons.join(': '));
}

function clipped(text: string): string {
  return visible(text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text);
}

function shown(text: string): string {
  return visible(JSON.stringify(text.slice(0, 200)));
}
