export { type Attachment, podArgs, type PodOfAttachment } from './attachment.ts';
export { CniError, type CniErrorDetails, type CniErrorReason } from './cni-error.ts';
export { type Cni, type CniOptions, type CniPorts, createCni, type NetworkStatus } from './create-cni.ts';
export type { JsonObject } from './json.ts';
export { type LoopbackOptions, setUpLoopback } from './loopback.ts';
export type { CachedAttachment } from './result-cache.ts';
export { type CniAddress, type CniInterface, type CniResult, sandboxAddresses } from './result.ts';
export { type ProcessEnd, type ProcessRequest, type RunProcess, runProcess } from './run-process.ts';
