export { editorFiles, type OpenDirectory } from './editor-files.ts';
export { editorPlugin } from './editor-plugin.ts';
export { serveAcp, type AcpConnection, type ServeAcpOptions } from './serve-acp.ts';
export type {
  EditorAgent,
  EditorContext,
  EditorMcpServer,
  OwnAgent,
  ServedAgent,
  SessionParts,
} from './served-agent.ts';
export type { EditorBuffers } from './unsaved-files.ts';
