import type { PluginSetup, Shape, ShapeOutput, TapOptions } from '@shallot/core/plugin';

/** The name that a layer's taps have, and their priority unless the plugin's counts. */
export type LayerTap = Pick<TapOptions, 'name' | 'priority'>;

/** One of the layers: its place, its options, and how a plugin gets it. */
export interface Layer<S extends Shape> {
  readonly name: string;
  readonly priority: number;
  readonly shape: S;
  /** `tap` holds the layer's priority where the plugin has several layers. */
  readonly add: (plugin: PluginSetup, options: ShapeOutput<S>, tap: LayerTap) => void | Promise<void>;
}

/** Returns the layer unchanged, typed with its options. */
export function defineLayer<S extends Shape>(layer: Layer<S>): Layer<S> {
  return layer;
}
