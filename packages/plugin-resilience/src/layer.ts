import type { PluginSetup, Shape, ShapeOutput } from '@shallot/core/plugin';

/** One of the layers: its place, its options, and how a plugin gets it. */
export interface Layer<S extends Shape> {
  readonly name: string;
  readonly priority: number;
  readonly shape: S;
  readonly add: (plugin: PluginSetup, options: ShapeOutput<S>) => void | Promise<void>;
}

/** Gives the layer back, with the type of its options. */
export function defineLayer<S extends Shape>(layer: Layer<S>): Layer<S> {
  return layer;
}
