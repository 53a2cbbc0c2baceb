import type { RunInfo } from '../../src/contract/run-info.ts';
import type { Life } from './life.ts';
import type { Act, TapPlan } from './model/world.ts';

/** The means by which the taps of one plugin act. */
export interface Actor {
  readonly life: Life;
  /** The function of `once`: adds one to the plugin's count. */
  readonly count: (run: RunInfo) => null;
  /** Fails when a failing act is reached for the first time. */
  readonly fail: (act: Act) => void;
  /** Waits before an act, where a tap takes its time. */
  readonly pause: (tap: TapPlan) => Promise<void> | undefined;
}

export function actsOn(life: Life, plugin: string, add: (run: RunInfo) => void): Actor {
  const { course } = life;
  return {
    life,
    count(run) {
      life.begins(`once of ${plugin}`);
      add(run);
      return null;
    },
    fail({ id, what }) {
      if (!course.isToThrow(id)) return;
      course.happened(what);
      life.isStruck = true;
      throw new Error(id);
    },
    pause: (tap) => (tap.pace === 'slow' ? life.pass('tap') : undefined),
  };
}

/** The question of an act. */
export function question(id: string): { kind: string; payload: string; answer: { type: string } } {
  return { kind: 'question', payload: id, answer: { type: 'string' } };
}
