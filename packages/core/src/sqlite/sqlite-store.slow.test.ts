import { registerChecks } from '../../../testing/src/conformance.ts';
import { sqliteChecks } from '../../test/sqlite-checks.ts';

await registerChecks('a store', sqliteChecks('slow'));
