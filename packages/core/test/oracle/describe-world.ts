import type { Comparison } from './compare-world.ts';
import type { Act, World } from './model/world.ts';

/** Describes a world and the differences found in it, as lines; the last line is the command that plays it again. */
export function describeWorld({ course, differences }: Comparison): string {
  const { world } = course;
  return [
    `seed ${world.seed}: store ${world.store}${world.isStreamed ? ', streamed' : ''}, ${world.toolConcurrency} calls at once`,
    ...world.runs.map(
      ({ steps }, run) =>
        `  run ${run}: ${steps.map((answers) => answers.map(describeCalls).join(' or ')).join(', then ')}`,
    ),
    ...world.plugins.flatMap(({ name, scope, taps }) =>
      taps.map(
        ({ hook, pace, acts }) => `  ${name} (${scope}) ${pace} ${hook}: ${acts.map(describeAct).join(', ')}`,
      ),
    ),
    ...world.disturbances.map(({ what, moments }) => `  ${what} after ${moments} moments`),
    `  what happened: ${course.trace.join(', ')}`,
    ...differences.map((difference) => `  ${difference}`),
    `  node packages/core/test/oracle/play.ts '${JSON.stringify(world)}'`,
  ].join('\n');
}

function describeCalls(calls: World['runs'][number]['steps'][number][number]): string {
  return calls.map(({ tool, acts }) => `${tool}(${acts.map(({ what }) => what).join(' ')})`).join(' ');
}

function describeAct({ what, run, step, call, isLate, id }: Act): string {
  const place = `r${run}s${step}${call === -1 ? '' : `c${call}`}`;
  return `${what} at ${place}${isLate ? ' late' : ''} [${id}]`;
}
