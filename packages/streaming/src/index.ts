export { exitStatus, internalErrorStatus, STREAM_SUCCESS, type StreamStatus } from './stream-status.ts';
export type {
  CommandRequest,
  CommandStreams,
  OpenStream,
  PortForwardRequest,
  StreamKind,
  StreamRequest,
  TerminalSize,
} from './stream-request.ts';
export {
  createStreamingServer,
  type StreamingOptions,
  type StreamingPorts,
  type StreamingServer,
} from './streaming-server.ts';
