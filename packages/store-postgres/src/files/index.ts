export {
  postgresFiles,
  postgresFiles as default,
  type PostgresFiles,
  type PostgresFilesOptions,
} from './postgres-files.ts';
