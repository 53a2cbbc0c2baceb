import type { Activity, Sink } from '../src/observe/activity.ts';

/** Creates a sink that records everything it receives as lines, for tests. */
export function recordingSink(): Sink & { readonly lines: string[]; readonly activities: Activity[] } {
  const lines: string[] = [];
  const activities: Activity[] = [];
  const line = (what: string, activity: Activity): void => {
    lines.push(`${'  '.repeat(depthOf(activity))}${what} ${titleOf(activity)}`);
  };
  return {
    name: 'recording',
    lines,
    activities,
    observe: () => ({
      started: (activity) => {
        activities.push(activity);
        line('+', activity);
      },
      noted: (activity, { type }) => line(`! ${type} of`, activity),
      ended: (activity) => line('-', activity),
    }),
  };
}

function depthOf({ parent }: Activity): number {
  return parent === undefined ? 0 : depthOf(parent) + 1;
}

function titleOf(activity: Activity): string {
  switch (activity.kind) {
    case 'run':
      return `run ${activity.info.resumed ? 'resumed' : ''}`.trim();
    case 'step':
      return `step ${activity.step}`;
    case 'model':
      return `model ${activity.request.model.id} ${activity.origin?.purpose ?? ''} #${activity.attempt}`.replace(
        '  ',
        ' ',
      );
    case 'tool':
      return `tool ${activity.call.name}`;
    case 'layer':
      return `layer ${activity.tap.plugin} ${activity.tap.hook}`;
  }
}
