// Starts Genkit's telemetry server on the given port; it stores its data in the given folder.
import { createRequire } from 'node:module';

/** The part of the package that is used here. The package has its own install, so its types are not available. */
interface TelemetryServer {
  readonly LocalFileTraceStore: new (options: Roots) => unknown;
  readonly LocalFileLogStore: new (options: Roots) => unknown;
  startTelemetryServer(options: {
    readonly port: number;
    readonly traceStore: unknown;
    readonly logStore: unknown;
  }): Promise<void>;
}

interface Roots {
  readonly storeRoot: string;
  readonly indexRoot: string;
}

const [port, folder = ''] = process.argv.slice(2);
// The imports of its ES modules lack file extensions, so only its CommonJS build can be loaded.
const server = createRequire(import.meta.url)('@genkit-ai/telemetry-server') as TelemetryServer;
const roots = { storeRoot: folder, indexRoot: folder };
await server.startTelemetryServer({
  port: Number(port),
  traceStore: new server.LocalFileTraceStore(roots),
  logStore: new server.LocalFileLogStore(roots),
});
