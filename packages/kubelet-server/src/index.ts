export { createKubeletServer, type KubeletServer, type KubeletServerOptions } from './create-kubelet-server.ts';
export type { JournalProcess, JournalProgram } from './endpoints/node-logs/journal-program.ts';
export { kubeletApi } from './kubelet-api-module.ts';
export type { KubeletApiOptions } from './kubelet-api-options.ts';
export type { RequestTracer, TracedRequest } from './listeners/request-tracer.ts';
export { localSocket, type LocalSocketOptions } from './local-socket-module.ts';
export type { KubeletServerPorts } from './ports.ts';
export type { ServerContent } from './server-content.ts';
export type { ServerHandler } from './server-handler.ts';
export type { ClientAuthorities } from './tls/client-authorities.ts';
export { toApiEvent } from './watch/event-object.ts';
export { SOURCE_PROBLEM_ANNOTATION } from './watch/marked-pods.ts';
export {
  createSharedHttpsServer,
  type SharedHttpsServer,
  type SharedHttpsServerOptions,
  type SharedPort,
} from './tls/shared-https-server.ts';
