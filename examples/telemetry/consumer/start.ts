// Starts Genkit's telemetry server on the port that is given; it keeps what it gets in the folder that is given.
import { createRequire } from 'node:module';

/** The part of the package that is used; it has its own install, so its types are not at hand. */
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
// Its ES modules lack the endings of their imports: only the other form can be loaded.
const server = createRequire(import.meta.url)('@genkit-ai/telemetry-server') as TelemetryServer;
const roots = { storeRoot: folder, indexRoot: folder };
await server.startTelemetryServer({
  port: Number(port),
  traceStore: new server.LocalFileTraceStore(roots),
  logStore: new server.LocalFileLogStore(roots),
});
