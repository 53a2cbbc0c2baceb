import type { PluginSetup, ReadyAgent } from '@shallot/core/plugin';

/** The milliseconds that other plugins leave a run: no delay that takes longer is begun. */
export function timeLeftFor({ onReady }: Pick<PluginSetup, 'onReady'>): ReadyAgent['timeLeft'] {
  let timeLeft: ReadyAgent['timeLeft'] = () => Infinity;
  onReady((agent) => {
    timeLeft = agent.timeLeft;
  });
  return (run) => timeLeft(run);
}
