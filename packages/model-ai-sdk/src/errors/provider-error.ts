import { isShallotError, ShallotError } from '@shallot/core';
import { modelError, type ModelErrorCode } from '@shallot/core/model';
import { createRedactor, isTransient, type SourceLocation } from '@shallot/core/plugin';

import { chainOf, factsOf, type ErrorFacts } from './error-facts.ts';
import { rowFor, type ErrorRow } from './error-table.ts';
import { retryAt } from './retry-at.ts';
import { rulePage } from './rule-page.ts';

/** Context that an error message adds to the original error. */
export interface ErrorContext {
  /** The id of the model. */
  readonly id: string;
  /** Strings to remove from messages, such as the API key. Strings that look like keys are always removed. */
  readonly secrets?: readonly string[] | undefined;
  /** The source of the key: a variable such as `ANTHROPIC_API_KEY`, or a setting. */
  readonly keySetting?: string | undefined;
  /** Returns the location of the model in the config, or of the part that caused the error. */
  readonly locate?: ((part: 'apiKey' | 'baseURL' | 'model') => SourceLocation) | undefined;
}

/** The shortest string that is removed. Shorter ones would match parts of many words. */
const minSecret = 4;
/** The lengths of a provider's message to read, and to repeat in errors. */
const maxRead = 4000;
const maxSaid = 500;

/**
 * Returns the typed error for any error of a provider package. `began` is true once the response had begun: errors then
 * are those of the stream. The original is not attached, because it contains the request and, with some providers, the
 * key.
 */
export function providerError(error: unknown, context: ErrorContext, began: boolean): ShallotError {
  const typed = chainOf(error).find((link) => isShallotError(link));
  if (typed !== undefined) return typed;
  const facts = factsOf(error);
  const row = rowFor(facts);
  const code = codeFor(row, facts, began);
  const transient = code === row?.code ? row.transient : undefined;
  const time =
    code === 'MODEL_RATE_LIMITED' || code === 'MODEL_OVERLOADED'
      ? retryAt(facts.headers, facts.body, facts.message)
      : undefined;
  const thrown = modelError(code, {
    message: messageFor(code, row, facts, context, transient === false ? undefined : time),
    transient: code === 'MODEL_FAILED' ? isTransient(error) : transient,
    retryAt: time,
    cause: strippedCause(facts, context),
  });
  return context.locate === undefined ? thrown : located(thrown, row, context.locate);
}

function codeFor(
  row: ErrorRow | undefined,
  { status, kinds, body }: ErrorFacts,
  began: boolean,
): ModelErrorCode {
  if (row === undefined) return began ? 'MODEL_STREAM_BROKEN' : 'MODEL_FAILED';
  const isAnswered = began || (status !== undefined && status < 300);
  if (row.transient === false) return row.code;
  if (row.code === 'MODEL_NETWORK' && isAnswered) return 'MODEL_STREAM_BROKEN';
  if (row.code !== 'MODEL_RESPONSE') return row.code;
  // JSON with a valid beginning was cut off; other text was never JSON.
  const isHalf = kinds.includes('AI_JSONParseError') && typeof body === 'string' && /^\s*[{[]/.test(body);
  // A complete response that cannot be parsed would fail again.
  const isWhole = kinds.includes('AI_TypeValidationError');
  return (began && !isWhole) || isHalf ? 'MODEL_STREAM_BROKEN' : 'MODEL_RESPONSE';
}

function messageFor(
  code: ModelErrorCode,
  row: ErrorRow | undefined,
  facts: ErrorFacts,
  context: ErrorContext,
  time: number | undefined,
): string {
  const { id, keySetting } = context;
  const { status, url } = facts;
  const http = status === undefined || status < 300 ? '' : ` (HTTP ${status})`;
  const where =
    url === undefined || (code !== 'MODEL_NETWORK' && code !== 'MODEL_RESPONSE' && status !== 404)
      ? ''
      : ` at ${clean(withoutQuery(url), context)}`;
  const key =
    code === 'MODEL_AUTH' && keySetting !== undefined ? ` The key is taken from ${keySetting}.` : '';
  const advice = time !== undefined ? tryAgainAt(time) : code === row?.code ? row.advice : adviceFor(code);
  const page =
    code === 'MODEL_BAD_REQUEST' || code === 'MODEL_CONTEXT_OVERFLOW' ? rulePage(facts.message) : undefined;
  return `${id}${where} failed${http}: ${brief(facts.message, context)}${key} ${page === undefined ? advice : ruleAdvice(code, advice, page)}`;
}

/**
 * Returns advice that names the vendor's page. Requests follow the rule as it was known, so the vendor may have changed
 * it.
 */
function ruleAdvice(code: ModelErrorCode, advice: string, page: string): string {
  if (code === 'MODEL_CONTEXT_OVERFLOW') return `${advice} See the vendor's limit (${page}).`;
  return `That is a rule for the shape or size of a request (${page}), which the vendor may have changed: install @shallot/model-ai-sdk@latest, or report it.`;
}

function adviceFor(code: ModelErrorCode): string {
  return code === 'MODEL_STREAM_BROKEN'
    ? 'The answer broke off before its end, and no tool was executed: try again.'
    : 'See the message of the provider.';
}

function tryAgainAt(time: number): string {
  const seconds = Math.max(1, Math.ceil((time - Date.now()) / 1000));
  return seconds < 120
    ? `Try again in ${seconds} s.`
    : `Try again at ${new Date(time).toISOString().slice(0, 19)}Z.`;
}

/** Returns the message as a single line, without keys. */
function brief(message: string, context: ErrorContext): string {
  const text = clean(message.slice(0, maxRead), context).replaceAll(/\s+/g, ' ').trim();
  const short = text.length > maxSaid ? `${text.slice(0, maxSaid - 1)}…` : text.replace(/[,;:]$/, '');
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

function clean(text: string, { secrets = [] }: ErrorContext): string {
  return createRedactor({ secrets: secrets.filter((secret) => secret.length >= minSecret) }).text(text);
}

function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}

/** Returns a cause for debugging, without the request, headers and key. */
function strippedCause({ kinds, status, message, url }: ErrorFacts, context: ErrorContext): Error {
  const cause = new Error(brief(message, context));
  const [name] = kinds;
  if (name !== undefined) Object.defineProperty(cause, 'name', { value: name, configurable: true });
  return Object.assign(cause, {
    kinds,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(url === undefined ? {} : { url: clean(withoutQuery(url), context) }),
  });
}

function located(
  error: ShallotError,
  row: ErrorRow | undefined,
  locate: NonNullable<ErrorContext['locate']>,
): ShallotError {
  const part = partToBlame(error, row);
  if (part === undefined) return error;
  const { code, message, transient, retryAt: at, cause } = error;
  return new ShallotError(code, {
    message,
    transient,
    ...(at === undefined ? {} : { retryAt: at }),
    cause,
    at: locate(part),
  });
}

/** Returns the part of the config that is probably wrong; undefined if the provider has a problem. */
function partToBlame(
  { code }: ShallotError,
  row: ErrorRow | undefined,
): 'apiKey' | 'baseURL' | 'model' | undefined {
  if (code === 'MODEL_AUTH') return 'apiKey';
  if (code === 'MODEL_NETWORK' || code === 'MODEL_RESPONSE') return 'baseURL';
  return row?.blames;
}
