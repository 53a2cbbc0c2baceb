import { testPlugin } from '@shallot/testing';

import mcp from './index.ts';

await testPlugin(mcp, { manifest: new URL('../package.json', import.meta.url) });
