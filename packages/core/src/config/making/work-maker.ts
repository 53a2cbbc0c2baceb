import { ShallotError } from '../../base/errors.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import type { Config } from '../check/config.ts';
import type { LoadedConfig } from '../load-config.ts';
import { describeExports } from '../modules/describe-exports.ts';
import { inStartTime } from '../modules/in-start-time.ts';
import type { Mention } from '../modules/locate.ts';
import { importFound, resolveModule } from '../modules/resolve-module.ts';
import { isQueue } from '../packages/is-store.ts';
import { Problems } from '../read/problems.ts';
import { callMaker, resolveMaker } from '../resolve-maker.ts';

type Work = NonNullable<AgentOptions['work']>;

/**
 * Resolves the worker settings of a config, and returns a function that imports them. @throws `MODULE_NOT_FOUND`; the
 * function `MODULE_FAILED`, `MODULE_INVALID`, `ESBUILD_MISSING`
 */
export async function workMaker({
  merged,
  path,
  startTimeoutMs,
}: LoadedConfig): Promise<() => Promise<Work>> {
  const { context, queue } = merged;
  const what = `The agent of ${path} cannot work`;
  const finding = new Problems();
  const importContext = await finding.attempt(() => context && contextImporter(context, startTimeoutMs));
  const makeQueue = await finding.attempt(() => queue && queueMaker(queue, startTimeoutMs));
  finding.throwIfAny(what);
  return async () => {
    const importing = new Problems();
    const imported = await importing.attempt(() => importContext()?.());
    const made = await importing.attempt(() => makeQueue()?.());
    importing.throwIfAny(what);
    const [makeContext, makesPrompt] = [imported(), made()];
    return {
      ...(makeContext && { context: makeContext }),
      ...(makesPrompt && { queue: makesPrompt }),
      ...(merged.plain.keep && { keep: merged.plain.keep }),
    };
  };
}

function queueMaker(
  { value, directory, locate }: Mention<NonNullable<Config['queue']>>,
  startTimeoutMs: number,
): () => Promise<NonNullable<Work['queue']>> {
  if (isQueue(value)) return async () => value;
  const place = { directory, at: locate() };
  const entry = typeof value === 'string' ? { use: value } : value;
  const make = resolveMaker(entry, place, { what: 'queue', is: isQueue });
  return () => inStartTime(make(), { what: 'The queue', at: place.at, startTimeoutMs });
}

function contextImporter(
  { value, directory, locate }: Mention<NonNullable<Config['context']>>,
  startTimeoutMs: number,
): () => Promise<NonNullable<Work['context']>> {
  if (typeof value === 'function') return async () => value;
  const place = { directory, at: locate() };
  const found = resolveModule(value, place, { kind: 'context' });
  return async () => {
    const importing = importFound(found, place);
    const exported = await inStartTime(importing, { what: 'The context', at: place.at, startTimeoutMs });
    const make = exported['default'];
    if (typeof make === 'function') return (...given) => callMaker(make, given, place);
    throw new ShallotError('MODULE_INVALID', {
      message:
        `${found.package?.name ?? found.file} makes no context: it exports ${describeExports(exported)}. ` +
        'Its default export must be a function that makes the context of a run from the session id and the metadata.',
      at: place.at,
    });
  };
}
