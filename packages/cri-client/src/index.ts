export { type CriClient, type CriClientOptions, type CriClientPorts, createCriClient } from './create-cri-client.ts';
export type { ConnectionState } from './connection-state.ts';
export type { Capabilities } from './capabilities.ts';
export { CapabilityMissing, CriError, type CriErrorInit, type CriErrorKind } from './cri-error.ts';
export { createNodeSocketProbe } from './node-socket-probe.ts';
export type { SocketFinding, SocketProbe } from './socket-probe.ts';
export { hasUnknownOutcome } from './outcome.ts';
export type { CallOutcome } from './call-outcome.ts';
export type { Capability, CriApiVersion } from './rpc-support.ts';
