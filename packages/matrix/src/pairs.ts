import type { Stack } from './find-faults.ts';
import { layerNames, layers, type LayerName } from './layers.ts';

/** All ordered pairs of layers. The first one is outside the second in every hook. */
export const pairs: readonly (readonly [outer: LayerName, inner: LayerName])[] = layerNames.flatMap((outer) =>
  layerNames.flatMap((inner) => (outer === inner ? [] : [[outer, inner] as const])),
);

export function stackOf(outer: LayerName, inner: LayerName): Stack {
  return {
    order: [outer, inner],
    plugins: (fallback) => [
      { use: layers[outer](fallback), id: outer, outside: [inner] },
      { use: layers[inner](fallback), id: inner },
    ],
  };
}
