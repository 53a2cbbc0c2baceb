import type { PluginSetup, ReadyAgent } from '@shallot/core/plugin';

/** Returns the milliseconds that other plugins leave the run; longer delays are not started. */
export function timeLeftFor({ onReady }: Pick<PluginSetup, 'onReady'>): ReadyAgent['timeLeft'] {
  let timeLeft: ReadyAgent['timeLeft'] = () => Infinity;
  onReady((agent) => {
    timeLeft = agent.timeLeft;
  });
  return (run) => timeLeft(run);
}
