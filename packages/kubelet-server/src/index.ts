export { createKubeletServer, type KubeletServer, type KubeletServerOptions } from './create-kubelet-server.ts';
export { toApiEvent } from './event-object.ts';
export type { HealthCheck, KubeletServerPorts, LogQuery, PodChange } from './ports.ts';
export { RequestError } from './request-error.ts';
