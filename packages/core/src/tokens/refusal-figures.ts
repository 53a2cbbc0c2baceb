import { isShallotError } from '../base/errors.ts';

/** The figures in a model's refusal of a request that is too long. */
export interface RefusalFigures {
  /** The tokens of the request, as the model counts them. */
  readonly tokens: number;
  /** The maximum that the model accepts. */
  readonly limit: number;
}

/** A whole number of at least three digits, with or without separators of thousands. */
const figure = /(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,-])\d{3,9}(?![\w,])/g;

/**
 * Returns the two figures that most providers put into `MODEL_CONTEXT_OVERFLOW`, such as `210000 tokens > 200000
 * maximum`. Undefined for any other error, and if the message has no two figures or is not about tokens.
 */
export function refusalFigures(error: unknown): RefusalFigures | undefined {
  if (!isShallotError(error, 'MODEL_CONTEXT_OVERFLOW') || !/token/i.test(error.message)) return undefined;
  const figures = [...error.message.matchAll(figure)].map(([text]) => Number(text.replaceAll(',', '')));
  const tokens = Math.max(...figures);
  // The parts of a request may be listed, too: the limit is the largest figure below the whole.
  const limit = Math.max(...figures.filter((each) => each < tokens));
  return Number.isFinite(tokens) && Number.isFinite(limit) ? { tokens, limit } : undefined;
}
