/** Returns the files of a project whose model follows a script; `steps` is its TypeScript source. */
export function scripted(steps: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    'shallot.config.yaml': 'name: test\nmodel: ./model.ts\n',
    'model.ts': `import { scriptedModel } from '@shallot/testing';\nexport default scriptedModel(${steps});\n`,
    ...more,
  };
}

export const weather = {
  'shallot.config.yaml': 'name: test\nmodel: ./model.ts\ntools: [./weather.ts]\n',
  'weather.ts': `
    import { defineTool } from '@shallot/core';
    export const weather = defineTool({
      name: 'weather',
      description: 'Tells the weather',
      input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      effect: 'read',
      execute: ({ city }) => city === 'Atlantis' ? Promise.reject(new Error('it is under water')) : 'sunny in ' + city,
    });`,
};

/** A plugin that writes the outcome of a run to a file in `afterAgent`. */
export const witness = `
  import { definePlugin } from '@shallot/core';
  export default definePlugin({
    name: 'witness',
    setup({ hooks, files }) {
      hooks.afterAgent.tapPromise('note', async ({ outcome }) => { await files.write('/outcome.txt', outcome); });
    },
  });`;

export const endless = `[{ chunks: [{ type: 'text-delta', index: 0, text: 'Once upon a time' }], stall: true }]`;

export const withWitness = {
  'shallot.config.yaml': 'model: ./model.ts\nplugins: [./witness.ts]\n',
  'witness.ts': witness,
};

/** A project with a layer that streams a first try, discards it and asks the model again. */
export const retrying = scripted(`[{ text: 'First try.' }, { text: 'Second try.' }]`, {
  'shallot.config.yaml': 'model: ./model.ts\nplugins: [./retry.ts]\n',
  'retry.ts': `
    import { definePlugin } from '@shallot/core';
    export default definePlugin({
      name: 'retry',
      setup({ hooks }) {
        hooks.wrapModelCall.tapPromise('twice', async (request, next) => { await next(request); return next(request); });
      },
    });`,
});

/** A project with a plugin that writes to the console, logs a warning and warns the caller. */
export const talking = scripted(`[{ text: 'Yes.' }]`, {
  'shallot.config.yaml': 'model: ./model.ts\nplugins: [./talk.ts]\nlog: warn\n',
  'talk.ts': `
    import { definePlugin } from '@shallot/core';
    console.log('on import');
    export default definePlugin({
      name: 'talk',
      setup({ hooks, log }) {
        console.info('in setup');
        hooks.afterModel.tap('talk', (_response, run) => {
          log.warn('only logged');
          run.warn('LATE', 'the tea is late');
        });
        hooks.afterAgent.tap('fail', () => { throw new Error('the kettle is off'); });
      },
    });`,
});

/** Returns the last line of an output, parsed as JSON. */
export function lastLine(text: string): unknown {
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
}
