import type { PluginSetup, Shape, ShapeOutput, TapOptions } from '@shallot/core/plugin';

/** The name of a layer's taps, and their priority unless that of the plugin applies. */
export type LayerTap = Pick<TapOptions, 'name' | 'priority'>;

/** One of the layers: its name, its place, its options, and the function that adds it to a plugin. */
export interface Layer<S extends Shape> {
  readonly name: string;
  readonly priority: number;
  readonly shape: S;
  /** Adds the layer. `tap` has the layer's priority if the plugin has several layers. */
  readonly add: (plugin: PluginSetup, options: ShapeOutput<S>, tap: LayerTap) => void | Promise<void>;
}

/** Returns the layer unchanged, typed with its options. */
export function defineLayer<S extends Shape>(layer: Layer<S>): Layer<S> {
  return layer;
}
