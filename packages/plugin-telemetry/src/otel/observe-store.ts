import { ShallotError } from '@shallot/core';
import { storeStats, type Store, type StoreStats } from '@shallot/core/store';

import { loadOtelApi, scopeOf } from './otel-api.ts';

/** The names, units and descriptions of the gauges. */
const gauges = {
  sessions: ['shallot.sessions', '{session}', 'Sessions, by the status of their last run'],
  waiting: ['shallot.runs.waiting', '{run}', 'Runs that wait for a worker, by agent, version and owner'],
  oldest: ['shallot.runs.waiting.age', 's', 'How long the oldest of them has waited'],
  running: ['shallot.runs.running', '{run}', 'Runs in progress, by the process at work'],
  parked: ['shallot.runs.parked', '{run}', 'Parked runs, by the code of their error'],
} as const;

type Gauge = keyof typeof gauges;
type Attributes = Readonly<Record<string, string | number>>;

/**
 * Observes a store with gauges of OpenTelemetry. They count waiting, running and parked runs whenever the registered
 * meter provider collects. One process is enough, because it counts the runs of all processes. Resolves to a function
 * that ends the observation.
 * @throws `MODULE_NOT_FOUND` without `@opentelemetry/api`
 */
export async function observeStore(store: Store): Promise<() => void> {
  const api = await loadOtelApi();
  if (api === undefined) {
    throw new ShallotError('MODULE_NOT_FOUND', {
      message: 'observeStore needs the package @opentelemetry/api. Run: npm install @opentelemetry/api',
    });
  }
  const meter = api.metrics.getMeter(...scopeOf('latest'));
  const made = Object.fromEntries(
    Object.entries(gauges).map(([key, [name, unit, description]]) => [
      key,
      meter.createObservableGauge(name, { unit, description }),
    ]),
  ) as Record<Gauge, ReturnType<typeof meter.createObservableGauge>>;
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = async (result) => {
    try {
      for (const [gauge, value, attributes] of valuesOf(await storeStats(store)))
        result.observe(made[gauge], value, attributes);
    } catch (error) {
      // An unavailable store must not prevent the collection of other metrics.
      api.diag.warn('The store could not be counted.', error);
    }
  };
  const all = Object.values(made);
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

function valuesOf(stats: StoreStats): (readonly [Gauge, number, Attributes])[] {
  return [
    ...Object.entries(stats.sessions).map(([status, count]) =>
      at('sessions', count, { 'shallot.status': status }),
    ),
    at('sessions', stats.damaged, { 'shallot.status': 'damaged' }),
    ...stats.waiting.flatMap(({ agent, version, owner, count, oldestMs }) => {
      const attributes = {
        ...(agent === undefined ? {} : { 'shallot.agent': agent }),
        ...(version === undefined ? {} : { 'shallot.agent.version': version }),
        ...(owner === undefined ? {} : { 'shallot.owner': owner }),
      };
      return [at('waiting', count, attributes), at('oldest', oldestMs / 1000, attributes)];
    }),
    ...stats.running.map(({ host, pid, count }) =>
      at('running', count, { 'host.name': host, 'process.pid': pid }),
    ),
    ...stats.parked.map(({ reason, count }) => at('parked', count, { 'error.type': reason })),
  ];
}

function at(gauge: Gauge, value: number, attributes: Attributes): readonly [Gauge, number, Attributes] {
  return [gauge, value, attributes];
}
