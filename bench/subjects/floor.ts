import { loopAgent } from '../floor/agent.ts';
import { createLayers } from '../floor/layer.ts';
import { composeLayers } from '../floor/loop.ts';
import { createModel, createTool } from '../floor/model.ts';
import { defineSubject } from '../subject.ts';
import { layerPlaces } from '../tally.ts';

/**
 * The hand-written loop. Its layers are nested closures that are composed once, and chunks go through plain functions.
 */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: true,
  create(workload, tally) {
    const layers = createLayers(workload, tally);
    const chains = composeLayers(layers, createModel(workload, tally), createTool(workload, tally));
    return loopAgent(chains, workload, tally);
  },
});
