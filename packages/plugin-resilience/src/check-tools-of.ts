import { checkToolPatterns, type PluginSetup } from '@shallot/core/plugin';

/** Refuses, at the start, tools in a layer's options that the agent does not have. @throws `resilience/UNKNOWN_TOOL` */
export function checkToolsOf(
  { onReady, log }: Pick<PluginSetup, 'onReady' | 'log'>,
  patterns: readonly string[],
  layer: string,
): void {
  onReady((agent) =>
    checkToolPatterns(patterns, agent, { plugin: 'resilience', what: `The option ${layer}`, log }),
  );
}
