export { connectCommand, type RemoteCommand } from './command-client.ts';
export { type StreamOutcome } from './outcome.ts';
export { connectPortForward, type ForwardedConnection, type PortForwarder } from './port-forward-client.ts';
export { NotUpgradedError, type StreamAddress } from './request-upgrade.ts';
export type { CommandOptions } from '../remote-command.ts';
export type { TerminalSize } from '../stream-request.ts';
