import { registerStoreSuite } from '../test/register-store-suite.ts';

await registerStoreSuite(18);
