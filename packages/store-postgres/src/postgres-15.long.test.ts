import { registerStoreSuite } from './testing/register-store-suite.ts';

await registerStoreSuite(15);
