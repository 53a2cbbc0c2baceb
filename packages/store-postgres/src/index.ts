export type { PostgresStoreOptions } from './options.ts';
export { postgresStore, postgresStore as default, type PostgresStore } from './postgres-store.ts';
