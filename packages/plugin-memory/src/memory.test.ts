import { testPlugin } from '@shallot/core/testing';

import memory from './index.ts';

await testPlugin(memory, {
  options: { writable: true },
  secondOptions: { writable: true, toolName: 'edit_other_memory' },
  manifest: new URL('../package.json', import.meta.url),
});
